"""Comparing two reports: what is paired, what is refused, and what is said of the difference."""

from typing import Any

import pytest

from evalspec.bench import stats
from evalspec.bench.comparing import CompareOptions, compare
from evalspec.bench.comparison import Comparison
from evalspec.bench.report import Report
from evalspec.bench.suite import Metric

JUDGE = {"judges": ["m1"], "votes": 1, "prompt": "v1", "prompt_digest": "aa", "digest": "xx"}


def _pair(made: Any, base: str, candidate: str, **more: Any) -> tuple[Report, Report]:
    """Two reports of single runs of one suite, a letter a case."""
    cases = [made.case(f"c{n}", **more) for n in range(len(base))]
    suite = made.suite(cases)
    return tuple(
        made.report(suite, [made.trial(case, letter) for case, letter in zip(cases, letters, strict=True)], model=model)
        for letters, model in ((base, "old"), (candidate, "new"))
    )


def _compared(base: Report, candidate: Report, **options: Any) -> Comparison:
    found = compare(base, candidate, CompareOptions(**options))
    assert isinstance(found, Comparison), found
    return found


def _codes(base: Report, candidate: Report, **options: Any) -> list[str]:
    found = compare(base, candidate, CompareOptions(**options))
    assert not isinstance(found, Comparison)
    return [diagnostic.code for diagnostic in found]


def test_single_runs_are_paired_by_case(made: Any) -> None:
    base = "p" * 165 + "p" * 10 + "f" * 25
    candidate = "p" * 165 + "f" * 10 + "p" * 25
    found = _compared(*_pair(made, base, candidate))
    assert (
        found.cases,
        found.overall.base,
        found.overall.candidate,
        found.overall.difference,
    ) == (200, 0.875, 0.95, 0.075)
    assert found.mcnemar is not None
    assert (10, 25, stats.mcnemar(10, 25)) == (found.mcnemar.worse, found.mcnemar.better, found.mcnemar.p)
    assert tuple(f"c{n}" for n in range(165, 175)) == found.newly_failing
    assert tuple(f"c{n}" for n in range(175, 200)) == found.newly_passing
    interval = found.overall.interval
    assert interval is not None
    assert (interval.method, 0.0 < interval.low < 0.075 < interval.high) == ("bootstrap", True)
    assert (found.verdict, found.margin, found.seed) == ("non-inferior", 0.02, 42)
    assert pytest.approx(0.0824, abs=1e-4) == found.smallest_detectable


def test_the_same_comparison_comes_out_the_same(made: Any) -> None:
    pair = _pair(made, "ppppffpp" * 5, "ppfpffpp" * 5)
    assert _compared(*pair) == _compared(*pair)
    assert _compared(*pair, seed=1).overall.difference == _compared(*pair).overall.difference


@pytest.mark.parametrize(
    ("base", "candidate", "margin", "verdict"),
    [
        ("p" * 500, "p" * 500, 0.02, "non-inferior"),
        ("p" * 60, "p" * 60, 0.02, "undecided"),
        ("p" * 200, "p" * 180 + "f" * 20, 0.02, "inferior"),
        ("p" * 200, "p" * 197 + "f" * 3, 0.02, "undecided"),
        ("p" * 200, "p" * 197 + "f" * 3, 0.1, "non-inferior"),
    ],
)
def test_a_candidate_is_non_inferior_where_the_whole_interval_keeps_the_margin(
    made: Any, base: str, candidate: str, margin: float, verdict: str
) -> None:
    assert verdict == _compared(*_pair(made, base, candidate), margin=margin).verdict


def test_two_reports_without_a_difference_have_the_interval_of_their_number(made: Any) -> None:
    found = _compared(*_pair(made, "p" * 60, "p" * 60))
    none = stats.wilson(0, 60)
    assert found.overall.interval is not None
    assert none is not None
    assert ("score", pytest.approx(-none.high)) == (found.overall.interval.method, found.overall.interval.low)
    assert (found.mcnemar and found.mcnemar.p) == 1.0


def test_cases_not_scored_in_both_are_left_out_and_open_the_verdict(made: Any) -> None:
    found = _compared(*_pair(made, "p" * 470 + "u" * 10 + "p" * 20, "p" * 480 + "e" * 20))
    assert (found.cases, len(found.left_out.unscored_base), len(found.left_out.unscored_candidate)) == (470, 10, 20)
    assert (found.verdict, found.reason) == ("undecided", "30 of 500 cases were not scored in both")


def test_runs_are_compared_by_the_mean_of_each_case(made: Any) -> None:
    cases, base_rows = made.runs({f"c{n}": "ppp" if n % 2 else "ppf" for n in range(40)})
    _, rows = made.runs({f"c{n}": "fff" if n == 0 else "ppp" for n in range(40)})
    suite = made.suite(cases)
    found = _compared(made.report(suite, base_rows), made.report(suite, rows, model="new"))
    assert (40, pytest.approx(50 / 60), pytest.approx(39 / 40)) == (
        found.cases,
        found.overall.base,
        found.overall.candidate,
    )
    assert found.mcnemar is None
    assert (found.newly_failing, found.newly_passing) == (("c0",), ())
    assert found.smallest_detectable is not None


def test_other_numbers_of_runs_are_noted(made: Any) -> None:
    cases, base_rows = made.runs({"a": "p", "b": "f"})
    _, rows = made.runs({"a": "ppp", "b": "ppf"})
    suite = made.suite(cases)
    found = _compared(made.report(suite, base_rows), made.report(suite, rows, model="new"))
    assert "1 runs are compared with 3, by the mean of each case" in found.notes
    assert found.mcnemar is None


def test_linked_cases_are_drawn_together(made: Any) -> None:
    ids = [f"c{n}" for n in range(90)]
    links = {case: tuple(o for o in ids[n // 3 * 3 : n // 3 * 3 + 3] if o != case) for n, case in enumerate(ids)}
    cases = [made.case(case, links=links[case]) for case in ids]
    letters = ("p" * 90, "f" * 9 + "p" * 81)
    rows = [[made.trial(case, letter) for case, letter in zip(cases, given, strict=True)] for given in letters]
    linked = _compared(*(made.report(made.suite(cases), given) for given in rows))
    single = _compared(*_pair(made, *letters))
    assert linked.overall.interval is not None
    assert single.overall.interval is not None
    assert linked.overall.interval.high - linked.overall.interval.low > 1.5 * (
        single.overall.interval.high - single.overall.interval.low
    )
    assert any("linked" in note for note in linked.notes)


def test_checks_metrics_and_slices_have_their_own_differences(made: Any) -> None:
    cases = [
        made.case(f"c{n}", [("pii", "leaks"), ("judge", None)], tags=("ur" if n < 10 else "en",)) for n in range(20)
    ]
    base = [made.trial(case, "pp") for case in cases]
    candidate = [made.trial(case, "fp" if n < 5 else "pu" if n < 6 else "pp") for n, case in enumerate(cases)]
    suite = made.suite(cases, metrics=(Metric("leaks", "failures"),))
    found = _compared(made.report(suite, base), made.report(suite, candidate, model="new"))
    assert (found.by_check["pii"].cases, found.by_check["pii"].difference) == (20, -0.25)
    assert (found.by_check["judge"].cases, found.by_check["judge"].difference) == (19, 0.0)
    assert (
        found.by_metric["leaks"].base,
        found.by_metric["leaks"].candidate,
        found.by_metric["leaks"].difference,
    ) == (0.0, 0.25, 0.25)
    assert (found.by_metric["leaks"].direction, found.by_metric["leaks"].worse) == ("at_most", True)
    assert (found.by_check["pii"].direction, found.by_check["pii"].worse) == ("at_least", True)
    tags = found.by_slice["tag"]
    assert (9, pytest.approx(-5 / 9), 10, 0.0) == (
        tags["ur"].cases,
        tags["ur"].difference,
        tags["en"].cases,
        tags["en"].difference,
    )


def test_newly_failing_blocking_cases_stand_out(made: Any) -> None:
    cases = [made.case("a", blocking=True), made.case("b", severity="critical"), made.case("c")]
    suite = made.suite(cases)
    base, candidate = (made.report(suite, [made.trial(case, letter) for case in cases]) for letter in "pf")
    assert _compared(base, candidate).newly_failing_blocking == ("a", "b")


def test_a_report_compared_with_itself_says_that_it_is_chance(made: Any) -> None:
    base, _ = _pair(made, "pf" * 10, "pf" * 10)
    found = _compared(base, base)
    said = "both reports name the same target, model and prompt version: unless its code changed, it is chance"
    assert found.notes == (said,)


def test_reports_that_were_judged_otherwise_do_not_differ_by_chance(made: Any) -> None:
    base, _ = _pair(made, "pf" * 10, "pf" * 10)
    other = base.model_copy(update={"judge": {"judges": ["m2"], "prompt_digest": "b"}})
    assert _compared(base, other, allow=("judge", "judge_prompt")).notes == ()


@pytest.mark.parametrize(
    ("name", "code", "change"),
    [
        ("suite", "ES760", {"suite_digest": "other"}),
        ("suite", "ES760", {"set": "other"}),
        ("judge", "ES761", {"judge": {**JUDGE, "judges": ["m2"], "digest": "yy"}}),
        ("judge_prompt", "ES762", {"judge": {**JUDGE, "prompt_digest": "bb", "digest": "zz"}}),
        ("settings", "ES763", {"settings": {"temperature": 0.7}}),
    ],
)
def test_what_was_asked_differently_is_refused_or_listed(
    made: Any, name: str, code: str, change: dict[str, Any]
) -> None:
    base, candidate = (report.model_copy(update={"judge": JUDGE}) for report in _pair(made, "pppf", "ppff"))
    if "settings" in change:
        change = {"settings": candidate.settings.model_copy(update=change["settings"])}
    candidate = candidate.model_copy(update=change)
    assert [code] == _codes(base, candidate)
    assert [name] == [difference.what for difference in _compared(base, candidate, allow=(name,)).allowed]


def test_a_judge_in_one_report_alone_is_refused(made: Any) -> None:
    base, candidate = _pair(made, "pp", "pp")
    judged = candidate.model_copy(update={"judge": JUDGE})
    assert _codes(base, judged) == ["ES761", "ES762"]
    found = compare(base, judged, CompareOptions())
    assert not isinstance(found, Comparison)
    assert found[0].message == "the two reports were judged by different judges: none in the base, one in the candidate"


def test_a_refusal_names_both_values_and_how_to_allow_it(made: Any) -> None:
    base, candidate = _pair(made, "pp", "pp")
    settings = candidate.settings.model_copy(update={"temperature": 0.7})
    found = compare(base, candidate.model_copy(update={"settings": settings}), CompareOptions())
    assert not isinstance(found, Comparison)
    assert found[0].message == "the two reports were made with different settings: temperature 0.0 and 0.7"
    assert "--allow settings" in found[0].hint


def test_the_number_of_places_is_no_setting(made: Any) -> None:
    base, candidate = _pair(made, "pp", "pp")
    settings = candidate.settings.model_copy(update={"concurrency": 64})
    assert _compared(base, candidate.model_copy(update={"settings": settings})).allowed == ()


def test_cases_of_one_side_and_changed_ones_are_listed_and_left_out(made: Any) -> None:
    kept, old, new = made.case("kept"), made.case("old"), made.case("new")
    before, after = made.case("moved", [("a", None)]), made.case("moved", [("b", None)])
    reports = [
        made.report(made.suite(cases, digest=digest), [made.trial(case, "p") for case in cases])
        for cases, digest in (([kept, old, before], "1"), ([kept, new, after], "2"))
    ]
    assert _codes(*reports) == ["ES760"]
    found = _compared(*reports, allow=("suite",))
    assert (
        found.cases,
        found.left_out.only_base,
        found.left_out.only_candidate,
        found.left_out.changed,
    ) == (1, ("old",), ("new",), ("moved",))
    assert found.by_slice["set"]["s"].cases == 1


def test_reports_without_a_case_in_common_are_refused(made: Any) -> None:
    base = made.report(made.suite([made.case("a")]), [made.trial(made.case("a"), "p")])
    candidate = made.report(made.suite([made.case("b")]), [made.trial(made.case("b"), "p")])
    assert _codes(base, candidate) == ["ES764"]


@pytest.mark.parametrize("options", [{"margin": 2.0}, {"margin": 0.0}, {"allow": ("judges",)}, {"resamples": 0}])
def test_options_that_make_no_sense_are_refused(made: Any, options: dict[str, Any]) -> None:
    assert _codes(*_pair(made, "pp", "pp"), **options) == ["ES765"]


def test_two_temperatures_give_the_flip_rate_between_them(made: Any) -> None:
    cases = [made.case(f"c{n}", facts={"subdimension": "temperature_sensitivity"}) for n in range(10)]
    suite = made.suite(cases, format="release")
    cool = made.report(suite, [made.trial(case, "p") for case in cases])
    rows = [made.trial(case, "f" if n < 3 else "p") for n, case in enumerate(cases)]
    warm = made.report(suite, rows, settings={"temperature": 0.7})
    figure = _compared(cool, warm, allow=("settings",)).extra["temperature_sensitivity"]
    assert (figure["value"], figure["n"]) == (0.3, 10)
    assert _compared(cool, cool).extra == {}


def test_a_comparison_is_a_document(made: Any) -> None:
    found = _compared(*_pair(made, "ppff", "pfpf"))
    assert found == Comparison.model_validate_json(found.model_dump_json())
