"""The gate: bars and their verdicts, and what is green, red or a draft."""

from typing import Any

import pytest

from evalspec.bench import bars
from evalspec.bench.gating import exit_of
from evalspec.bench.report import Settings
from evalspec.bench.suite import Metric

SIGNED = "p" * 200


def _bar(report: Any) -> tuple[str, bool | None]:
    score = report.metrics["m"]
    return score.verdict, score.separated


@pytest.mark.parametrize(
    ("letters", "bar", "verdict", "separated"),
    [
        ("p" * 482 + "f" * 18, 0.95, "met", False),
        ("p" * 190 + "f" * 10, 0.95, "met", False),
        ("p" * 189 + "f" * 11, 0.95, "missed", False),
        ("p" * 498 + "f" * 2, 0.95, "met", True),
        ("p" * 150 + "f" * 50, 0.95, "missed", True),
        ("p" * 200, 1.0, "met", None),
        ("p" * 199 + "f", 1.0, "missed", True),
        ("p" * 195 + "u" * 5, 0.95, "met", True),
        ("p" * 195 + "u" * 5, 1.0, "undecided", None),
        ("p" * 188 + "f" * 2 + "u" * 10, 0.95, "undecided", True),
        ("p" * 188 + "f" * 2 + "e" * 10, 0.95, "undecided", True),
        ("p" * 170 + "f" * 20 + "u" * 10, 0.95, "missed", True),
        ("p" * 150 + "u" * 50, 0.5, "met", True),
        ("u" * 200, 0.95, "undecided", None),
    ],
)
def test_a_bar_is_decided_by_what_holds_however_the_open_cases_turn_out(
    made: Any, letters: str, bar: float, verdict: str, separated: bool | None
) -> None:
    assert (verdict, separated) == _bar(made.barred(letters, bar))


@pytest.mark.parametrize(
    ("letters", "bar", "value", "verdict", "separated"),
    [
        ("p" * 200, 0.0, 0.0, "met", None),
        ("p" * 199 + "f", 0.0, 0.005, "missed", True),
        ("p" * 198 + "f" * 2, 0.01, 0.01, "met", False),
        ("p" * 197 + "f" * 3, 0.01, 0.015, "missed", False),
        ("p" * 199 + "u", 0.0, 0.0, "undecided", None),
        ("p" * 400, 0.02, 0.0, "met", True),
    ],
)
def test_a_metric_that_must_be_low_counts_failures(
    made: Any, letters: str, bar: float, value: float, verdict: str, separated: bool | None
) -> None:
    low = (Metric("m", "failures"),)
    report = made.barred(letters, bar, direction="at_most", suite={"metrics": low})
    assert (value, verdict, separated) == (report.metrics["m"].value, *_bar(report))
    interval = report.metrics["m"].interval
    assert interval.low <= value <= interval.high


def test_a_metric_that_meets_its_bar_says_that_it_is_not_separated(made: Any) -> None:
    report = made.barred("p" * 482 + "f" * 18)
    said = "met, not separated from the bar: the interval, 0.944 to 0.977, holds it"
    assert said == report.metrics["m"].reason
    assert ("green", (f"m: {said}",)) == (report.gate.verdict, report.gate.notes)


def test_a_rate_over_too_few_cases_to_show_it_is_undecided(made: Any) -> None:
    few = made.barred("p" * 19)
    assert (
        few.metrics["m"].verdict,
        few.metrics["m"].reason,
    ) == ("undecided", "19 cases cannot show a rate of 0.95: that takes 20")
    assert made.barred("p" * 20).metrics["m"].verdict == "met"
    assert made.barred("p" * 10 + "f" * 9).metrics["m"].verdict == "missed"


@pytest.mark.parametrize(
    ("bar", "direction", "cases"),
    [
        (0.95, "at_least", 20),
        (0.9, "at_least", 10),
        (1.0, "at_least", 1),
        (0.0, "at_most", 1),
        (0.02, "at_most", 50),
        (0.8, "at_least", 5),
    ],
)
def test_the_fewest_cases_allow_one_that_goes_wrong(made: Any, bar: float, direction: str, cases: int) -> None:
    assert cases == bars.least_cases(made.bar(value=bar, direction=direction))


def test_a_metric_without_cases_is_undecided(made: Any) -> None:
    suite = made.suite([made.case("a")], bars=(made.bar("nowhere"),))
    report = made.report(suite, [made.trial(suite.cases[0], "p")])
    assert (
        report.metrics["nowhere"].verdict,
        report.metrics["nowhere"].reason,
        report.metrics["nowhere"].attempted,
    ) == ("undecided", "no case was scored", 0)


def test_a_metric_without_a_bar_has_no_verdict(made: Any) -> None:
    suite = made.suite([made.case("a", [("x", "m")])])
    score = made.report(suite, [made.trial(suite.cases[0], "f")]).metrics["m"]
    assert (score.value, score.bar, score.verdict) == (0.0, None, None)


def test_a_metric_fails_a_case_where_one_of_its_checks_does(made: Any) -> None:
    cases = [made.case(f"c{n}", [("x", "m"), ("y", "m"), ("z", None)]) for n in range(4)]
    rows = [made.trial(case, letters) for case, letters in zip(cases, ["ppf", "pfp", "fup", "pup"], strict=True)]
    score = made.report(made.suite(cases), rows).metrics["m"]
    assert (pytest.approx(1 / 3), 4, 3, 1) == (score.value, score.attempted, score.scored, score.unscored)


BLOCKING, CRITICAL, MINOR = {"blocking": True}, {"severity": "critical"}, {"severity": "minor"}


@pytest.mark.parametrize(
    ("format", "case", "outcomes", "plain", "strict"),
    [
        ("support", {}, "pppp", "green", "green"),
        ("support", {}, "pppf", "green", "green"),
        ("support", {}, "p" * 19 + "u", "green", "green"),
        ("support", {}, "p" * 18 + "uu", "red", "red"),
        ("support", {}, "p" * 19 + "e", "green", "green"),
        ("support", {}, "p" * 18 + "ee", "red", "red"),
        ("support", {}, "p" * 18 + "eu", "green", "green"),
        ("support", {}, "eeee", "red", "red"),
        ("support", {}, "uuuu", "red", "red"),
        ("support", BLOCKING, "pppf", "red", "red"),
        ("support", BLOCKING, "pppu", "red", "red"),
        ("support", BLOCKING, "pppe", "red", "red"),
        ("scenario", {}, "pppf", "green", "red"),
        ("scenario", MINOR, "ffff", "green", "green"),
        ("scenario", CRITICAL, "pppf", "red", "red"),
        ("scenario", CRITICAL, "pppe", "red", "red"),
        ("scenario", CRITICAL, "p" * 19 + "u", "green", "red"),
        ("scenario", MINOR, "p" * 18 + "uu", "red", "red"),
        ("native", {}, "pppf", "green", "red"),
        ("release", {}, "pppf", "green", "green"),
    ],
)
def test_a_suite_without_bars_is_gated_on_its_grave_cases(
    made: Any, format: str, case: dict[str, Any], outcomes: str, plain: str, strict: str
) -> None:
    cases, rows = made.runs({f"c{n}": letter for n, letter in enumerate(outcomes)}, **case)
    suite = made.suite(cases, format=format)
    reports = [made.report(suite, rows, ci=ci) for ci in (False, True)]
    assert [plain, strict] == [report.gate.verdict for report in reports]
    assert [verdict == "red" for verdict in (plain, strict)] == [exit_of(report) == 1 for report in reports]
    assert [verdict == "green" for verdict in (plain, strict)] == [not report.gate.reasons for report in reports]


def test_a_blocking_case_that_fails_in_one_of_three_runs_is_red(made: Any) -> None:
    cases, rows = made.runs({"a": "ppf", "b": "ppp"}, blocking=True)
    report = made.report(made.suite(cases), rows)
    assert (report.gate.verdict, report.gate.reasons) == ("red", ("blocking cases that failed: 1 (a)",))


def test_a_case_without_a_trial_in_every_run_is_red(made: Any) -> None:
    cases, rows = made.runs({"a": "ppp", "b": "ppp"})
    report = made.report(made.suite(cases), rows[:-1])
    assert (report.gate.verdict, report.gate.reasons) == ("red", ("cases without a trial in every run: 1 (b)",))


@pytest.mark.parametrize(
    ("letters", "more", "ci", "verdict", "code"),
    [
        (SIGNED, {}, False, "green", 0),
        (SIGNED, {}, True, "green", 0),
        ("p" * 180 + "f" * 20, {}, False, "red", 1),
        ("p" * 188 + "f" * 2 + "u" * 10, {}, False, "draft", 0),
        ("p" * 188 + "f" * 2 + "u" * 10, {}, True, "red", 1),
        ("p" * 199, {}, False, "draft", 0),
        ("f" * 199, {}, False, "draft", 0),
        ("p" * 199, {}, True, "draft", 2),
        ("e" * 199, {}, False, "red", 1),
        (SIGNED, {"signed": " "}, False, "draft", 0),
        (SIGNED, {"suite": {"draft": ("a part of it",)}}, False, "draft", 0),
        (SIGNED, {"context": {"settings": {"temperature": 0.7}}}, False, "draft", 0),
        (SIGNED, {"context": {"settings": {"seed": None}}}, False, "draft", 0),
        ("f" * 200, {"context": {"settings": {"seed": 7}}}, False, "draft", 0),
        ("p" * 200, {"context": {"settings": {"seed": 7}, "required": Settings(seed=7)}}, False, "green", 0),
        ("f" + "p" * 199, {"case": {"blocking": True}}, False, "red", 1),
        ("p" * 190 + "f" * 10, {"case": {"severity": "major"}}, True, "green", 0),
    ],
)
def test_a_set_with_bars_is_gated_on_them(
    made: Any, letters: str, more: dict[str, Any], ci: bool, verdict: str, code: int
) -> None:
    report = made.barred(letters, **{**more, "context": {**more.get("context", {}), "ci": ci}})
    assert (verdict, code) == (report.gate.verdict, exit_of(report))
    assert bool(report.draft) or verdict != "draft"
    assert not (report.draft and verdict == "green")


def test_a_draft_still_names_what_failed(made: Any) -> None:
    report = made.barred("p" * 98 + "f" * 2, 0.99, case={"blocking": True})
    assert report.gate.verdict == "draft"
    assert report.gate.reasons == (
        "100 cases are fewer than 200",
        "blocking cases that failed: 2 (c98, c99)",
        "m: 0.98 is under the bar of 0.99",
    )
    assert report.draft == ("100 cases are fewer than 200",)


def test_a_draft_that_the_suite_has_named_is_not_named_twice(made: Any) -> None:
    said = ("s has 100 cases, and a set that gates has 200 or more", "nobody signed the bar of m in s")
    assert said == made.barred("p" * 100, signed="", suite={"draft": said}).draft


def _latencies(made: Any, given: list[float | None], **context: Any) -> Any:
    cases = [made.case(f"c{n}", [("x", "m")]) for n in range(len(given))]
    suite = made.suite(cases, format="contract", bars=(made.bar(),), latency_p95_ms=3000.0)
    rows = [made.trial(case, "p", latency_ms=ms) for case, ms in zip(cases, given, strict=True)]
    return made.report(suite, rows, **context)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ([2614.0] * 190 + [9000.0] * 10, "green"),
        ([2614.0] * 189 + [9000.0] * 11, "red"),
        ([3000.0] * 200, "red"),
        ([2999.9] * 200, "green"),
        ([100.0] * 195 + [None] * 5, "green"),
        ([100.0] * 180 + [None] * 20, "draft"),
        ([None] * 200, "draft"),
        ([9000.0] * 150 + [None] * 50, "red"),
    ],
)
def test_the_95th_percentile_must_be_under_the_limit_however_the_silent_ones_did(
    made: Any, given: list[float | None], verdict: str
) -> None:
    report = _latencies(made, given)
    assert (verdict, 3000.0) == (report.gate.verdict, report.latency_bar_ms)
    assert (verdict == "green") == (_latencies(made, given, ci=True).gate.verdict == "green")


@pytest.mark.parametrize(("rejected", "verdict"), [(0, "green"), (9, "green"), (10, "red"), (11, "red")])
def test_rejections_must_be_under_5_percent_of_the_set(made: Any, rejected: int, verdict: str) -> None:
    cases = [made.case(f"c{n}", [("x", "m")]) for n in range(200)]
    suite = made.suite(cases, format="contract", bars=(made.bar(),))
    rows = [made.trial(case, "p", validator_rejected=n < rejected) for n, case in enumerate(cases)]
    report = made.report(suite, rows)
    assert (verdict, rejected) == (report.gate.verdict, report.validator_rejections)


def test_a_limit_of_no_rejections_is_met_without_any(made: Any) -> None:
    cases = [made.case(f"c{n}", [("x", "m")]) for n in range(200)]
    suite = made.suite(cases, format="contract", bars=(made.bar(),), max_validator_rejections=0.0)
    assert made.report(suite, [made.trial(case, "p") for case in cases]).gate.verdict == "green"


def test_major_cases_under_a_bar_are_the_bars_affair(made: Any) -> None:
    cases = [made.case(f"c{n}", [("x", "m")]) for n in range(200)] + [made.case("free")]
    suite = made.suite(cases, format="native", bars=(made.bar(),))
    rows = [made.trial(case, "f" if case.case_id in ("c0", "free") else "p") for case in cases]
    report = made.report(suite, rows, ci=True)
    assert (report.summary.major_failures, report.gate.reasons) == (("free",), ("major cases that failed: 1 (free)",))


def test_a_run_that_knows_too_little_says_so_once(made: Any) -> None:
    cases, rows = made.runs({f"c{n}": letter for n, letter in enumerate("p" * 6 + "eeuu")})
    gate = made.report(made.suite(cases), rows).gate
    said = (
        "cases that met an error, over 5 % of all: 2 (c6, c7)",
        "cases that could not be scored, over 5 % of all: 2 (c8, c9)",
    )
    assert ("red", said) == (gate.verdict, gate.reasons)
    assert [note for note in gate.notes if "c6" in note or "c8" in note] == []


def test_a_draft_that_knows_too_little_stays_a_draft_and_lists_it(made: Any) -> None:
    cases, rows = made.runs({f"c{n}": letter for n, letter in enumerate("p" * 8 + "ee")})
    gate = made.report(made.suite(cases, draft=("a part of the suite",)), rows).gate
    said = ("a part of the suite", "cases that met an error, over 5 % of all: 2 (c8, c9)")
    assert ("draft", said) == (gate.verdict, gate.reasons)


def test_cases_that_wait_for_people_are_not_taken_for_unscored(made: Any) -> None:
    letters = "p" * 8 + "uu"
    waiting = [made.case(f"c{n}", auto_scoreable=letter == "p") for n, letter in enumerate(letters)]
    rows = [made.trial(case, letter) for case, letter in zip(waiting, letters, strict=True)]
    gate = made.report(made.suite(waiting), rows).gate
    assert (gate.verdict, gate.reasons) == ("green", ())
    assert "cases that wait for people: 2 (c8, c9)" in gate.notes


def test_a_bar_that_is_met_does_not_outweigh_cases_without_an_answer(made: Any) -> None:
    report = made.barred("p" * 180 + "e" * 20, 0.5)
    assert (report.metrics["m"].verdict, report.gate.verdict) == ("met", "red")
