"""How far a model is that embeds texts: a row of a live view on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evalspec.outputs.embedder import Embedded, Watch, unwatched

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

NAME = "embedding"
LINE_EVERY = 10.0
"""Seconds between lines where there is no terminal."""


class EmbeddingRow:
    """A row that stands while a model works."""

    def __init__(self, progress: "Progress") -> None:
        self._progress = progress
        self._row: TaskID | None = None

    def take(self, event: Embedded) -> None:
        """Show how far the model is; a row that is full is taken away."""
        if self._row is None:
            self._row = self._progress.add_task(NAME, total=event.total, said="")
        self._progress.update(self._row, completed=event.done, total=event.total)
        if event.done >= event.total:
            self._progress.remove_task(self._row)
            self._row = None


class EmbeddingLines:
    """A line as a model begins, one now and then, and one as it ends."""

    def __init__(self, console: "Console", clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._said = 0.0

    def take(self, event: Embedded) -> None:
        """Say how far the model is, if it begins, has ended, or was silent for a while."""
        now = self._clock()
        if event.done in (0, event.total) or now - self._said >= LINE_EVERY:
            self._said = now
            self._console.print(f"{NAME}: {event.done:,} of {event.total:,} texts")


@contextmanager
def embedding(console: "Console", *, quiet: bool = False) -> Iterator[Watch]:
    """Give a function that shows how far a model is until the block ends; nothing is shown where none is asked."""
    if quiet:
        yield unwatched
    elif console.is_terminal:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(bar_width=30), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as progress:
            yield EmbeddingRow(progress).take
    else:
        yield EmbeddingLines(console).take
