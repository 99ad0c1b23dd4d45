"""What a live view of a run shows of each of its rows, on a terminal."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import ProgressColumn


def columns(description: str) -> "tuple[ProgressColumn, ...]":
    """A row's name in the format `description`, how far it is, since when and how long yet, and its field `said`."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    return (
        TextColumn(description),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[said]}", markup=False),
    )
