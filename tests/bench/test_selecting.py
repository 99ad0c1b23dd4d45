"""A part of a suite: what filters match, what they say when they match nothing, and that a part is a draft."""

from dataclasses import replace
from typing import Any

import pytest

from evalspec.bench.checks import Check, HasMoney
from evalspec.bench.selecting import select
from evalspec.bench.suite import Case, Suite, Turn
from evalspec.spec.source import Place

HERE = Place("set.jsonl")


def _case(name: str, **more: Any) -> Case:
    case = Case(name, (Turn({"tier": "gold", "deep": {"er": 1}}, ()),), HERE, "set")
    return replace(case, **more)


SUITE = Suite(
    name="set",
    module=None,
    format="contract",
    cases=(
        _case("A-1", tags=("Bengali", "vague"), facts={"country": "AE", "verified": False, "n": None}),
        _case("A-2", tags=("english",), facts={"country": "GB", "verified": True}, blocking=True),
        _case("A-3", severity="critical", set="other", metric="agreement", facts={"at": {"x": [1, 2]}}),
        _case("A-4", turns=(Turn("text", (Check("money", HasMoney(True), "fees"),)),), tags=("vague",)),
    ),
    digest="",
    place=HERE,
)


def _ids(*filters: str, max_cases: int | None = None) -> list[str]:
    suite, diagnostics = select(SUITE, filters, max_cases)
    assert diagnostics == ()
    return [case.case_id for case in suite.cases]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (["id=A-2"], ["A-2"]),
        (["case_id=a-2"], ["A-2"]),
        (["tag=bengali"], ["A-1"]),
        (["label=vague"], ["A-1", "A-4"]),
        (["severity=critical"], ["A-3"]),
        (["set=other"], ["A-3"]),
        (["file=set"], ["A-1", "A-2", "A-4"]),
        (["blocking=true"], ["A-2"]),
        (["metric=agreement"], ["A-3"]),
        (["metric=fees"], ["A-4"]),
        (["country=AE"], ["A-1"]),
        (["verified=false"], ["A-1"]),
        (["n=null"], ["A-1"]),
        (["at.x=2"], ["A-3"]),
        (["input.deep.er=1"], ["A-1", "A-2", "A-3"]),
        (["tag=bengali", "tag=english"], ["A-1", "A-2"]),
        (["tag=vague", "tag=english", "country=GB"], ["A-2"]),
        ([" tag = vague "], ["A-1", "A-4"]),
    ],
)
def test_filters_match(filters: list[str], expected: list[str]) -> None:
    assert expected == _ids(*filters)


def test_the_first_so_many_are_taken_in_order() -> None:
    assert _ids(max_cases=2) == ["A-1", "A-2"]
    assert _ids("tag=vague", max_cases=1) == ["A-1"]


def test_a_part_is_a_draft_and_the_whole_is_not() -> None:
    assert select(SUITE, ["tag=vague"], None)[0].draft == ("only 2 of 4 cases were selected",)
    assert select(SUITE, ["set=set", "set=other"], 9)[0].draft == ()
    assert select(SUITE, [], 4)[0].draft == ()


@pytest.mark.parametrize(
    ("filters", "max_cases", "message", "hint"),
    [
        (["tag=bengla"], None, "no case has tag=bengla", "did you mean bengali?"),
        (["severity=zzz"], None, "no case has severity=zzz", "severity is one of critical, major"),
        (["contry=AE"], None, "no case has the key contry", "did you mean country?"),
        (["tag"], None, "a filter is KEY=VALUE, found 'tag'", "write, for example, --filter tag=bengali"),
        (["=x"], None, "a filter is KEY=VALUE, found '=x'", "write, for example, --filter tag=bengali"),
        (["tag=english", "country=AE"], None, "no case has tag=english and country=ae together", ""),
        ([], 0, "--max-cases 0 leaves no case", "leave it out to run all cases"),
        ([], -3, "--max-cases -3 leaves no case", "leave it out to run all cases"),
    ],
)
def test_what_selects_nothing_is_an_error_and_leaves_the_suite(
    filters: list[str], max_cases: int | None, message: str, hint: str
) -> None:
    suite, diagnostics = select(SUITE, filters, max_cases)
    assert suite is SUITE
    assert [(d.code, d.message, d.hint) for d in diagnostics] == [("ES705", message, hint)]


def test_an_unknown_key_without_a_near_one_lists_all() -> None:
    (diagnostic,) = select(SUITE, ["qqq=1"], None)[1]
    assert diagnostic.hint == (
        "keys are id, tag, severity, set, blocking, metric, country, verified, n, input.tier, input.deep.er, at.x"
    )


def test_every_wrong_filter_is_named_in_one_go() -> None:
    _, diagnostics = select(SUITE, ["qqq=1", "tag", "tag=vague"], 0)
    assert [d.message for d in diagnostics] == [
        "no case has the key qqq",
        "a filter is KEY=VALUE, found 'tag'",
        "--max-cases 0 leaves no case",
    ]


def test_a_value_that_nothing_has_is_an_error_also_beside_one_that_matches() -> None:
    _, diagnostics = select(SUITE, ["tag=vague", "tag=bengla"], None)
    assert [d.message for d in diagnostics] == ["no case has tag=bengla"]
