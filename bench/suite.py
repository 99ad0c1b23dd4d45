"""What a suite asks: cases of one or more turns, the checks on each turn, bars over metrics, and the place of each."""

from dataclasses import field
from typing import Any, Literal

from evalspec.bench.checks import Check
from evalspec.spec.dataclass import dataclass
from evalspec.spec.source import Place

SuiteFormat = Literal["scenario", "support", "contract", "release", "native"]
CaseSeverity = Literal["critical", "major", "minor"]
Direction = Literal["at_least", "at_most"]
Reason = str
FULL_SET = 200
"""Fewer cases than this make a draft (decision 25 of the brief)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message to the target, and the checks on its answer."""

    input: Any
    """A text for a chat, or an object in the shape that a module takes in production."""
    checks: tuple[Check, ...]
    max_latency_seconds: float | None = None
    """The nearest limit that was given (turn, case, file); the check on it is among `checks`."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to try: its turns share a session of their own."""

    case_id: str
    turns: tuple[Turn, ...]
    place: Place
    set: str
    """The stem of the file it came from."""
    severity: CaseSeverity = "major"
    blocking: bool = False
    tags: tuple[str, ...] = ()
    """Labels and tags, as the formats call them."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Further fields as they stand in the case (country, topic, verified, source, dimension, difficulty, ...): what a
    target's request, a filter and a slice may name."""
    links: tuple[str, ...] = ()
    """Ids of the other cases of its linkage group: intervals are clustered by it."""
    metric: str | None = None
    """The metric that the case declares for itself (contract format)."""
    auto_scoreable: bool = True
    """False where only people may score it."""
    expected: Any = None
    """What a right answer is, as the case has it: for people who rate answers, and never told to a target."""


@dataclass(frozen=True, slots=True)
class Bar:
    """What a metric must reach: at or over the bar, or at or under it."""

    metric: str
    value: float
    direction: Direction
    signed_by: str
    """Who signed the bar off; empty makes the suite a draft."""
    place: Place


@dataclass(frozen=True, slots=True)
class Metric:
    """A rate over the cases that carry a check of this metric.

    With `counts` at `passes` its value is the share of cases whose checks of the metric all passed; at `failures` the
    share of those in which one failed (over-prioritisation, hallucination, successful injections).
    """

    name: str
    counts: Literal["passes", "failures"] = "passes"


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the cases are declared to carry a tag, and what the suite says of it; 0 to 1."""

    tag: str
    share: float
    place: Place


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite as it was read, whatever format it came in. Nothing of it is random or read later."""

    name: str
    module: str | None
    format: SuiteFormat
    cases: tuple[Case, ...]
    digest: str
    """SHA-256 over the relative names and bytes of its files."""
    place: Place
    description: str = ""
    metrics: tuple[Metric, ...] = ()
    bars: tuple[Bar, ...] = ()
    shares: tuple[Share, ...] = ()
    latency_p95_ms: float | None = None
    """The most that the 95th percentile of the latencies may be, where the suite gates on it."""
    max_validator_rejections: float = 0.05
    """The most of the cases, as a share, that a validator may reject."""
    tool_names: dict[str, str] = field(default_factory=dict)
    """The target's name of a tool to the suite's."""
    output_schema: dict[str, Any] | None = None
    """What an answer of the module must fit, where a contract says; one that does not is a validator rejection."""
    draft: tuple[Reason, ...] = ()
    """Why it is a draft; empty for a suite that may gate."""
