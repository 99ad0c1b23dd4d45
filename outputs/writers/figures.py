"""The figures of a card: bars of the splits and of the difficulty, as SVG made from the card's own tables.

No script, no font, no address: a figure is shown as it is wherever Markdown is, on light and on dark.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

SPLITS = "splits.svg"
DIFFICULTY = "difficulty.svg"
NAMES: tuple[str, ...] = (SPLITS, DIFFICULTY)
"""The files, which lie beside the card."""

WIDTH = 720
_LABEL, _BAR, _ROW, _TOP = 210, 380, 22, 34
_INK, _FAINT, _PAPER, _COLOUR = "#1f2328", "#59636e", "#ffffff", "#2f6f9f"
_LEVELS = {"easy": "#9cc3dc", "medium": "#4d8fbd", "hard": "#1d4e79"}
_OTHER = "#b8b8b8"
_MOST = 40
"""Bars of one panel; what follows is summed up."""

Rows = Sequence[Mapping[str, Any]]


def write(folder: Path, figures: Mapping[str, Rows]) -> None:
    """Write both figures. Raises OSError."""
    for name, text in ((SPLITS, splits(figures)), (DIFFICULTY, difficulty(figures))):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def splits(figures: Mapping[str, Rows]) -> str:
    """Records by dimension, domain and geography, a panel each."""
    body: list[str] = []
    top = 0
    for title, key in (("Dimension", "dimension"), ("Domain", "domain"), ("Geography", "geography")):
        rows = _shortened(figures[key])
        body += _panel(title, rows, top)
        top += _TOP + _ROW * len(rows) + 14
    return _svg("Records by dimension, domain and geography", body, max(top, _TOP))


def difficulty(figures: Mapping[str, Rows]) -> str:
    """The share of each difficulty, by dimension and over all."""
    by_dimension: dict[str, dict[str, int]] = {}
    for row in figures["level"]:
        by_dimension.setdefault(row["dimension"] or "", {})[row["difficulty"] or ""] = row["records"]
    whole: dict[str, int] = {}
    for counts in by_dimension.values():
        for level, records in counts.items():
            whole[level] = whole.get(level, 0) + records
    body = _legend(whole)
    bars = [("all", whole), *list(by_dimension.items())[:_MOST]]
    for at, (name, counts) in enumerate(bars):
        body += _stacked(name, counts, _TOP + 18 + at * _ROW)
    return _svg("Difficulty by dimension", body, _TOP + 18 + _ROW * len(bars) + 14)


def _shortened(rows: Rows) -> list[tuple[str, int, float]]:
    shown = [(str(row["name"] or "none"), row["records"], row["share"]) for row in rows[:_MOST]]
    rest = rows[_MOST:]
    if rest:
        shown.append((f"{len(rest)} more", sum(r["records"] for r in rest), sum(r["share"] for r in rest)))
    return shown


def _panel(title: str, rows: Sequence[tuple[str, int, float]], top: int) -> list[str]:
    largest = max((records for _, records, _ in rows), default=1) or 1
    out = [_text(14, top + 22, title, weight="600")]
    for at, (name, records, share) in enumerate(rows):
        y = top + _TOP + at * _ROW
        width = max(1, round(_BAR * records / largest))
        out.append(_text(_LABEL - 8, y + 14, _cut(name), anchor="end"))
        out.append(_box(_LABEL, y + 3, width, 14, _COLOUR))
        out.append(_text(_LABEL + width + 6, y + 14, f"{records:,} ({100 * share:.1f} %)", colour=_FAINT))
    return out


def _legend(counts: Mapping[str, int]) -> list[str]:
    out = [_text(14, 22, "Difficulty by dimension", weight="600")]
    x = _LABEL
    for level in _ordered(counts):
        out += [_box(x, 30, 12, 12, _LEVELS.get(level, _OTHER)), _text(x + 18, 40, level or "none", colour=_FAINT)]
        x += 90
    return out


def _stacked(name: str, counts: Mapping[str, int], y: int) -> list[str]:
    total = sum(counts.values()) or 1
    out = [_text(_LABEL - 8, y + 14, _cut(name), anchor="end")]
    begun = 0
    for level in _ordered(counts):
        left, right = round(_BAR * begun / total), round(_BAR * (begun + counts[level]) / total)
        out.append(_box(_LABEL + left, y + 3, right - left, 14, _LEVELS.get(level, _OTHER)))
        begun += counts[level]
    out.append(_text(_LABEL + _BAR + 6, y + 14, f"{sum(counts.values()):,} records", colour=_FAINT))
    return out


def _ordered(counts: Mapping[str, int]) -> list[str]:
    return [*(level for level in _LEVELS if level in counts), *sorted(name for name in counts if name not in _LEVELS)]


def _cut(name: str) -> str:
    return name if len(name) <= 30 else f"{name[:29]}…"


def _box(x: int, y: int, width: int, height: int, colour: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}"/>'


def _text(x: int, y: int, text: str, *, anchor: str = "start", weight: str = "400", colour: str = _INK) -> str:
    shown = escape("".join(letter if letter.isprintable() else " " for letter in text))
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}" fill="{colour}">{shown}</text>'


def _svg(title: str, body: Sequence[str], height: int) -> str:
    """A whole figure; `body` is markup of this module's own, with all text escaped."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" font-family="sans-serif" font-size="12">'
    )
    paper = _box(0, 0, WIDTH, height, _PAPER)
    return "\n".join((head, f"<title>{escape(title)}</title>", paper, *body, "</svg>")) + "\n"
