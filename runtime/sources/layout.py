"""The lines of a page as a reader sees them, for pages whose markup says little: filings, and pages of bare divs.

A block of the page is a line. Lines set in bold or italics that end no sentence are headings; a paragraph that a page
break or a column cuts is joined again; page numbers, and lines that run through a document at the foot of each page,
are left out where they stand on their own. What stands within a paragraph is never judged by itself.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any

from lxml import etree

from evalspec.spec.dataclass import dataclass

_NAMES = (
    "address article blockquote body caption center dd div dl dt fieldset figure figcaption h1 h2 h3 h4 h5 h6 header hr"
    " html li main ol p pre section table tbody td tfoot th thead tr ul document type sequence filename description"
    " text"
)
_BLOCKS = frozenset(_NAMES.split())
_BREAKS = frozenset(("br", "lb", "item", "cell", "row", "head", "list", "quote"))
"""Other elements between which words end; trafilatura's are among them."""
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_BOLD = re.compile(r"font-weight:(?:bold|bolder|[6-9]00)|font:[^;]*\bbold\b")
_PLAIN = re.compile(r"font-weight:(?:normal|lighter|[1-5]00)|font-style:normal")
_SLANTED = re.compile(r"font-style:italic|text-decoration:[^;]*underline")
_INLINE = re.compile(r"display:inline")
_PAGE_MARK = re.compile(
    r"^(?:[A-Z]{1,3}-?)?(?:\d{1,4}|[ivxl]{1,6})$|^-\s*\d{1,4}\s*-$|^table of contents$", re.IGNORECASE
)
_INVISIBLE = {0x200B: None, 0xFEFF: None, 0xAD: None}
_HEADER = ("document", "type", "sequence", "filename", "description", "text")
"""What a submission to EDGAR puts before a document; their elements enclose it, their words are not its own."""
_BULLET = re.compile(r"^(?:[•●▪■◦○·‣⁃]\s*|[*–—-](?:\s+|$))")
_NUMBER = re.compile(r"^(?:\(?[a-z0-9]{1,3}[.)]|\([ivx]{1,5}\))$", re.IGNORECASE)
_GLUED = re.compile(r"^(\(\w{1,3}\)|\d{1,2}\.)(?=[A-Z“])")
"""A number that only its style keeps apart from what it numbers."""
_ENTRY = re.compile(r"^(?:[-•*|]\s|\(?[a-z0-9]{1,3}[.)]\s|\([ivx]{1,5}\)\s)", re.IGNORECASE)
_CAPITALS = re.compile(r"^(?=(?:.*?[A-Z]){4})[^a-z.!?]{4,90}$")
_PART = re.compile(r"(?:part|item|note|section|article|chapter)\s+[\divx]+[a-z]?[.:]?", re.IGNORECASE)
_ENDS = (".", "?", "!", ":", ";", ".”", ".)", "?”", "!”", '."', ".’", ",”")
_FIGURE = re.compile(r"\d+|\b[ivxl]+$")
_FEWEST_RUNNING = 3
"""A short line that stands so often on its own, apart from its number, runs through the document."""
_MOST_RUNNING = 16
"""Words of a line that may run through a document."""
_MOST_HEADING = 25
"""Words of a heading."""
_WIDTH = 50
"""Characters of a line that may be one of a paragraph that is laid out line by line."""
_LONGEST = 1200
"""Words of a paragraph: lines are joined no further."""
_PROSE_CELL = 12
"""Words that a table's cells have on average where they hold prose."""
_TABLE_CELLS = 200
"""A table with more cells than this and few words in each is data, not prose."""


@dataclass(slots=True)
class _Line:
    """One block: its text in pieces, and how it is set."""

    pieces: list[str] = field(default_factory=list)
    level: int = 0
    """Of a heading that the markup names."""
    bold: bool = True
    slanted: bool = True
    table: str = ""
    """Rows of a table, one a line; there are no pieces then."""

    @property
    def text(self) -> str:
        return self.table or _GLUED.sub(r"\1 ", " ".join("".join(self.pieces).translate(_INVISIBLE).split()), count=1)


def laid_out(tree: Any) -> list[str]:
    """Headings, paragraphs, entries and rows of a parsed page, in order; a heading is marked with `#`."""
    lines = [line for line in _lines(tree) if line.text]
    return list(_paragraphs(_still(lines)))


def _lines(tree: Any) -> Iterator[_Line]:
    """The blocks of the page; of a table of figures nothing, of a small table its rows."""
    line, styles, skipped = _Line(), [(False, False)], None
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        tag = element.tag if isinstance(element.tag, str) else ""
        block = tag in _BLOCKS and not _INLINE.search(_style(element))
        if skipped is not None:
            if event == "end" and element is skipped:
                skipped = None
                _add(line, element.tail, styles[-1])
            continue
        if event == "start":
            if block:
                yield line
                line = _Line(["- "] if tag == "li" else [], _HEADINGS.get(tag, 0))
            if tag in ("head", "title"):
                skipped = element
                continue
            if tag == "table" and (rows := _rows(element)) is not None:
                yield _Line(table=rows)
                skipped = element
                continue
            styles.append(_set(element, tag, styles[-1]))
            if tag == "br":
                line.pieces.append("\n")
            if tag not in _HEADER:
                _add(line, element.text, styles[-1])
        else:
            styles.pop()
            if block:
                yield line
                line = _Line()
            _add(line, element.tail, styles[-1])
    yield line


def _style(element: Any) -> str:
    return (element.get("style") or "").replace(" ", "").lower()


def _set(element: Any, tag: str, around: tuple[bool, bool]) -> tuple[bool, bool]:
    """Whether an element is set in bold, and in italics or underlined."""
    style = _style(element)
    bold, slanted = around
    if _PLAIN.search(style):
        bold = bold and "font-weight" not in style
        slanted = slanted and "font-style" not in style
    bold = bold or tag in ("b", "strong", "th") or tag in _HEADINGS or _BOLD.search(style) is not None
    slanted = slanted or tag in ("i", "em", "u") or _SLANTED.search(style) is not None
    return bold, slanted


def _add(line: _Line, text: str | None, style: tuple[bool, bool]) -> None:
    if not text:
        return
    line.pieces.append(text)
    if any(map(str.isalnum, text)):
        line.bold &= style[0]
        line.slanted &= style[1]


def _rows(table: Any) -> str | None:
    """The rows of a table of labels, nothing for one of figures; None for one that lays prose out."""
    if table.find(".//table") is not None:
        return None
    rows = [[words for cell in row.iter("td", "th") if (words := flat(cell))] for row in table.iter("tr")]
    rows = [row for row in rows if row]
    cells = [cell for row in rows for cell in row]
    average = sum(len(cell.split()) for cell in cells) / max(len(cells), 1)
    if len(cells) <= 3 or average >= _PROSE_CELL:
        return None
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) if len(cells) <= _TABLE_CELLS and average >= 3 else ""


def flat(element: Any) -> str:
    """The text of an element on one line: inline markup parts no word, blocks and breaks do."""
    return " ".join("".join(_spaced(element)).translate(_INVISIBLE).split())


def _spaced(element: Any) -> Iterator[str]:
    for event, inner in etree.iterwalk(element, events=("start", "end")):
        parts = inner.tag in _BLOCKS or inner.tag in _BREAKS
        if event == "start":
            yield " " if parts else ""
            yield inner.text or ""
        elif inner is not element:
            yield " " if parts else ""
            yield inner.tail or ""


def _still(lines: list[_Line]) -> Iterator[_Line]:
    """Lines without page numbers, and without those that run through the document."""
    short = [_FIGURE.sub("#", line.text.lower()) if len(line.text.split()) <= _MOST_RUNNING else "" for line in lines]
    count = Counter(short)
    for line, key in zip(lines, short, strict=True):
        if _PAGE_MARK.match(line.text):
            continue
        if key and count[key] >= _FEWEST_RUNNING and _runs(line, key):
            continue
        yield line


def _runs(line: _Line, key: str) -> bool:
    """Whether a line that is repeated is furniture: with a number that differs, or as the name of a company stands."""
    text = line.text
    if line.table or _PART.fullmatch(text) or _BULLET.fullmatch(text) or _NUMBER.match(text):
        return False
    if "#" in key:
        return not text.endswith((".", ";", ":", ","))
    return not _heading(line) and (line.bold or len(text.split()) >= _FEWEST_RUNNING + 1)


def _paragraphs(lines: Iterable[_Line]) -> Iterator[str]:
    """Lines joined to paragraphs: a bullet to its text, a line to the one that it goes on in, "Item 1." to its name."""
    held = ""
    for line in lines:
        text, level = line.text, _heading(line)
        if level and held.startswith("#") and _PART.fullmatch(held.lstrip("# ")):
            held = f"{held} {text}"
        elif level or not held or not _goes_on(held, text):
            if held:
                yield held
            held = f"{'#' * level} {text}" if level else _BULLET.sub("- ", text, count=1)
        else:
            held = f"{held.rstrip()} {text}"
    if held:
        yield held


def _heading(line: _Line) -> int:
    """The level of a heading; 0 for what is none."""
    text = line.text
    words = text.split()
    if line.table or len(words) > _MOST_HEADING or not any(map(str.isalpha, text)) or _BULLET.match(text):
        return 0
    if line.level:
        return line.level
    if _CAPITALS.match(text):
        return 2
    if (
        _is_lower(text)
        or text.startswith("(")
        or (text.endswith((".", ",", ";", ":", "—")) and not _PART.fullmatch(text))
        or _NUMBER.match(text)
    ):
        return 0
    return 2 if line.bold else 3 if line.slanted else 0


def _goes_on(held: str, text: str) -> bool:
    """Whether a line goes on with the paragraph before it."""
    if held == "- " or _NUMBER.match(held.removeprefix("- ")):
        return True
    if held.startswith(("#", "|")) or text.startswith("|") or len(held.split()) > _LONGEST:
        return False
    if held.endswith(_ENDS) or _BULLET.match(text) or _ENTRY.match(text) or _NUMBER.match(text):
        return False
    return _is_lower(text) or (len(held) >= _WIDTH and not held.endswith((")", ",")))


def _is_lower(text: str) -> bool:
    """Whether a line begins in lower case, and not as iPhone does."""
    return text[:1].islower() and not text[1:2].isupper()
