"""Two reports side by side: what changed from the base to the candidate, over the cases that both of them scored."""

from typing import Any, Literal

from evalspec.bench.report import Rate
from evalspec.spec.model import Model

Standing = Literal["non-inferior", "inferior", "undecided"]
Allowed = Literal["suite", "judge", "judge_prompt", "settings"]
"""What may differ between two reports where the user says so."""


class Bounds(Model):
    """A 95 % interval of a difference: by bootstrap over clusters, or Tango's score where too little differs for it."""

    low: float
    high: float
    method: Literal["bootstrap", "score"]


class Change(Model):
    """A rate in both reports, over the `cases` that both scored, and the difference: the candidate's less the base's.

    All are None where no case was scored in both.
    """

    cases: int
    base: float | None
    candidate: float | None
    difference: float | None
    interval: Bounds | None = None
    direction: Literal["at_least", "at_most"] = "at_least"
    """Whether more is better, or less, as of a metric that counts failures."""

    @property
    def worse(self) -> bool:
        """Whether the candidate's rate is on the bad side of the base's."""
        moved = self.difference or 0.0
        return moved < 0 if self.direction == "at_least" else moved > 0


class PairedTest(Model):
    """McNemar's exact test, two-sided: `worse` passed in the base alone, `better` in the candidate alone."""

    worse: int
    better: int
    p: float


class Side(Model):
    """What a report says of itself."""

    set: str
    module: str | None
    model: str | None
    prompt_version: str | None
    at: str
    runs: int
    gate: Literal["green", "red", "draft"]
    passed: Rate
    """Over all of its own cases."""
    p95_latency_ms: float | None
    mean_tokens: float | None
    validator_rejections: int


class Difference(Model):
    """Something in which the two reports differ besides their answers, as each has it."""

    what: str
    base: Any
    candidate: Any


class LeftOut(Model):
    """Cases that are not compared."""

    only_base: tuple[str, ...]
    only_candidate: tuple[str, ...]
    changed: tuple[str, ...]
    """Whose content is not the same in both."""
    unscored_base: tuple[str, ...]
    """Not scored in the base, an error among them; so, too, the next."""
    unscored_candidate: tuple[str, ...]


class Comparison(Model):
    """Everything that comparing two reports found."""

    format: int = 1
    base: Side
    candidate: Side
    allowed: tuple[Difference, ...]
    """What differs and was allowed to."""
    notes: tuple[str, ...]
    cases: int
    left_out: LeftOut
    overall: Change
    mcnemar: PairedTest | None
    """None where a case has more than one run: the interval stands for it."""
    margin: float
    verdict: Standing
    """Non-inferior where the candidate is at most `margin` under the base, by the whole interval."""
    reason: str
    smallest_detectable: float | None
    """The smallest change of the pass rate that would have shown, at 5 % and in 80 of 100 tries."""
    by_check: dict[str, Change]
    by_metric: dict[str, Change]
    by_slice: dict[str, dict[str, Change]]
    newly_failing: tuple[str, ...]
    newly_passing: tuple[str, ...]
    newly_failing_blocking: tuple[str, ...]
    """Blocking or critical, of the newly failing."""
    seed: int
    resamples: int
    extra: dict[str, Any] = {}
    """Figures of a release over reports of two temperatures."""
