"""The gate: green, red with its reasons, or draft, from what a run was found to come to."""

from collections.abc import Sequence

from evalspec.bench.bars import SLACK
from evalspec.bench.report import Gate, MetricScore, Report, Settings, Summary
from evalspec.bench.suite import FULL_SET, Suite
from evalspec.bench.tally import Figures
from evalspec.spec.dataclass import dataclass

SETTINGS = ("seed", "temperature", "top_p", "max_tokens")
"""The settings that decide whether a figure can be made again."""
MOST_UNKNOWN = 0.05
"""The share of the cases of which a run may not know how they come out, and be green."""
NAMED = 5
"""So many case ids stand in a reason; the report has them all."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the gate looks at."""

    suite: Suite
    metrics: dict[str, MetricScore]
    summary: Summary
    figures: Figures
    draft: tuple[str, ...]
    """Why the run can be no result, whatever it found."""
    missing: tuple[str, ...]
    """Cases without a trial in one of the runs."""
    ci: bool


def gate(standing: Standing) -> Gate:
    """The verdict on a run.

    Red: nothing was answered or scored, cases without a trial, a blocking or critical case that failed, a blocking
    case undecided, a blocking or critical one that met an error, a bar missed, over 5 % of the cases met by an error
    or not scored; under `ci` also a bar or critical case undecided, and a major case failed. Draft, and so never green:
    a draft suite or run, or a bar undecided without `ci`. A draft is red only where nothing was answered.
    """
    failed = _nothing(standing)
    if failed:
        return Gate(verdict="red", reasons=failed, ci=standing.ci, notes=_notes(standing))
    failed = (*_cases(standing), *_bars(standing, "missed"), *_unknown(standing))
    undecided = _bars(standing, "undecided")
    if standing.ci:
        failed = (*failed, *undecided, *_strict(standing))
        undecided = ()
    if standing.draft:
        verdict, reasons = "draft", (*standing.draft, *failed, *undecided)
    elif failed:
        verdict, reasons = "red", (*failed, *undecided)
    else:
        verdict, reasons = ("draft" if undecided else "green"), undecided
    return Gate.model_validate({"verdict": verdict, "reasons": reasons, "ci": standing.ci, "notes": _notes(standing)})


def exit_of(report: Report) -> int:
    """0 for a green run and a draft, 1 for a red run, 2 for a draft under --ci, which takes none."""
    match report.gate.verdict:
        case "green":
            return 0
        case "draft":
            return 2 if report.gate.ci else 0
        case "red":
            return 1


def draft_reasons(suite: Suite, settings: Settings, required: Settings) -> tuple[str, ...]:
    """Why a run of this suite under these settings is a draft; empty where it may gate.

    Besides what the suite says of itself (a part of one says so). Size, signatures and settings matter to a suite that
    declares bars: a figure is cited beside a bar.
    """
    reasons = list(suite.draft)
    if suite.bars:
        reasons += _of_bars(suite)
        for name in SETTINGS:
            given, asked = getattr(settings, name), getattr(required, name)
            if asked is not None and given != asked:
                shown = "not set" if given is None else f"{given:g}"
                reasons.append(f"off the reproducibility settings: {name} is {shown}, not {asked:g}")
    return tuple(dict.fromkeys(reasons))


def _of_bars(suite: Suite) -> list[str]:
    """Faults of size and signature that the reader of the suite has not named."""
    said = " ".join(suite.draft)
    out = []
    if len(suite.cases) < FULL_SET and str(FULL_SET) not in said:
        out.append(f"{len(suite.cases)} cases are fewer than {FULL_SET}")
    return out + [
        f"nobody signed the bar of {bar.metric}"
        for bar in suite.bars
        if not bar.signed_by.strip() and bar.metric not in said
    ]


def _nothing(standing: Standing) -> tuple[str, ...]:
    passed = standing.summary.passed
    if not passed.attempted:
        return ("no case was tried",)
    if passed.errored == passed.attempted:
        return ("the target answered no case",)
    return ()


def _cases(standing: Standing) -> tuple[str, ...]:
    summary = standing.summary
    errors = set(summary.errors)
    critical = {case.case_id for case in standing.suite.cases if case.severity == "critical"}
    blocked = set(summary.blocking_failures)
    stopped = tuple(case for case in summary.errors if case in critical and case not in blocked)
    lists = (
        ("blocking cases that failed", tuple(case for case in summary.blocking_failures if case not in errors)),
        ("blocking cases that met an error", tuple(case for case in summary.blocking_failures if case in errors)),
        ("undecided blocking cases", summary.blocking_undecided),
        ("critical cases that failed", summary.critical_failures),
        ("critical cases that met an error", stopped),
        ("cases without a trial in every run", standing.missing),
    )
    reasons = tuple(named(what, cases) for what, cases in lists if cases)
    return reasons if summary.passed.scored or standing.suite.bars else (*reasons, "no case was scored")


def _bars(standing: Standing, verdict: str) -> tuple[str, ...]:
    metrics = [f"{name}: {score.reason}" for name, score in standing.metrics.items() if score.verdict == verdict]
    found = (latency_verdict(standing.suite, standing.figures), _rejections(standing))
    return (*metrics, *(reason for came_to, reason in found if came_to == verdict))


def latency_verdict(suite: Suite, figures: Figures) -> tuple[str, str]:
    """The verdict on the 95th percentile, which must be under the suite's limit, and why.

    Answers that did not say how long they took are counted at once and never, as unscored cases are for a metric.
    """
    limit = suite.latency_p95_ms
    if limit is None:
        return "met", ""
    least = figures.p95_least if figures.p95_least is not None else 0.0
    if figures.reported and least >= limit:
        return "missed", f"p95 latency of {figures.p95:.0f} ms is not under {limit:g} ms"
    if figures.p95_most is None or figures.p95_most >= limit:
        silent = figures.answered - figures.reported
        return "undecided", f"p95 latency: {silent} of {figures.answered} answers did not say how long they took"
    return "met", ""


def _rejections(standing: Standing) -> tuple[str, str]:
    limit, size = standing.suite.max_validator_rejections, standing.summary.passed.attempted
    rejected = standing.figures.rejected
    over = rejected / size >= limit - SLACK if size and rejected else False
    asked = standing.suite.bars or standing.suite.output_schema is not None
    if asked and over:
        return "missed", f"the validator rejected {rejected} of {size} cases, which is not under {limit:.4g} of them"
    return "met", ""


def _strict(standing: Standing) -> tuple[str, ...]:
    """What only --ci fails."""
    summary = standing.summary
    out = [named("major cases that failed", summary.major_failures)] if summary.major_failures else []
    if open_cases := _critical_open(standing):
        out.append(named("undecided critical cases", open_cases))
    return tuple(out)


def _unknown(standing: Standing) -> tuple[str, ...]:
    """Too many cases of which nobody knows how they come out; those that wait for people are listed, and no fault."""
    lists = (
        ("cases that met an error, over 5 % of all", standing.summary.errors),
        ("cases that could not be scored, over 5 % of all", _unscored(standing)),
    )
    return tuple(named(what, cases) for what, cases in lists if _too_many(standing, cases))


def _too_many(standing: Standing, cases: Sequence[str]) -> bool:
    return len(cases) > MOST_UNKNOWN * standing.summary.passed.attempted + SLACK


def _unscored(standing: Standing) -> tuple[str, ...]:
    waiting = set(standing.summary.for_people)
    return tuple(case for case in standing.summary.undecided if case not in waiting)


def _critical_open(standing: Standing) -> tuple[str, ...]:
    closed = {*standing.summary.errors, *standing.summary.blocking_undecided}
    critical = {case.case_id for case in standing.suite.cases if case.severity == "critical"}
    return tuple(case for case in standing.summary.undecided if case in critical and case not in closed)


def _notes(standing: Standing) -> tuple[str, ...]:
    summary = standing.summary
    met = ((name, score.reason) for name, score in standing.metrics.items() if score.verdict == "met")
    out = [f"{name}: {reason}" for name, reason in met if reason]
    out += [] if _gated(standing.suite) else ["no bar and no blocking or critical case: no pass rate fails this suite"]
    lists = (
        ("cases that met an error", () if _too_many(standing, summary.errors) else summary.errors),
        ("undecided cases", () if _too_many(standing, _unscored(standing)) else summary.undecided),
        ("cases that wait for people", summary.for_people),
        ("major cases that failed", () if standing.ci else summary.major_failures),
        ("undecided critical cases", () if standing.ci else _critical_open(standing)),
    )
    return (*out, *(named(what, cases) for what, cases in lists if cases))


def _gated(suite: Suite) -> bool:
    """Whether answers can fail the suite."""
    return bool(suite.bars) or any(case.blocking or case.severity == "critical" for case in suite.cases)


def named(what: str, cases: Sequence[str]) -> str:
    """How many cases, and the first of their ids: "blocking cases that failed: 2 (a, b)"."""
    more = f" and {len(cases) - NAMED} more" if len(cases) > NAMED else ""
    return f"{what}: {len(cases)} ({', '.join(cases[:NAMED])}{more})"
