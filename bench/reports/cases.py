"""What the page's case browser holds of a report, or of two: a case once, with its trials, as plain data."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from evalspec.bench.report import Report
from evalspec.bench.results import CheckResult, TargetResult, TrialScore
from evalspec.bench.row_values import case_values
from evalspec.bench.slices import fact_axes, named_module, slices_of

Came = Literal["passed", "failed", "error", "undecided"]
Change = Literal["newly failing", "newly passing", "otherwise", "the same", "only here", "case changed"]

MOSTLY = 0.5
LONGEST = 20_000
"""Characters of one text on the page; the JSON report has it whole."""
_VERDICTS = {"pass": 1, "fail": 0, "unscored": 2}


def by_case(report: Report) -> dict[str, list[TrialScore]]:
    """The trials of each case, in the order of the report."""
    cases: dict[str, list[TrialScore]] = {}
    for row in report.rows:
        cases.setdefault(row.case_id, []).append(row)
    return cases


def came(trials: Sequence[TrialScore]) -> Came:
    """What came of a case over its runs: the worst of them."""
    outcomes = {row.outcome for row in trials}
    worst: tuple[Came, ...] = ("failed", "error", "undecided")
    return next((outcome for outcome in worst if outcome in outcomes), "passed")


def changes(report: Report, base: Report) -> dict[str, Change]:
    """How each case of a report came out beside the base run, as `compare` counts it.

    Newly failing is what passed in most of its scored runs and does no more. A case of another content is not compared.
    """
    ours, theirs = case_values(base.rows), case_values(report.rows)
    before = by_case(base)
    out: dict[str, Change] = {}
    for name, trials in by_case(report).items():
        if name not in before:
            out[name] = "only here"
        elif report.case_digests.get(name) != base.case_digests.get(name):
            out[name] = "case changed"
        elif name in ours and name in theirs and (ours[name] > MOSTLY) != (theirs[name] > MOSTLY):
            out[name] = "newly passing" if theirs[name] > MOSTLY else "newly failing"
        else:
            out[name] = "the same" if came(before[name]) == came(trials) else "otherwise"
    return out


def plain(report: Report, base: Report | None) -> dict[str, Any]:
    """The data of the page: `slices` as [axis, value], and `cases` that name theirs by number."""
    slices = {pair: at for at, pair in enumerate((a, v) for a, of in report.summary.by_slice.items() for v in of)}
    axes = fact_axes(row.facts for row in report.rows)
    moved = changes(report, base) if base else {}
    before = by_case(base) if base else {}
    cases = []
    for name, trials in by_case(report).items():
        first = trials[0]
        module = named_module(first.facts, first.inputs[0] if first.inputs else None) or report.module
        case = {
            "id": name,
            "came": came(trials),
            "severity": first.severity,
            "blocking": first.blocking,
            "tags": first.tags,
            "facts": first.facts,
            "links": first.links,
            "inputs": first.inputs,
            "slices": [slices[pair] for pair in slices_of(first, axes, module) if pair in slices],
            "trials": [_trial(row) for row in trials],
        }
        if base:
            case |= {"change": moved[name], "base": [_trial(row) for row in before.get(name, [])]}
        cases.append(case)
    return {"slices": [list(pair) for pair in slices], "cases": _bounded(cases)}


def _trial(row: TrialScore) -> dict[str, Any]:
    out = {
        "run": row.epoch,
        "outcome": row.outcome,
        "error": row.error,
        "ms": row.latency_ms,
        "tokens": row.tokens,
        "rejected": row.validator_rejected or None,
        "checks": [_check(check) for check in row.checks],
        "results": [_result(result) for result in row.results],
    }
    return {name: value for name, value in out.items() if value is not None}


def _check(check: CheckResult) -> list[Any]:
    return [check.check, check.turn, _VERDICTS[check.verdict], check.reason, check.metric, check.score, check.judged]


def _result(result: TargetResult) -> dict[str, Any]:
    return {name: value for name, value in result.model_dump().items() if value is not None and value not in ("", ())}


def _bounded(value: Any) -> Any:
    """The data with its texts cut at LONGEST, and without numbers that JSON cannot hold."""
    match value:
        case str():
            left = len(value) - LONGEST
            return value if left <= 0 else f"{value[:LONGEST]}… ({left:,} characters more in the JSON report)"
        case float():
            return value if math.isfinite(value) else str(value)
        case Mapping():
            return {str(name): _bounded(item) for name, item in value.items()}
        case list() | tuple():
            return [_bounded(item) for item in value]
    return value
