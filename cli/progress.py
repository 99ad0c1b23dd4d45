"""What a run shows while it works: a live view on a terminal, plain lines elsewhere."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evalspec.cli.columns import columns
from evalspec.cli.embedding import EmbeddingLines, EmbeddingRow
from evalspec.cli.render.text import say
from evalspec.outputs.embedder import Embedded
from evalspec.runtime.events import (
    Accepted,
    Event,
    GivenUp,
    Rejected,
    SourceProgress,
    SourceRead,
    Started,
    Stopped,
    Throttled,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

PLAIN_EVERY = 10.0
"""Seconds between lines where there is no terminal."""


Told = Event | Embedded
"""What a run tells of itself."""


class Tally:
    """Counts of a run so far, in groups by dimension; the same for both ways of showing it."""

    def __init__(self) -> None:
        self.total: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.records = 0
        self.starts = 0
        self.rejected = 0
        self.given_up = 0
        self.throttled = 0
        self.why = ""
        self.began = time.monotonic()

    def take(self, event: Told) -> None:
        """Count one event."""
        match event:
            case Started():
                for name, count in event.open_by_dimension.items():  # a later round opens groups that were done
                    self.total[name] = max(self.total[name], count)
                for name, total in self.total.items():
                    self.done[name] = total - event.open_by_dimension.get(name, 0)
                self.starts += 1
                self.given_up = 0  # and tries anew, or gives up again, what was given up
            case Accepted():
                self.done[event.dimension] += 1
                self.records += event.records
                self.why = ""
            case Rejected():
                self.rejected += 1
            case GivenUp():
                self.given_up += 1
            case Throttled():
                self.throttled += 1
                self.why = event.message
            case _:
                pass

    def line(self) -> str:
        """One line: groups by dimension, the rate, and what went wrong."""
        parts = [f"{name} {self.done[name]:,}/{self.total[name]:,}" for name in sorted(self.total)]
        rate = self.records / max(time.monotonic() - self.began, 1e-6)
        return f"{' · '.join(parts)} · {rate:,.0f} records/s{self.troubles(' · ')}"

    def troubles(self, before: str = "") -> str:
        """What went wrong, and why requests wait while no reply comes; `before` it and between its parts."""
        counts = ((self.rejected, "re-asked"), (self.given_up, "given up"), (self.throttled, "put off"))
        said = [f"{count:,} {what}" for count, what in counts if count]
        why = f": {self.why[:80]}" if self.why else ""
        return f"{before}{(before or ', ').join(said)}{why}" if said else ""


@contextmanager
def showing(console: "Console", *, quiet: bool = False) -> Iterator[Callable[[Told], None]]:
    """Give a function that takes events and shows them until the block ends."""
    tally = Tally()
    if quiet:
        yield tally.take
    elif console.is_terminal:
        yield from _live(console, tally)
    else:
        yield from _plain(console, tally)


def _live(console: "Console", tally: Tally) -> Iterator[Callable[[Told], None]]:
    from rich.progress import Progress

    with Progress(*columns("{task.description:<22}"), console=console, transient=True) as progress:
        tasks: dict[str, TaskID] = {}
        sources, model = SourceRows(progress), EmbeddingRow(progress)

        def tell() -> None:
            for task in tasks.values():
                progress.update(task, said=tally.troubles())

        def take(event: Told) -> None:
            waited = tally.why
            tally.take(event)
            match event:
                case Started():
                    for name, count in event.open_by_dimension.items():
                        if name in tasks:
                            progress.update(tasks[name], completed=tally.done[name])
                        elif count:
                            tasks[name] = progress.add_task(name, total=count, said="")
                case Accepted() if event.dimension in tasks:
                    progress.advance(tasks[event.dimension])
                    if waited:  # and no longer does
                        tell()
                case SourceProgress() if not tally.starts and _any_pages(event):
                    sources.take(event)
                case SourceRead() if not tally.starts:
                    sources.clear()
                    console.print(_read(event))
                case Embedded():
                    model.take(event)
                case Stopped():
                    say(console, event.reason)
                case Rejected() | GivenUp() | Throttled():
                    tell()
                case _:
                    pass

        yield take


def _plain(console: "Console", tally: Tally) -> Iterator[Callable[[Told], None]]:
    said = time.monotonic()
    lines, model = SourceLines(console), EmbeddingLines(console)

    def take(event: Told) -> None:
        nonlocal said
        tally.take(event)
        if isinstance(event, Embedded):
            model.take(event)
            return
        if isinstance(event, Stopped):
            say(console, event.reason)
            return
        if isinstance(event, SourceProgress):
            if not tally.starts and _any_pages(event):
                lines.take(event)
            return
        if isinstance(event, SourceRead) and not tally.starts:
            console.print(_read(event))
        if time.monotonic() - said >= PLAIN_EVERY:
            said = time.monotonic()
            console.print(tally.line())

    yield take
    if tally.total:
        console.print(tally.line())


class SourceRows:
    """A row for each source of the network, on a terminal."""

    def __init__(self, progress: "Progress") -> None:
        self._progress = progress
        self._rows: dict[str, TaskID] = {}

    def take(self, event: SourceProgress) -> None:
        """Show how far a source is."""
        if event.source not in self._rows:
            self._rows[event.source] = self._progress.add_task(event.source, total=None, said="")
        pages = event.fetched + event.failed + event.kept
        total = max(pages, 1) if event.done else None
        self._progress.update(self._rows[event.source], completed=pages, total=total, said=source_counts(event))

    def clear(self) -> None:
        """Take the rows away."""
        for row in self._rows.values():
            self._progress.remove_task(row)
        self._rows.clear()


class SourceLines:
    """A line now and then for each source of the network, where there is no terminal."""

    def __init__(self, console: "Console") -> None:
        self._console = console
        self._said: dict[str, float] = {}

    def take(self, event: SourceProgress) -> None:
        """Say how far a source is, if it is done or has been silent for a while."""
        now = time.monotonic()
        if event.done or now - self._said.setdefault(event.source, now) >= PLAIN_EVERY:
            self._said[event.source] = now
            self._console.print(f"{event.source}: {source_counts(event)}{'' if event.done else ' ...'}")


def _any_pages(event: SourceProgress) -> bool:
    """Whether there is anything to say of a source; one that was not asked for anything is passed over."""
    return not event.done or event.fetched + event.failed + event.kept + event.skipped > 0


def source_counts(event: SourceProgress) -> str:
    """Pages of a source, in words."""
    said = f"{event.fetched:,} fetched"
    said += f", {event.failed:,} failed" if event.failed else ""
    said += f", {event.kept:,} from data/raw" if event.kept else ""
    return said + (f", {event.skipped:,} of no use" if event.skipped else "")


def _read(event: SourceRead) -> str:
    skipped = f", {event.skipped:,} skipped" if event.skipped else ""
    return f"sources: {event.documents:,} documents{skipped}, {event.chunks:,} chunks"
