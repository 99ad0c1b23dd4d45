"""What a run says before it pays: what stands, what a change undid, and what the rest may cost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalspec.runtime.events import FillResult
from evalspec.runtime.journaling import mark_fallen, read_journal
from evalspec.runtime.outlook import Outlook, estimate, outlook
from evalspec.spec.generation import Limits, Prices

Run = Callable[..., FillResult]


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"max_tokens": 900},
        {"api_key_env": "ANOTHER_KEY"},
        {"temperature": 0.1},
        {"limits": Limits(max_concurrency=2)},
        {"prices": Prices(input_per_million=1.0, output_per_million=2.0)},
        {"max_prompt_chars": 3000},
    ],
)
def test_what_bounds_a_call_invalidates_nothing(
    llm: Any, folder: Path, plan_of: Any, run: Run, change: dict[str, Any]
) -> None:
    run(plan_of({"CLOSED": 4}, url=llm.url), folder)
    changed = plan_of({"CLOSED": 4}, url=llm.url, **change)
    assert outlook(changed, read_journal(folder), "custom", "fake") == Outlook(4, 0, 0, {})


def test_another_model_keeps_what_there_is_and_is_named(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    run(plan_of({"CLOSED": 4}, url=llm.url), folder, limit=3)
    plan = plan_of({"CLOSED": 4}, url=llm.url, model="newer")
    assert outlook(plan, read_journal(folder), "custom", "newer") == Outlook(3, 1, 0, {"fake": 3})
    result = run(plan, folder)
    assert (result.filled, result.calls) == (4, 1)


def test_a_changed_text_undoes_its_own_groups_only(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    plan = plan_of({"CLOSED": 3, "OPEN": 2}, url=llm.url)
    run(plan, folder)
    closed = plan.templates["CLOSED"].model_copy(update={"system_prompt": "Answer briefly for {geography_name}."})
    changed = plan_of({"CLOSED": 3, "OPEN": 2}, url=llm.url, templates={"CLOSED": closed})
    assert outlook(changed, read_journal(folder), "custom", "fake") == Outlook(2, 3, 3, {})
    assert ((result := run(changed, folder)).filled, result.calls) == (5, 3)


def test_a_fallen_group_is_open_and_not_undone_by_a_change(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    plan = plan_of({"CLOSED": 3}, url=llm.url)
    run(plan, folder)
    mark_fallen(folder, "duplicate", ("CLOSED-0001",))
    assert outlook(plan, read_journal(folder), "custom", "fake") == Outlook(2, 1, 0, {})


def test_an_estimate_counts_open_groups_and_grows_with_the_prices(
    llm: Any, folder: Path, plan_of: Any, run: Run
) -> None:
    prices = Prices(input_per_million=1.0, output_per_million=2.0)
    plan = plan_of({"CLOSED": 4, "TRIPLE": 2}, url=llm.url, prices=prices, max_tokens=500)
    found = estimate(plan, read_journal(folder), "custom", None)
    assert (found.calls, found.likely.output_tokens, found.most.output_tokens, found.learned) == (6, 3000, 5000, False)
    assert 6 * 800 < found.likely.input_tokens < 6 * 2500
    assert found.likely_cost == pytest.approx((found.likely.input_tokens + 2 * 3000) / 1e6)
    assert found.most_cost == pytest.approx((found.likely.input_tokens + 2 * 5000) / 1e6)
    assert estimate(plan, read_journal(folder), "custom", 2).calls == 2


def test_an_estimate_learns_the_length_of_replies_from_the_journal(
    llm: Any, folder: Path, plan_of: Any, run: Run
) -> None:
    plan = plan_of({"CLOSED": 9}, url=llm.url)
    run(plan, folder, limit=6)
    found = estimate(plan, read_journal(folder), "custom", None)
    assert (found.calls, found.likely.output_tokens, found.likely_cost, found.learned) == (3, 3 * 5, None, True)


def test_an_estimate_of_the_input_is_near_what_is_sent(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    import json

    from evalspec.runtime.outlook import CHUNK_CHARS

    plan = plan_of({"CLOSED": 4}, url=llm.url)
    found = estimate(plan, read_journal(folder), "custom", None)
    run(plan, folder)
    sent = sum(len(json.dumps(body, ensure_ascii=False)) for body in llm.requests)
    corpus = sum(len(path.read_text("utf-8").split("+++")[2]) for path in (folder / "corpus").iterdir()) // 4
    assert found.likely.input_tokens * 4 == pytest.approx(sent + 4 * (CHUNK_CHARS - corpus), rel=0.1)
