"""Facts that a target's request names: one that no case has is told, with the one that was probably meant."""

from pathlib import Path
from typing import Any

import pytest

from evalspec.bench.named_facts import unknown_facts
from evalspec.bench.preparing import Wanted, prepare
from evalspec.bench.suite import Case
from evalspec.bench.targets import read_target
from evalspec.spec.diagnostic import Severity
from evalspec.spec.source import Place


def cases(*facts: dict[str, Any]) -> list[Case]:
    return [Case(str(number), (), Place("s"), "s", facts=given) for number, given in enumerate(facts)]


def found(folder: Path, body: str, *facts: dict[str, Any]) -> list[tuple[str, str, int]]:
    (folder / "bot.yaml").write_text(f"kind: http\nurl: http://127.0.0.1:9/\nbody: {body}\n", encoding="utf-8")
    config, faults = read_target("bot.yaml", folder)
    assert config is not None, faults
    said = unknown_facts(cases(*facts), config)
    assert {(item.code, item.severity) for item in said} <= {("ES749", Severity.WARNING)}
    return [(item.place.path, item.hint, item.place.line) for item in said]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("{q: $input, known: $facts.verifed}", [("body.known", "did you mean $facts.verified?", 3)]),
        ("{q: {deep: [$facts.user.nam]}}", [("body.q.deep[0]", "did you mean $facts.user.name?", 3)]),
        ("{q: $facts.zzz}", [("body.q", "the cases have country, user, user.name, verified", 3)]),
        ("{q: $facts.country, r: $facts.user.name, s: $facts, t: $$facts.verifed, u: $input.verifed}", []),
    ],
)
def test_a_fact_that_no_case_has_is_told(tmp_path: Path, body: str, expected: list[Any]) -> None:
    facts = ({"verified": False}, {"country": "AE", "user": {"name": "Ada"}})
    assert found(tmp_path, body, *facts) == expected


def test_cases_without_facts_are_said_to_have_none(tmp_path: Path) -> None:
    assert found(tmp_path, "{q: $facts.country}", {}) == [("body.q", "the cases have no facts", 3)]


def test_it_is_told_before_a_run_over_all_cases_and_not_over_those_that_were_asked_for(tmp_path: Path) -> None:
    lines = '{"id": "a", "input": "q", "key_points": ["x"]}\n{"id": "b", "input": "q", "country": "AE"}\n'
    (tmp_path / "cases.jsonl").write_text(lines, encoding="utf-8")
    body = "{q: $input, c: $facts.country, v: $facts.verifed}"
    (tmp_path / "bot.yaml").write_text(f"kind: http\nurl: http://127.0.0.1:9/\nbody: {body}\n", encoding="utf-8")
    wanted = Wanted(suite=Path("cases.jsonl"), target=str(tmp_path / "bot.yaml"), max_cases=1)
    prepared, said = prepare(wanted, tmp_path)
    assert prepared is not None
    assert [item.message.split(",")[0] for item in said if item.code == "ES749"] == ["body.v names $facts.verifed"]
