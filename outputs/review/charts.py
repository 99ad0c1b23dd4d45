"""Bars of a split, as SVG made on the server: each bar is a link that filters by it, or takes the filter back."""

from collections.abc import Callable, Sequence

from markupsafe import Markup, escape

from evalspec.spec.dataclass import dataclass

_ROW = 26
_BAR = 22
_LONGEST = 25


@dataclass(frozen=True, slots=True)
class Bar:
    """A value, how it is written, and how many records have it."""

    value: str
    label: str
    records: int


def bars(title: str, shown: Sequence[Bar], chosen: str | None, link: Callable[[str], str]) -> Markup:
    """A chart with a row a bar, as wide as its place; widths are shares of the largest bar. No bars make no chart."""
    if not shown:
        return Markup()
    largest = max((bar.records for bar in shown), default=0) or 1
    height = _ROW * len(shown)
    parts = [
        Markup('<svg class="bars" width="100%" height="{}" role="group" aria-label="{}">').format(height, title),
        *(_row(bar, _ROW * at, 100 * bar.records / largest, bar.value == chosen, link) for at, bar in enumerate(shown)),
        Markup("</svg>"),
    ]
    return Markup("\n").join(parts)


def _row(bar: Bar, top: int, width: float, on: bool, link: Callable[[str], str]) -> Markup:
    said = f"{bar.label}: {counted(bar.records, 'record')}" + (", filtered by; click to take it back" if on else "")
    label = bar.label if len(bar.label) <= _LONGEST else f"{bar.label[: _LONGEST - 1]}…"
    return Markup(
        '<a href="{}" class="{}"><title>{}</title>'
        '<rect class="track" x="0" y="{}" width="100%" height="{}" rx="4"/>'
        '<rect class="bar" x="0" y="{}" width="{:.2f}%" height="{}" rx="4"/>'
        '<text x="8" y="{}">{}</text><text class="count" x="100%" dx="-8" y="{}" text-anchor="end">{}</text></a>'
    ).format(
        link(bar.value),
        "on" if on else "off",
        said,
        top,
        _BAR,
        top,
        width,
        _BAR,
        top + 15,
        label,
        top + 15,
        f"{bar.records:,}",
    )


def counted(number: int, noun: str) -> str:
    """A number with its noun, as `1 record` or `2,910 records`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def marked(text: str, words: str) -> Markup:
    """A text with what was searched for marked, all of it escaped."""
    lower, sought = text.lower(), words.lower()
    if not sought or len(lower) != len(text):  # where case changes lengths, places do not fit
        return escape(text)
    parts: list[Markup] = []
    begun = 0
    while (at := lower.find(sought, begun)) >= 0:
        parts += [escape(text[begun:at]), Markup("<mark>{}</mark>").format(text[at : at + len(sought)])]
        begun = at + len(sought)
    return Markup("").join([*parts, escape(text[begun:])])
