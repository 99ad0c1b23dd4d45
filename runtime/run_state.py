"""What one fill knows while it runs: counts, why groups stay open, and whether it is to stop."""

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal

from evalspec.runtime.event_loop import SAME_SIGNAL
from evalspec.runtime.events import Event, Stopped
from evalspec.runtime.guard import guard, guard_gone, told_of_end
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.journal import Usage

if TYPE_CHECKING:
    from evalspec.runtime.draw_chunk import Served
    from evalspec.spec.plan import Group


class StoppingError(Exception):
    """The run stops; this request is not made."""


@dataclass(slots=True, repr=False)  # asyncio writes the repr of a task's result
class RunState:
    """Counts of one fill, and its end; changed only by the thread of its loop."""

    events: Callable[[Event], None]
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    accepted: int = 0
    given_up: int = 0
    reasons: dict[str, str] = field(default_factory=dict)
    """Why groups stay open, by group id."""
    served: "list[tuple[Group, Served]]" = field(default_factory=list)
    chunks: dict[str, str] = field(default_factory=dict)
    """Digests of the chunks that groups were filled from, by group id."""
    stopped: Literal["interrupted", "hopeless"] | Diagnostic | None = None
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    replied_at: float = field(default_factory=time.monotonic)
    """When the last reply came, or the run began."""
    replied: bool = False
    reached: bool = False
    """Whether anyone was ever connected to, reply or not."""
    throttled: bool = False
    """Whether the provider ever refused for its rate."""
    promised: float = 0.0
    """Until when the provider announced that it takes nothing, and a little longer (monotonic)."""

    def count(self, usage: Usage) -> None:
        """A reply came."""
        self.calls += 1
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        self.replied_at = time.monotonic()
        self.replied = self.reached = True

    def end(self, why: Literal["interrupted", "hopeless"] | Diagnostic, reason: str) -> None:
        """Make no further request; the first cause stands."""
        if self.stopped is None:
            self.stopped = why
            self.events(Stopped(reason))
        self.stop.set()

    async def sleep(self, seconds: float) -> None:
        """Sleep, unless the run stops meanwhile: then raise StoppingError."""
        try:
            await asyncio.wait_for(self.stop.wait(), seconds)
        except TimeoutError:
            return
        raise StoppingError


@contextmanager
def interruptible(state: RunState, task: "asyncio.Task[Any] | None") -> Iterator[None]:
    """Let Ctrl-C and SIGTERM drain the run, and a second Ctrl-C cancel `task`; only the main thread hears signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    first = 0.0

    def heard(number: int, _frame: FrameType | None) -> None:
        nonlocal first
        if first or state.stopped == "interrupted":
            again = time.monotonic() - first > (SAME_SIGNAL if guard() else 0)
            if number == signal.SIGINT and task is not None and again:
                loop.call_soon_threadsafe(task.cancel)
            return
        first = time.monotonic()
        # not here: whoever is told may import, and within an import that goes wrong (Python 3.11)
        loop.call_soon_threadsafe(ended)

    def ended() -> None:
        state.end("interrupted", "interrupted: what is in flight is waited for; Ctrl-C again stops at once")

    def orphaned() -> None:
        if state.stopped is None:  # said to nobody: the output is about to be closed
            state.stopped = "interrupted"
        state.stop.set()

    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with told_of_end(lambda: loop.call_soon_threadsafe(orphaned)):
            if guard_gone():
                heard(signal.SIGTERM, None)
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
