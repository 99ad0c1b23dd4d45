"""The report of a run: one JSON document that the gate, the comparisons and the pages read.

Its head has the keys of document 4 (`set`, `module`, `model`, `prompt_version`, `size`, `metrics`, `latency_p95_ms`,
`validator_rejections`, `tags`), `summary` those of document 3.
"""

from typing import Any, Literal

from evalspec.bench.results import TrialScore
from evalspec.spec.model import Model

BarVerdict = Literal["met", "missed", "undecided"]
FORMAT = 1


class Interval(Model):
    """A 95 % interval of a rate, and how it was made."""

    low: float
    high: float
    method: Literal["wilson", "clustered"]


class Rate(Model):
    """A rate and what it is a rate of: cases, not trials. `value` is None where nothing was scored."""

    value: float | None
    attempted: int
    scored: int
    unscored: int
    errored: int
    interval: Interval | None = None


class MetricScore(Rate):
    """A metric beside its bar. `pass` is the alias in files, as in document 4."""

    bar: float | None = None
    direction: Literal["at_least", "at_most"] | None = None
    signed_by: str = ""
    verdict: BarVerdict | None = None
    separated: bool | None = None
    """Whether the interval lies on one side of the bar; None without an interval or a bar."""
    reason: str = ""
    counts: Literal["passes", "failures"] = "passes"
    """Whether the value is the share of cases that passed, or of those that failed."""


class Settings(Model):
    """The settings of a run; those of document 4's reproducibility list are `seed` to `max_tokens`."""

    seed: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    runs: int = 1
    concurrency: int = 1
    max_cases: int | None = None
    filters: tuple[str, ...] = ()


class Spread(Model):
    """How much the runs of one report differ: the pass rate of each, and the cases that came out both ways."""

    pass_rates: tuple[float | None, ...]
    mean: float | None
    standard_deviation: float | None
    flips: tuple[str, ...]
    pass_at: dict[str, float | None] = {}
    """pass@k and pass^k, as `pass@3` and `pass^3`, averaged over cases; None where k is over the number of runs."""


class Summary(Model):
    """As document 3 has it, with counts and intervals."""

    n: int
    passed: Rate
    by_check: dict[str, Rate]
    by_slice: dict[str, dict[str, Rate]]
    """Axis (`country/topic`, `tag`, `severity`, `set`, `dimension`, ...) to value to rate."""
    blocking_failures: tuple[str, ...]
    """Blocking cases that failed or met an error, as document 3 counts them."""
    blocking_undecided: tuple[str, ...]
    critical_failures: tuple[str, ...]
    major_failures: tuple[str, ...]
    errors: tuple[str, ...]
    p50_latency_ms: float | None
    p95_latency_ms: float | None
    mean_tokens: float | None
    total_tokens: int
    judge_tokens: int = 0
    for_people: tuple[str, ...] = ()
    """Cases that wait for the ratings of people."""
    undecided: tuple[str, ...] = ()
    """Cases that did not fail, and of which a run was not scored."""


class Gate(Model):
    """What the run comes to: `green`, `red` with its reasons, or `draft` (never green; red only where nothing ran)."""

    verdict: Literal["green", "red", "draft"]
    reasons: tuple[str, ...]
    ci: bool
    notes: tuple[str, ...] = ()
    """What does not decide the verdict and should be known beside it: a metric not separated from its bar."""


class Report(Model):
    """Everything that a run found."""

    format: int = FORMAT
    set: str
    module: str | None
    model: str | None
    """The model under test, or the name of the target."""
    prompt_version: str | None
    size: int
    metrics: dict[str, MetricScore]
    latency_p95_ms: float | None
    latency_bar_ms: float | None
    validator_rejections: int
    tags: dict[str, float | None]
    draft: tuple[str, ...]
    gate: Gate
    settings: Settings
    suite_digest: str
    case_digests: dict[str, str]
    """Case id to the digest of its content: what `compare` pairs by."""
    target: dict[str, Any]
    """Kind, digest and what may be shown of the target; never a key."""
    judge: dict[str, Any] | None
    """Provider, model, parameters and prompt digest of the judge; None where none was asked."""
    evalspec_version: str
    at: str
    """When the run ended, UTC, ISO 8601."""
    kept: int = 0
    """Trials whose answers are of an earlier run: they may be of another state of what stands behind the address."""
    spread: Spread | None
    summary: Summary
    extra: dict[str, Any] = {}
    """Figures of a release only: flip rates, coherence of pairs, agreement of triples, robustness."""
    rows: tuple[TrialScore, ...]
