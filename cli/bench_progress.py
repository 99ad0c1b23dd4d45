"""What a bench run shows while it works: a bar on a terminal, plain lines elsewhere, both on standard error."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING

from evalspec.bench.events import Answered, Began, BenchEvent, Judged, Judging, Waiting
from evalspec.cli.columns import columns
from evalspec.cli.render.text import say, visible
from evalspec.runtime.events import Stopped, Throttled

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

TERMINAL = ("FORCE_COLOR", "TTY_COMPATIBLE")
"""Variables by which rich takes for a terminal what is none."""
PLAIN_EVERY = 5.0
"""Seconds between lines where there is no terminal."""


def _load() -> None:
    for name in ("rich.console", "rich.table"):
        import_module(name)


class Tally:
    """Counts of a run so far; the same for both ways of showing it."""

    def __init__(self) -> None:
        self.total = self.open = self.done = self.errors = 0
        self.votes = self.judged = self.unscored = 0
        self.put_off = 0
        self.why = ""
        self.began = time.monotonic()

    def take(self, event: BenchEvent) -> None:
        """Count one event."""
        match event:
            case Began(total=total, open=left):
                self.total, self.open, self.done = total, left, 0
            case Answered(error=error):
                self.done += 1
                self.errors += error is not None
            case Judging(total=total):
                self.votes = total
            case Judged(scored=scored):
                self.judged += 1
                self.unscored += not scored
            case Throttled(message=message):
                self.put_off += 1
                self.why = visible(" ".join(message.split()))
            case _:
                pass

    def line(self) -> str:
        """One line: trials, verdicts, the rate, and what went wrong."""
        kept = self.total - self.open
        said = f"trials {kept + self.done:,}/{self.total:,}" + (f" ({kept:,} kept)" if kept else "")
        if self.votes:
            said += f" · judged {self.judged:,}/{self.votes:,}"
        elif self.done:
            said += f" · {self.done / max(time.monotonic() - self.began, 1e-6):,.1f} a second"
        return said + self.troubles()

    def troubles(self) -> str:
        """Errors, verdicts that could not be had, requests that wait."""
        counts = ((self.errors, "errors"), (self.unscored, "not scored"), (self.put_off, "put off"))
        said = "".join(f" · {count:,} {what}" for count, what in counts if count)
        return f"{said}: {self.why[:80]}" if self.put_off else said


@contextmanager
def showing(console: "Callable[[], Console]", *, quiet: bool = False) -> Iterator[Callable[[BenchEvent], None]]:
    """Give a function that takes events and shows them until the block ends; the console is made when it is needed."""
    tally = Tally()
    if quiet:
        yield tally.take
    elif (sys.stderr.isatty() or any(name in os.environ for name in TERMINAL)) and console().is_terminal:
        yield from _live(console(), tally)
    else:
        yield from _plain(console, tally)


def _live(console: "Console", tally: Tally) -> Iterator[Callable[[BenchEvent], None]]:
    from rich.progress import Progress

    with Progress(*columns("{task.description}"), console=console, transient=True) as progress:
        rows: dict[str, TaskID] = {}

        def take(event: BenchEvent) -> None:
            tally.take(event)
            match event:
                case Began() if event.open:
                    rows["trials"] = progress.add_task("trials", total=event.open, said="")
                case Judging():
                    rows["judged"] = progress.add_task("judged", total=event.total, said="")
                case Answered():
                    progress.update(rows["trials"], advance=1, said=tally.troubles())
                case Judged():
                    progress.update(rows["judged"], advance=1, said=tally.troubles())
                case Stopped() | Waiting():
                    say(console, event.reason)
                case _:
                    pass

        yield take


def _plain(console: "Callable[[], Console]", tally: Tally) -> Iterator[Callable[[BenchEvent], None]]:
    said = time.monotonic()

    def take(event: BenchEvent) -> None:
        nonlocal said
        tally.take(event)
        if isinstance(event, Answered) and tally.done == (tally.total + 1) // 2:
            # what shows the result is loaded while answers are waited for
            Thread(target=_load).start()
        if isinstance(event, Stopped | Waiting):
            say(console(), event.reason)
        elif time.monotonic() - said >= PLAIN_EVERY:
            said = time.monotonic()
            say(console(), tally.line())

    yield take
    if tally.total:
        say(console(), tally.line())
