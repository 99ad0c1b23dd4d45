"""Scoring: rates with their counts and intervals, runs, slices, latencies, and the lists of cases."""

import math
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalspec.bench.checks import Check, RatedByPeople
from evalspec.bench.report import Report
from evalspec.bench.results import CheckResult, TargetResult, TrialLine
from evalspec.bench.scoring import outcome_of, trial_score
from evalspec.bench.suite import Case, Turn


def _counts(rate: Any) -> tuple[float | None, int, int, int, int]:
    return rate.value, rate.attempted, rate.scored, rate.unscored, rate.errored


def _result(verdict: str) -> CheckResult:
    return CheckResult.model_validate({"check": "a", "verdict": verdict})


@pytest.mark.parametrize(
    ("verdicts", "error", "outcome"),
    [
        (["pass", "pass"], None, "passed"),
        (["pass", "fail", "unscored"], None, "failed"),
        (["pass", "unscored"], None, "undecided"),
        (["fail"], "HTTP 500", "error"),
        (["pass"], "", "error"),
        ([], None, "undecided"),
    ],
)
def test_an_error_comes_before_a_failure_and_a_failure_before_what_is_open(
    verdicts: list[str], error: str | None, outcome: str
) -> None:
    assert outcome == outcome_of([_result(verdict) for verdict in verdicts], error)


def _line(*results: TargetResult) -> TrialLine:
    return TrialLine(case_id="c", epoch=1, key="k", results=results)


def test_a_trial_adds_up_its_turns(made: Any) -> None:
    case = made.case("c", turns=(Turn("q", ()), Turn("r", ())))
    known = TargetResult(text="x", latency_ms=10.0, input_tokens=3, output_tokens=4)
    row = trial_score(case, _line(known, known), [_result("pass")])
    assert (row.latency_ms, row.tokens, row.outcome, row.inputs) == (20.0, 14, "passed", ("q", "r"))
    silent = trial_score(case, _line(known, TargetResult(text="y")), [_result("pass")])
    assert (silent.latency_ms, silent.tokens) == (None, None)


@pytest.mark.parametrize("said", [{"latency_ms": math.inf}, {"latency_ms": math.nan}, {"latency_ms": -5.0}])
def test_a_latency_that_cannot_be_is_taken_as_not_said(made: Any, said: dict[str, float]) -> None:
    assert made.trial(made.case("c"), "p", **said).latency_ms is None


@pytest.mark.parametrize("tokens", [-1, 10**30])
def test_a_count_of_tokens_that_cannot_be_is_taken_as_not_said(made: Any, tokens: int) -> None:
    assert made.trial(made.case("c"), "p", input_tokens=tokens, output_tokens=1).tokens is None


def test_a_turn_without_an_answer_is_an_error(made: Any) -> None:
    case = made.case("c", turns=(Turn("q", ()), Turn("r", ())))
    row = trial_score(case, _line(TargetResult(text="x")), [_result("pass")])
    assert (row.outcome, row.error) == ("error", "no answer")


@pytest.mark.parametrize(
    ("result", "rejected"),
    [
        ({"output": {"category": "billing"}}, False),
        ({"output": {"category": 3}}, True),
        ({"text": "no JSON at all"}, True),
        ({"output": {"category": 3}, "validator_rejected": False}, False),
        ({"output": {"category": "billing"}, "validator_rejected": True}, True),
        ({"error": "HTTP 500"}, False),
    ],
)
def test_an_answer_off_the_schema_is_rejected_unless_the_target_says(
    made: Any, result: dict[str, Any], rejected: bool
) -> None:
    schema = {"type": "object", "properties": {"category": {"type": "string"}}, "required": ["category"]}
    row = trial_score(made.case("c"), _line(TargetResult(**result)), [_result("pass")], schema)
    assert rejected == row.validator_rejected


def test_a_pattern_of_the_schema_that_takes_too_long_rejects_nothing(made: Any) -> None:
    result = TargetResult(output={"category": "x" * 40 + "y"})
    schema = {"properties": {"category": {"pattern": "(x|x|xx)+$"}}}
    assert trial_score(made.case("c"), _line(result), [_result("pass")], schema).validator_rejected is False


def test_errors_and_unscored_cases_stand_beside_the_rate_and_not_in_it(made: Any) -> None:
    cases, rows = made.runs(dict(zip("abcdefghij", "ppppppffue", strict=True)))
    report = made.report(made.suite(cases), rows)
    passed = report.summary.passed
    assert _counts(passed) == (0.75, 10, 8, 1, 1)
    assert passed.interval is not None
    assert (
        passed.interval.method,
        *(round(x, 3) for x in (passed.interval.low, passed.interval.high)),
    ) == ("wilson", 0.409, 0.929)
    assert (report.summary.errors, report.summary.undecided) == (("j",), ("i",))


def test_nothing_scored_has_no_rate_and_no_interval(made: Any) -> None:
    cases, rows = made.runs({"a": "u", "b": "e"})
    passed = made.report(made.suite(cases), rows).summary.passed
    assert _counts(passed) == (None, 2, 0, 1, 1)
    assert passed.interval is None


def test_a_report_without_trials_is_red_and_whole(made: Any) -> None:
    report = made.report(made.suite([made.case("a")]), [])
    assert (report.gate.verdict, report.gate.reasons) == ("red", ("no case was tried",))
    assert (report.summary.passed.value, report.summary.passed.attempted) == (None, 0)


def test_three_runs_of_sixty_are_sixty_cases(made: Any) -> None:
    outcomes = {f"c{n}": ("ppp" if n < 40 else "ppf" if n < 50 else "fff") for n in range(60)}
    cases, rows = made.runs(outcomes)
    report = made.report(made.suite(cases), rows)
    passed, spread = report.summary.passed, report.spread
    assert (pytest.approx((40 + 10 * 2 / 3) / 60), 60, 60, 0, 0) == _counts(passed)
    assert passed.interval is not None
    assert passed.interval.method == "clustered"
    assert passed.interval.high - passed.interval.low > 0.19
    assert spread is not None
    assert (pytest.approx(50 / 60), pytest.approx(50 / 60), pytest.approx(40 / 60)) == spread.pass_rates
    assert pytest.approx(140 / 180) == spread.mean
    assert pytest.approx(0.0962, abs=1e-4) == spread.standard_deviation
    assert tuple(f"c{n}" for n in range(40, 50)) == spread.flips
    assert pytest.approx(50 / 60) == spread.pass_at["pass@3"]
    assert pytest.approx(40 / 60) == spread.pass_at["pass^3"]
    assert pytest.approx((40 + 10 / 3) / 60) == spread.pass_at["pass^2"]


def test_a_single_run_has_no_spread(made: Any) -> None:
    cases, rows = made.runs({"a": "p", "b": "f"})
    assert made.report(made.suite(cases), rows).spread is None


def test_a_case_is_scored_by_the_runs_that_were(made: Any) -> None:
    cases, rows = made.runs({"a": "pu", "b": "eu", "c": "fe", "d": "ee"})
    report = made.report(made.suite(cases), rows)
    assert _counts(report.summary.passed) == (0.5, 4, 2, 0, 2)
    assert report.summary.errors == ("b", "c", "d")


def test_a_trial_given_twice_counts_once(made: Any) -> None:
    case = made.case("a")
    rows = [made.trial(case, "f"), made.trial(case, "p"), made.trial(made.case("stranger"), "f")]
    report = made.report(made.suite([case]), rows)
    assert _counts(report.summary.passed) == (1.0, 1, 1, 0, 0)
    assert [(row.case_id, row.outcome) for row in report.rows] == [("a", "passed")]


def test_linked_cases_widen_the_interval(made: Any) -> None:
    letters = "p" * 48 + "f" * 12
    ids = [f"c{n}" for n in range(60)]
    links = {case: tuple(o for o in ids[n // 3 * 3 : n // 3 * 3 + 3] if o != case) for n, case in enumerate(ids)}
    cases = [made.case(case, links=links[case]) for case in ids]
    rows = [made.trial(case, letter) for case, letter in zip(cases, letters, strict=True)]
    linked = made.report(made.suite(cases), rows).summary.passed.interval
    single = made.report(made.suite([made.case(case) for case in ids]), rows).summary.passed.interval
    assert (linked.method, single.method) == ("clustered", "wilson")
    assert linked.high - linked.low > 1.6 * (single.high - single.low)


def test_one_cluster_has_a_rate_and_no_interval(made: Any) -> None:
    cases = [made.case("a", links=("b",)), made.case("b", links=("a",))]
    passed = made.report(made.suite(cases), [made.trial(cases[0], "p"), made.trial(cases[1], "f")]).summary.passed
    assert (passed.value, passed.interval) == (0.5, None)


def test_cases_that_share_a_link_to_a_case_left_out_are_linked(made: Any) -> None:
    cases = [made.case("a", links=("gone",)), made.case("b", links=("gone",)), made.case("c")]
    interval = made.report(made.suite(cases), [made.trial(case, "p") for case in cases]).summary.passed.interval
    assert interval.method == "clustered"


def test_a_check_is_scored_over_the_cases_that_carry_it(made: Any) -> None:
    both = [made.case(f"b{n}", [("pii", None), ("judge", None)]) for n in range(3)]
    one = [made.case("o", [("pii", None)])]
    letters = ["pp", "pu", "e"]
    rows = [made.trial(case, given) for case, given in zip(both, letters, strict=True)] + [made.trial(one[0], "f")]
    by_check = made.report(made.suite(both + one), rows).summary.by_check
    assert (pytest.approx(2 / 3), 4, 3, 0, 1) == _counts(by_check["pii"])
    assert _counts(by_check["judge"]) == (1.0, 3, 1, 1, 1)


def test_a_check_that_stands_twice_in_a_case_passes_where_both_do(made: Any) -> None:
    cases = [made.case(f"c{n}", [("has", None), ("has", None)]) for n in range(4)]
    rows = [made.trial(case, given) for case, given in zip(cases, ["pp", "pf", "fu", "pu"], strict=True)]
    assert (pytest.approx(1 / 3), 4, 3, 1, 0) == _counts(made.report(made.suite(cases), rows).summary.by_check["has"])


def test_a_check_without_a_verdict_is_unscored(made: Any) -> None:
    case = made.case("a", [("asked", None), ("forgotten", None)])
    row = made.trial(case, "pp").model_copy(update={"checks": (_result("pass").model_copy(update={"check": "asked"}),)})
    by_check = made.report(made.suite([case]), [row]).summary.by_check
    assert _counts(by_check["forgotten"]) == (None, 1, 0, 1, 0)


def test_slices_are_of_country_and_topic_tags_severity_and_facts(made: Any) -> None:
    facts = [
        {"country": c, "topic": t, "verified": v}
        for c, t, v in product(("AE", "GB"), ("returns", "orders"), (True, False))
    ]
    cases = [
        made.case(
            f"c{n}", facts={**given, "text": "x" * 81, "turns": [1], "n": n}, tags=("z", "z", "even")[: 3 - n % 2]
        )
        for n, given in enumerate(facts)
    ]
    rows = [made.trial(case, "p" if case.facts["country"] == "AE" else "f") for case in cases]
    slices = made.report(made.suite(cases, module="m"), rows).summary.by_slice
    assert sorted(slices) == ["country", "country/topic", "module", "n", "set", "severity", "tag", "topic", "verified"]
    assert {name: rate.value for name, rate in slices["country/topic"].items()} == {
        "AE/orders": 1.0,
        "AE/returns": 1.0,
        "GB/orders": 0.0,
        "GB/returns": 0.0,
    }
    assert _counts(slices["tag"]["z"]) == (0.5, 8, 8, 0, 0)
    assert _counts(slices["verified"]["true"]) == (0.5, 4, 4, 0, 0)
    assert list(slices["module"]) == ["m"]


def test_a_fact_with_more_than_60_values_is_no_axis(made: Any) -> None:
    cases = [made.case(f"c{n}", facts={"order": f"A-{n}", "shop": n % 60}) for n in range(61)]
    slices = made.report(made.suite(cases), [made.trial(case, "p") for case in cases]).summary.by_slice
    assert ("shop" in slices, "order" in slices) == (True, False)


def test_a_case_names_its_own_module(made: Any) -> None:
    cases = [
        made.case("a", turns=(Turn({"module": "rag"}, ()),)),
        made.case("b", facts={"module": "triage"}),
        made.case("c"),
    ]
    slices = made.report(made.suite(cases, module="all"), [made.trial(cases[2], "p")]).summary.by_slice
    assert list(slices["module"]) == ["all"]
    rows = [made.trial(cases[1], "p")]
    assert list(made.report(made.suite(cases, module="all"), rows).summary.by_slice["module"]) == ["triage"]


def test_latencies_are_by_nearest_rank_over_the_answers(made: Any) -> None:
    cases = [made.case(f"c{n}") for n in range(21)]
    rows = [made.trial(case, "p", latency_ms=float(n + 1), input_tokens=n) for n, case in enumerate(cases[:20])]
    report = made.report(made.suite(cases), [*rows, made.trial(cases[20], "e")])
    assert (report.summary.p50_latency_ms, report.summary.p95_latency_ms, report.latency_p95_ms) == (10.0, 19.0, 19.0)
    assert (report.summary.mean_tokens, report.summary.total_tokens) == (9.5, 190)


def test_latencies_that_nobody_said_are_none(made: Any) -> None:
    cases, rows = made.runs({"a": "p"})
    summary = made.report(made.suite(cases), rows).summary
    assert (
        summary.p50_latency_ms,
        summary.p95_latency_ms,
        summary.mean_tokens,
        summary.total_tokens,
    ) == (None, None, None, 0)


def test_rejections_are_counted_in_cases(made: Any) -> None:
    cases = [made.case("a"), made.case("b")]
    rows = [made.trial(case, "p", epoch, validator_rejected=case is cases[0]) for case in cases for epoch in (1, 2)]
    assert made.report(made.suite(cases), rows).validator_rejections == 1


def test_a_blocking_case_without_an_answer_is_a_blocking_failure_and_one_not_scored_is_undecided(made: Any) -> None:
    cases, rows = made.runs({"a": "f", "b": "e", "c": "u", "d": "p"}, blocking=True)
    report = made.report(made.suite(cases), rows)
    assert (report.summary.blocking_failures, report.summary.blocking_undecided) == (("a", "b"), ("c",))
    assert report.gate.reasons == (
        "blocking cases that failed: 1 (a)",
        "blocking cases that met an error: 1 (b)",
        "undecided blocking cases: 1 (c)",
        "cases that met an error, over 5 % of all: 1 (b)",
        "cases that could not be scored, over 5 % of all: 1 (c)",
    )


def test_cases_wait_for_people_until_they_are_rated(made: Any) -> None:
    rated = Check("answer", RatedByPeople("does it help?"))
    cases = [
        Case("a", (Turn("q", (rated,)),), made.case("x").place, "s"),
        made.case("b", auto_scoreable=False),
        made.case("c"),
    ]
    rows = [made.trial(case, "u") for case in cases]
    assert made.report(made.suite(cases), rows).summary.for_people == ("a", "b")
    rows[0] = made.trial(cases[0], "p")
    assert made.report(made.suite(cases), rows).summary.for_people == ("b",)


def test_a_report_carries_what_document_4_has_at_its_head(made: Any) -> None:
    report = made.barred("p" * 240, case={"tags": ("bengali",)}, context={"prompt_version": "v3"})
    assert (
        report.set,
        report.model,
        report.prompt_version,
        report.size,
        report.tags,
    ) == ("s", "m1", "v3", 240, {"bengali": 1.0})
    assert report == Report.model_validate_json(report.model_dump_json())
    assert len(report.case_digests) == 240


OUTCOMES = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=2), st.text("pfue", min_size=2, max_size=2), min_size=1
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(outcomes=OUTCOMES)
def test_counts_add_up_and_intervals_hold_their_rate(made: Any, outcomes: dict[str, str]) -> None:
    cases, rows = made.runs(outcomes)
    report = made.report(made.suite(cases), rows)
    for rate in (report.summary.passed, *report.summary.by_check.values()):
        assert rate.attempted == rate.scored + rate.unscored + rate.errored
        if rate.interval is not None:
            assert rate.interval.low - 1e-9 <= rate.value <= rate.interval.high + 1e-9
