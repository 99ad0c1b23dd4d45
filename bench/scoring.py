"""Scores a run: trials in, a report out with every rate beside its counts and its interval."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from evalspec.bench.bars import metric_scores
from evalspec.bench.digests import case_digest
from evalspec.bench.gating import Standing, draft_reasons, gate
from evalspec.bench.report import Report, Settings
from evalspec.bench.results import TrialScore
from evalspec.bench.suite import Suite
from evalspec.bench.summing import summary_of
from evalspec.bench.tally import counting, tally
from evalspec.bench.trial_scores import outcome_of, trial_score
from evalspec.spec.dataclass import dataclass

__all__ = ["REPRODUCIBLE", "Context", "Ground", "ground", "outcome_of", "score", "score_on", "trial_score"]

REPRODUCIBLE = Settings(seed=42, temperature=0.0, top_p=1.0, max_tokens=1024)
"""The settings that a figure must be made with to be cited, unless [bench] in evalspec.toml declares others."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a report says of its run besides the trials."""

    target: dict[str, Any]
    """Kind, digest and what may be shown of the target."""
    settings: Settings
    at: str
    """When the run ended, UTC, ISO 8601."""
    version: str
    """Of evalspec."""
    model: str | None = None
    prompt_version: str | None = None
    judge: dict[str, Any] | None = None
    judge_tokens: int = 0
    kept: int = 0
    """Trials that an earlier run had answered."""
    ci: bool = False
    required: Settings = field(default=REPRODUCIBLE)
    """What seed, temperature, top_p and max_tokens must be."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What scores stand on before any answer is there, so that it can be made while answers are waited for."""

    suite: Suite
    connection: Any
    """The database to count in, with the suite's own tables; good for one score."""
    digests: dict[str, str]
    """Of the cases, by id."""


@contextmanager
def ground(suite: Suite) -> Iterator[Ground]:
    """Make what the score of a suite stands on, and drop it at the end."""
    with counting(suite) as connection:
        yield Ground(suite, connection, {case.case_id: case_digest(case) for case in suite.cases})


def score(suite: Suite, trials: Sequence[TrialScore], context: Context) -> Report:
    """Score the trials of a suite, gate them, and report; see `score_on`."""
    with ground(suite) as made:
        return score_on(made, trials, context)


def score_on(made: Ground, trials: Sequence[TrialScore], context: Context) -> Report:
    """Score the trials of a suite on its ground, gate them, and report.

    Of two trials of one case and epoch the later counts; a trial of no case of the suite is left out.
    """
    suite = made.suite
    rows = _in_order(suite, trials)
    counted = tally(suite, rows, made.connection)
    summary = summary_of(suite, rows, counted, context.judge_tokens)
    metrics = metric_scores(suite.metrics, suite.bars, counted.metrics)
    draft = draft_reasons(suite, context.settings, context.required)
    missing = _missing(suite, rows, context.settings.runs)
    verdict = gate(Standing(suite, metrics, summary, counted.figures, draft, missing, context.ci))
    return Report(
        set=suite.name,
        module=suite.module,
        model=context.model,
        prompt_version=context.prompt_version,
        size=len(suite.cases),
        metrics=metrics,
        latency_p95_ms=counted.figures.p95,
        latency_bar_ms=suite.latency_p95_ms,
        validator_rejections=counted.figures.rejected,
        tags={tag: rate.rate.value for tag, rate in counted.slices.get("tag", {}).items()},
        draft=draft if draft or verdict.verdict != "draft" else verdict.reasons,
        gate=verdict,
        settings=context.settings,
        suite_digest=suite.digest,
        case_digests=made.digests,
        target=context.target,
        judge=context.judge,
        evalspec_version=context.version,
        at=context.at,
        kept=context.kept,
        spread=counted.spread,
        summary=summary,
        extra=_extra(suite, rows),
        rows=rows,
    )


def _extra(suite: Suite, rows: tuple[TrialScore, ...]) -> dict[str, Any]:
    """What only a release has: figures over its linked records."""
    if suite.format != "release":
        return {}
    from evalspec.bench.release_figures import release_figures

    return release_figures(suite, rows)


def _in_order(suite: Suite, trials: Sequence[TrialScore]) -> tuple[TrialScore, ...]:
    places = {case.case_id: number for number, case in enumerate(suite.cases)}
    kept = {(places[trial.case_id], trial.epoch): trial for trial in trials if trial.case_id in places}
    return tuple(kept[key] for key in sorted(kept))


def _missing(suite: Suite, rows: Sequence[TrialScore], runs: int) -> tuple[str, ...]:
    tried = Counter(row.case_id for row in rows)
    return tuple(case.case_id for case in suite.cases if tried[case.case_id] < runs)
