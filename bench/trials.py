"""Trials: cases in epochs, what of them is on its way, and what a run of them came to."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import field
from typing import Literal

from evalspec.bench.events import BenchEvent
from evalspec.bench.journal import BenchJournal
from evalspec.bench.results import TargetResult, TrialLine
from evalspec.bench.suite import Case
from evalspec.bench.targets import Session, Target
from evalspec.runtime.admission import Admission
from evalspec.runtime.budget import Budget
from evalspec.runtime.run_state import RunState
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.source import Place


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the caller sets for the trials of one run."""

    runs: int = 1
    """Epochs: how often each case is tried."""
    concurrency: int = 1
    """Requests in flight at most; with 1 the trials are asked one after the other, in order."""
    max_calls: int | None = None
    """Requests that may be sent to the target."""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    patience: float = 300.0
    """Seconds for a trial whose target is busy or out of reach; then its turns are errors."""
    lone_patience: float = 60.0
    """The same where the target answers others meanwhile."""
    unseen_patience: float = 15.0
    """The same for a target that has not answered anything in this run, nor refused for its rate."""
    hopeless_after: int = 10
    """Trials that fail, with none answered before them, or that wait for a silent target, for the run to stop."""
    place: Place = field(default_factory=lambda: Place("command line"))
    """Where findings about the target stand."""


@dataclass(frozen=True, slots=True, repr=False)
class Trials:
    """What the trials came to: a line for each that was made, in the order of cases and epochs."""

    lines: tuple[TrialLine, ...]
    open: int
    """Trials without a line: the run stopped before they were asked."""
    kept: int
    """Trials that an earlier run had answered."""
    calls: int
    """Requests that were sent to the target."""
    stopped: Literal["interrupted"] | Diagnostic | None = None
    hopeless: Diagnostic | None = None
    """An ES741 where no trial was answered, now or before, whether that stopped it or not."""


@dataclass(slots=True, repr=False)
class Pending:
    """A trial on its way: its session lives until all turns are answered, however often one has to wait."""

    case: Case
    epoch: int
    key: str
    session: Session | None = None
    results: list[TargetResult] = field(default_factory=list)
    busy_since: float | None = None
    not_before: float = 0.0
    rounds: int = 0


@dataclass(slots=True, repr=False)
class Run:
    """What the workers of one run share."""

    target: Target
    journal: BenchJournal
    options: RunOptions
    events: Callable[[BenchEvent], None]
    state: RunState
    admission: Admission
    budget: Budget
    queue: deque[Pending]
    made: dict[str, TrialLine]
    enough: int
    """Trials that must fail, with none answered, to end the run."""
    finished: Callable[[TrialLine], None]
    """Is told each line that is new."""
    kept: int = 0
    """Trials that an earlier run had answered: the target does give answers."""
    calls: int = 0
    good: int = 0
    bad: int = 0
    first_error: str = ""
    replied: bool = False
    throttled: bool = False
    """Whether the target ever refused for its rate: then it is there, whether it answered or not."""
    replied_at: float = field(default_factory=time.monotonic)
    """When the last answer came, or the run began."""
