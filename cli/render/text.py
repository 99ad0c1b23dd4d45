"""Findings and tables as text for people; colour only where a terminal shows it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from evalspec.spec.diagnostic import Diagnostic, Severity

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
MAX_LINE = 200
"""Characters of a source line that are shown around the caret."""


def diagnostic_text(diagnostic: Diagnostic) -> "Text":
    """One finding with its source line and a caret, its related places and its hint; no trailing newline."""
    from rich.text import Text

    place = diagnostic.place
    colour = _COLOURS[diagnostic.severity]
    out = Text()
    out.append(f"{diagnostic.severity.value}[{diagnostic.code}]", colour)
    out.append(f" {diagnostic.name}: ", "bold")
    out.append(visible(diagnostic.message))
    bare = not (place.path or place.text) and (place.line, place.column) == (1, 1)
    out.append(f"\n  --> {visible(place.file)}" + ("" if bare else f":{place.line}:{place.column}"), "blue")
    if place.path:
        out.append(f" ({visible(place.path)})", "dim")
    if place.text.strip():
        out.append_text(_source_line(diagnostic, colour))
    for related in diagnostic.related:
        where = related.place
        out.append(f"\n   = {visible(related.label)}: {visible(where.file)}:{where.line}:{where.column}", "dim")
    if diagnostic.hint:
        out.append("\n   = hint: ", "green")
        out.append(visible(diagnostic.hint))
    return out


def _source_line(diagnostic: Diagnostic, colour: str) -> "Text":
    from rich.cells import cell_len
    from rich.text import Text

    place = diagnostic.place
    start = place.column - 1
    cut = max(0, start - MAX_LINE // 2)
    line = visible(place.text.expandtabs(1))[cut : cut + MAX_LINE]
    length = place.end_column - place.column if place.end_line == place.line else len(line) + cut - start
    marked = line[start - cut : start - cut + max(1, length)]
    gutter = " " * len(str(place.line))
    pad = " " * cell_len(line[: start - cut])
    out = Text(f"\n {gutter} |\n {place.line} | {line}\n {gutter} | {pad}")
    out.append("^" * max(1, cell_len(marked)), colour)
    return out


def visible(text: str) -> str:
    """Control characters as visible escapes, so that data cannot write to the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n" else f"\\x{ord(c):02x}" for c in text)


def say(console: "Console", text: str, style: str = "", *, whole: bool = False) -> None:
    """Print a line that may hold data: no markup, no control characters; `whole` leaves it unbroken."""
    from rich.text import Text

    console.print(Text(visible(text), style), soft_wrap=whole)


def print_diagnostics(console: "Console", diagnostics: Iterable[Diagnostic]) -> None:
    """Each finding, a blank line after each, then how many there are of each severity."""
    counts = dict.fromkeys(Severity, 0)
    for diagnostic in diagnostics:
        counts[diagnostic.severity] += 1
        console.print(diagnostic_text(diagnostic), soft_wrap=True, highlight=False)
        console.print()
    said = [f"{number} {severity.value}{'s' if number > 1 else ''}" for severity, number in counts.items() if number]
    if said:
        console.print(", ".join(said), highlight=False)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> "Table":
    """A plain table; columns whose cells are all numbers are set to the right."""
    from rich.table import Table
    from rich.text import Text

    listed = [[_cell(value) for value in row] for row in rows]
    head = Text(visible(title), "bold")  # as a str, it could hold markup
    out = Table(title=head, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for index, name in enumerate(columns):
        numeric = all(row[index].lstrip("+-").replace(",", "").rstrip("%").replace(".", "").isdigit() for row in listed)
        justify: Literal["left", "right"] = "right" if numeric and listed else "left"
        out.add_column(Text(visible(name)), justify=justify, header_style="dim", overflow="fold")
    for row in listed:
        out.add_row(*(Text(cell) for cell in row))
    return out


def _cell(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else ("yes" if value else "no")
    if isinstance(value, float):
        return f"{value:,.2f}".rstrip("0").rstrip(".")
    if isinstance(value, int):
        return f"{value:,}"
    return visible(str(value))
