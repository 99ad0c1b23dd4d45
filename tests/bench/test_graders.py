"""Grading: every assertion passes on a right answer and fails on a wrong one; what is not reported is unscored."""

from typing import Any

import pytest

from evalspec.bench import checks as c
from evalspec.bench.graders import grade
from evalspec.bench.results import CheckResult, TargetResult
from evalspec.bench.suite import Case, Suite, Turn
from evalspec.spec.source import Place

PLACE = Place("suite.yaml")


def graded(
    spec: c.CheckSpec, result: TargetResult, input_: Any = "a question", names: dict[str, str] | None = None
) -> CheckResult:
    check = c.Check("the_check", spec, "the_metric")
    case = Case("one", (Turn("earlier", ()), Turn(input_, (check,))), PLACE, "set")
    return grade(check, case, 1, result, Suite("s", None, "native", (case,), "0", PLACE, tool_names=names or {}))


def said(text: str) -> TargetResult:
    return TargetResult(text=text)


def calls(*names: str) -> TargetResult:
    return TargetResult(text="done", tool_calls=tuple({"name": name} for name in names))


SCENARIO_ASSERTIONS: list[tuple[str, c.CheckSpec, TargetResult, TargetResult]] = [
    ("tool", c.ToolCalled(("portfolio",)), calls("portfolio"), calls("market")),
    ("tool: null", c.ToolCalled(()), calls(), calls("market")),
    ("tool_alternatives", c.ToolCalled(("portfolio", "holding")), calls("holding"), calls("market", "fees")),
    ("tools_any", c.ToolCalled(("risk", "fees")), calls("market", "fees"), calls()),
    ("response_contains", c.ContainsAll(("Portfolio", "worth")), said("your PORTFOLIO is worth"), said("portfolio")),
    ("response_not_contains", c.ContainsNone(("error",)), said("all is well"), said("Internal Error 5")),
    ("response_contains_any", c.ContainsAny(("cannot", "unable")), said("I'm unable to"), said("here you go")),
    ("has_monetary_value: true", c.HasMoney(True), said("it is $1,234.50 now"), said("it is $, or so")),
    ("has_monetary_value: false", c.HasMoney(False), said("I cannot say"), said("it is USD 500")),
    ("has_percentage: true", c.HasPercentage(True), said("up 12.5%"), said("see page 5%20x")),
    ("has_percentage: false", c.HasPercentage(False), said("it rose"), said("it rose by 3 percent")),
    ("confidence", c.ConfidenceIn(("HIGH",)), TargetResult(confidence="High"), TargetResult(confidence="LOW")),
    (
        "confidence, several",
        c.ConfidenceIn(("HIGH", "MEDIUM")),
        TargetResult(confidence="medium"),
        TargetResult(confidence="LOW"),
    ),
    ("max_latency_seconds", c.LatencyUnder(15), TargetResult(latency_ms=15000.0), TargetResult(latency_ms=15000.1)),
]
SUPPORT_ASSERTIONS: list[tuple[str, c.CheckSpec, TargetResult, TargetResult]] = [
    ("key_points", c.ContainsAll(("7 days",)), said("within 7\u00a0days"), said("within a week")),
    ("no_pii", c.MatchesNone((), emails=True), said("write to @support"), said("write to a.b+c@mail.shop.example")),
    ("forbidden_patterns", c.MatchesNone((r"order\s+A-\d+",)), said("no such thing"), said("in ORDER\nA-1002")),
    ("tool_rule", c.ToolNotCalled("lookup_order"), calls("search"), calls("search", "lookup_order")),
    ("abstain", c.Abstains(True), TargetResult(abstained=True), TargetResult(text="yes", abstained=False)),
    ("no abstention", c.Abstains(False), TargetResult(abstained=False), TargetResult(abstained=True)),
]


@pytest.mark.parametrize(
    ("spec", "right", "wrong"),
    [row[1:] for row in SCENARIO_ASSERTIONS + SUPPORT_ASSERTIONS],
    ids=[row[0] for row in SCENARIO_ASSERTIONS + SUPPORT_ASSERTIONS],
)
def test_an_assertion_passes_on_a_right_answer_and_fails_on_a_wrong_one(
    spec: c.CheckSpec, right: TargetResult, wrong: TargetResult
) -> None:
    assert [graded(spec, right).verdict, graded(spec, wrong).verdict] == ["pass", "fail"]
    assert graded(spec, wrong).reason


@pytest.mark.parametrize(
    "spec",
    [
        c.ToolCalled(()),
        c.ToolCalled(("a",)),
        c.ToolNotCalled("a"),
        c.ToolsInOrder(("a",)),
        c.ConfidenceIn(("MEDIUM",)),
        c.LatencyUnder(1),
        c.Abstains(True),
        c.Abstains(False),
    ],
    ids=str,
)
def test_what_a_target_does_not_report_is_unscored_with_the_reason(spec: c.CheckSpec) -> None:
    found = graded(spec, said("I am MEDIUM sure and cannot answer"))
    assert found.verdict == "unscored"
    assert "not report" in found.reason


@pytest.mark.parametrize(
    ("spec", "called", "verdict"),
    [
        (c.ToolCalled(("a",)), ("a", "a"), "pass"),
        (c.ToolCalled(("a",)), ("b", "a"), "pass"),
        (c.ToolCalled(("a",)), ("A",), "fail"),
        (c.ToolNotCalled("a"), (), "pass"),
        (c.ToolNotCalled("a"), ("b", "a"), "fail"),
        (c.ToolsInOrder(("a", "b")), ("a", "x", "b"), "pass"),
        (c.ToolsInOrder(("a", "b")), ("b", "a"), "fail"),
        (c.ToolsInOrder(("a", "a")), ("a",), "fail"),
        (c.ToolsInOrder(("a", "a")), ("a", "b", "a"), "pass"),
        (c.ToolsInOrder(("a",)), (), "fail"),
    ],
)
def test_tools_are_counted_and_ordered(spec: c.CheckSpec, called: tuple[str, ...], verdict: str) -> None:
    assert graded(spec, calls(*called)).verdict == verdict


def test_tool_names_are_the_suites_after_mapping() -> None:
    names = {"get_holdings": "portfolio"}
    assert graded(c.ToolCalled(("portfolio",)), calls("get_holdings"), names=names).verdict == "pass"
    assert graded(c.ToolCalled(("get_holdings",)), calls("get_holdings"), names=names).verdict == "fail"


def test_an_answer_with_an_error_is_unscored_by_every_check() -> None:
    found = graded(c.ContainsNone(("x",)), TargetResult(error="HTTP 500"))
    assert (found.verdict, found.reason) == ("unscored", "the target gave no answer: 'HTTP 500'")


@pytest.mark.parametrize(
    "spec", [c.JudgedByPolicy("p"), c.JudgedByRubric((1, 5), 4, "s", "e"), c.RatedByPeople("q")], ids=str
)
def test_what_judges_and_people_decide_is_unscored_here(spec: c.CheckSpec) -> None:
    assert graded(spec, said("fine")).verdict == "unscored"


def test_a_grader_that_fails_is_unscored_with_the_reason() -> None:
    found = graded(c.FitsSchema({"type": "no such type"}), TargetResult(output={"a": 1}))
    assert found.verdict == "unscored"
    assert found.reason.startswith("the grader failed: UnknownType")


def test_an_empty_term_is_unscored_and_never_found_everywhere() -> None:
    for spec in (
        c.ContainsAll(("",)),
        c.ContainsAny(("a", " ")),
        c.ContainsNone(("\u200b",)),
        c.MentionsAny("", ("",)),
    ):
        assert graded(spec, said("a")).verdict == "unscored"


def test_a_reason_quotes_at_most_eighty_characters_and_shows_control_characters() -> None:
    found = graded(c.Equals("x"), said("\x1b[31m\u202e\n\ufffe" + "y" * 1000))
    assert found.reason == "is '\\x1b[31m\\u202e\\n\\ufffe" + "y" * 58 + "…', not 'x'"


def test_an_answer_over_the_limit_is_unscored() -> None:
    found = graded(c.ContainsNone(("secret",)), said("y" * 200_001))
    assert (found.verdict, found.reason) == (
        "unscored",
        "the answer has 200,001 characters; at most 200,000 are graded",
    )


def test_the_result_names_check_turn_and_metric() -> None:
    found = graded(c.ContainsAll(("a",)), said("a"))
    assert (found.check, found.turn, found.metric, found.judged) == ("the_check", 1, "the_metric", False)


def test_terms_are_looked_for_in_the_texts_of_an_answer_that_is_only_json() -> None:
    result = TargetResult(output={"portfolio": "none", "list": ["all is well", 5]})
    assert graded(c.ContainsAll(("well", "5")), result).verdict == "pass"
    assert graded(c.ContainsAll(("portfolio",)), result).verdict == "fail"
