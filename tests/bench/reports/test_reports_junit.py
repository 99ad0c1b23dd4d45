"""JUnit reports: a test case a trial, and XML that parses whatever an answer holds."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from evalspec.bench.report import Report
from evalspec.bench.reports import render
from evalspec.bench.results import CheckResult, TargetResult


def _tree(report: Report) -> ET.Element:
    return ET.fromstring(render(report, "junit").encode("utf-8"))


def _fails(reason: str) -> CheckResult:
    return CheckResult(check="contains", verdict="fail", reason=reason)


def _open(reason: str) -> CheckResult:
    return CheckResult(check="policy_judge", verdict="unscored", reason=reason)


def test_each_trial_is_a_test_case_with_what_came_of_it(make: Any, one: Any) -> None:
    rows = [
        one("a"),
        one("b", [_fails("no 'seven days'"), CheckResult(check="no_pii", verdict="pass")]),
        one("c", [_open("no verdict")]),
        one("d", [_open("no verdict")], blocking=True),
        one("e", error="HTTP 503"),
    ]
    root = _tree(make(rows))
    cases = {case.get("name"): [(child.tag, child.get("message")) for child in case] for case in root.iter("testcase")}
    assert cases == {
        "a": [],
        "b": [("failure", "contains: no 'seven days'")],
        "c": [("skipped", "undecided: policy_judge: no verdict")],
        "d": [("failure", "a blocking case is undecided: policy_judge: no verdict")],
        "e": [("error", "HTTP 503")],
    }
    suite = root.find("testsuite")
    assert suite is not None
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")} == {
        "tests": "5",
        "failures": "2",
        "errors": "1",
        "skipped": "1",
        "time": "1.600",
    }


def test_runs_are_test_cases_of_their_own(support: Report) -> None:
    names = [case.get("name") for case in _tree(support).iter("testcase")]
    assert len(names) == len(set(names)) == 180
    assert names[:3] == ["ret-ae-00 [run 1]", "ret-ae-00 [run 2]", "ret-ae-00 [run 3]"]


def test_settings_bars_and_the_gate_are_properties(contract: Report) -> None:
    properties = {node.get("name"): node.get("value") for node in _tree(contract).iter("property")}
    assert properties["gate"] == "red"
    assert properties["gate.reason"] == "rationale_names_gap is 0.75, under its bar of 0.90"
    assert properties["settings.seed"] == "42"
    assert properties["settings.temperature"] == "0"
    assert (
        properties["metric.category_agreement"]
        == "96.4 % (94.4 to 97.7 %), at least 95 %: met, not separated from the bar"
    )
    assert "judge" not in properties


@pytest.mark.parametrize("odd", ["\x01", "\x1b[31m", "\ufffe", "]]>", "\ud800", "\x00", "<a b='&'>", "\U0001ffff"])
def test_whatever_an_answer_holds_parses_as_xml(make: Any, one: Any, odd: str) -> None:
    said = f"before {odd} after"
    rows = [
        one(f"case {odd}", [_fails(said)], results=(TargetResult(text=said),)),
        one("quiet", [_open(said)]),
        one("broken", error=said),
    ]
    root = _tree(make(rows, model=said))
    shown = said.translate({ord(c): "\ufffd" for c in "\x00\x01\x1b\ufffe\ud800"})
    assert root.findtext(".//failure") == f"contains: {shown}\nanswer: {shown}"
    assert [node.get("message") for node in root.iter("error")] == [shown]


def test_a_text_is_cut_where_it_would_be_a_wall(make: Any, one: Any) -> None:
    root = _tree(make([one("a", [_fails("x" * 50_000)])]))
    message = root.find(".//failure").get("message")  # type: ignore[union-attr]
    assert message is not None
    assert message.endswith("… (46,010 characters more)")
