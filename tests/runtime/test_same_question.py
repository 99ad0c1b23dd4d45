"""A model that asks one and the same question again and again: the cell ends full, or is named."""

import json
from pathlib import Path
from typing import Any

from evalspec.cli.loop import LoopResult, run_loop
from evalspec.runtime.events import FillOptions
from evalspec.runtime.journaling import read_journal
from evalspec.spec.journal import AttemptLine, FellLine


def loop(plan: Any, folder: Path) -> LoopResult:
    return run_loop(plan, folder, FillOptions(), lambda _event: None, write=True)


def same(body: dict[str, Any], good: Any) -> str:
    """A reply that fits, with the question that it always asks."""
    reply = good(body)
    for member in reply["members"]:
        member["question"] = "What is the limit that the rule sets for an account?"
    return json.dumps(reply)


def test_a_question_that_comes_back_is_made_again_on_another_chunk_until_the_cell_is_full(
    llm: Any, folder: Path, plan_of: Any, answer: Any, good: Any
) -> None:
    llm.script = lambda number, body: answer(content=same(body, good)) if number < 14 else answer()
    plan = plan_of({"CLOSED": 8}, url=llm.url)
    result = loop(plan, folder)
    assert result.assembled is not None
    assert (result.assembled.records, result.assembled.open_cells, result.fill.open) == (8, (), ())
    assert (result.fallen >= 7, result.calls == len(llm.requests) == 8 + result.fallen) == (True, True)
    rows = [json.loads(line) for line in (result.assembled.release_dir / "train.jsonl").open(encoding="utf-8")]  # type: ignore[operator]
    assert len({row["prompt"] for row in rows}) == 8
    lines = read_journal(folder).lines
    fell = {
        group for line in lines if isinstance(line, FellLine) and line.reason == "duplicate" for group in line.groups
    }
    for group in fell:
        chunks = [line.chunk for line in lines if isinstance(line, AttemptLine) and line.group == group]
        assert len(set(chunks)) > 1


def test_a_question_that_never_changes_fills_one_slot_and_the_open_cells_are_named(
    llm: Any, folder: Path, plan_of: Any, answer: Any, good: Any
) -> None:
    llm.script = lambda _number, body: answer(content=same(body, good))
    plan = plan_of({"CLOSED": 6}, url=llm.url)
    result = loop(plan, folder)
    assert result.assembled is not None
    assert (result.rounds, result.assembled.records, result.fill.stopped) == (plan.dedup.max_rounds, 1, None)
    assert sum(cell.missing for cell in result.assembled.open_cells) == 5
    assert len(llm.requests) == 6 + 5 * (plan.dedup.max_rounds - 1)
    (named,) = [found for found in result.diagnostics if found.code == "ES501"]
    assert "5 records are missing in sub_closed: " in named.message
    assert "5 fell as duplicates of other records" in named.message
