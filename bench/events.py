"""What a run of a suite tells its caller while it works."""

from evalspec.runtime.events import Stopped, Throttled
from evalspec.spec.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Began:
    """The trials begin: how many there are, and how many of them are still to be asked."""

    total: int
    open: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A trial is through; `error` says why a turn of it has no answer."""

    case_id: str
    epoch: int
    error: str | None


@dataclass(frozen=True, slots=True)
class Judging:
    """The judge begins: verdicts that it has to give, those that are kept among them."""

    total: int


@dataclass(frozen=True, slots=True)
class Judged:
    """The judge gave a verdict, or failed to."""

    case_id: str
    scored: bool


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing begins yet, and why."""

    reason: str


BenchEvent = Began | Answered | Judging | Judged | Throttled | Stopped | Waiting
