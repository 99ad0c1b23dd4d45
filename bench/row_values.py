"""The values of a report's cases, from its rows: what two reports are paired by."""

from collections.abc import Callable, Sequence

from evalspec.bench.results import CheckResult, TrialScore

Values = dict[str, dict[str, float]]
"""Name of a check or metric to case to the share of its scored runs that passed; only cases that were scored."""


def case_values(rows: Sequence[TrialScore]) -> dict[str, float]:
    """The share of its scored runs that each case passed; only cases that were scored."""
    return _means([(row.case_id, row.outcome == "passed") for row in rows if row.outcome in ("passed", "failed")])


def check_values(rows: Sequence[TrialScore]) -> Values:
    """The values of the checks by name."""
    return _values(rows, lambda check: check.check)


def metric_values(rows: Sequence[TrialScore]) -> Values:
    """The values of the metrics by name: a run passes where all of its checks of the metric do."""
    return _values(rows, lambda check: check.metric)


def _values(rows: Sequence[TrialScore], named: Callable[[CheckResult], str | None]) -> Values:
    found: dict[str, list[tuple[str, bool]]] = {}
    for row in rows:
        if row.outcome == "error":
            continue
        verdicts: dict[str, set[str]] = {}
        for check in row.checks:
            if (name := named(check)) is not None:
                verdicts.setdefault(name, set()).add(check.verdict)
        for name, said in verdicts.items():
            if "fail" in said or said == {"pass"}:
                found.setdefault(name, []).append((row.case_id, "fail" not in said))
    return {name: _means(outcomes) for name, outcomes in found.items()}


def _means(outcomes: Sequence[tuple[str, bool]]) -> dict[str, float]:
    runs: dict[str, list[bool]] = {}
    for case_id, passed in outcomes:
        runs.setdefault(case_id, []).append(passed)
    return {case_id: sum(values) / len(values) for case_id, values in runs.items()}
