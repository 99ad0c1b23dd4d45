"""The summary of a report: what document 3 of the brief lists, with counts, intervals and cases that need a look."""

from collections.abc import Callable, Sequence

from evalspec.bench.checks import RatedByPeople
from evalspec.bench.report import Rate, Summary
from evalspec.bench.results import TrialScore
from evalspec.bench.suite import Case, Suite
from evalspec.bench.tally import Counted, Tally


def summary_of(suite: Suite, rows: Sequence[TrialScore], counted: Tally, judge_tokens: int) -> Summary:
    """The summary of a run; a case counts as failed, errored or undecided where one of its runs was."""
    failed, errors, unscored = (
        {row.case_id for row in rows if row.outcome == outcome} for outcome in ("failed", "error", "undecided")
    )
    figures, barred = counted.figures, {bar.metric for bar in suite.bars}

    def listed(wanted: Callable[[Case], bool], among: set[str]) -> tuple[str, ...]:
        return tuple(case.case_id for case in suite.cases if case.case_id in among and wanted(case))

    return Summary(
        n=len(suite.cases),
        passed=counted.passed.rate,
        by_check=_rates(counted.checks),
        by_slice={axis: _rates(values) for axis, values in counted.slices.items()},
        blocking_failures=listed(lambda case: case.blocking, failed | errors),
        blocking_undecided=listed(lambda case: case.blocking, unscored - failed - errors),
        critical_failures=listed(lambda case: case.severity == "critical", failed),
        major_failures=listed(lambda case: _major(suite, case, barred), failed),
        errors=listed(lambda _: True, errors),
        p50_latency_ms=figures.p50,
        p95_latency_ms=figures.p95,
        mean_tokens=figures.mean_tokens,
        total_tokens=figures.total_tokens,
        judge_tokens=judge_tokens,
        for_people=listed(_for_people, unscored),
        undecided=listed(lambda _: True, unscored - failed),
    )


def _rates(counted: dict[str, Counted]) -> dict[str, Rate]:
    return {name: one.rate for name, one in counted.items()}


def _major(suite: Suite, case: Case, barred: set[str]) -> bool:
    """Whether the case is major by its author's word, and no bar judges it.

    Formats without severities say nothing by the default, and a bar says itself how much may fail.
    """
    if suite.format not in ("scenario", "native") or case.severity != "major":
        return False
    return not any(check.metric in barred for turn in case.turns for check in turn.checks)


def _for_people(case: Case) -> bool:
    rated = any(isinstance(check.spec, RatedByPeople) for turn in case.turns for check in turn.checks)
    return rated or not case.auto_scoreable
