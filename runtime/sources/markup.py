"""The text of an HTML page without what surrounds it: navigation, banners, footers."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from evalspec.runtime.sources.sift import is_prose

_FURNITURE = re.compile(
    r"(?:^|[\s_-])(?:cookies?|consent|gdpr|nav|navbar|navigation|menu|breadcrumbs?|footer|sidebar|skip-?(?:link|to)"
    r"|social|share|newsletter|subscribe|advert\w*|promo|popup|modal|pagination|related)(?:$|[\s_-])",
    re.IGNORECASE,
)
_ROLES = {"navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar", "dialog", "alertdialog"}
_DROPPED = (
    "script",
    "style",
    "noscript",
    "nav",
    "footer",
    "aside",
    "form",
    "iframe",
    "svg",
    "template",
    "button",
    "dialog",
)
_BOILERPLATE = re.compile(
    r"^(?:we|this (?:web)?site|our (?:web)?sites?)\b.{0,40}\buses? cookies\b|\baccept (?:all )?cookies\b"
    r"|\bcookie (?:settings|preferences|policy|notice)\b|^skip to (?:main )?content|\ball rights reserved\b"
    r"|^(?:©|\(c\) ?|copyright )\s*\d{4}|^(?:home|accueil)\s*[>»›/|]"
    r"|^(?:privacy|terms of use|contact us|about us|site ?map|share this|follow us|back to top|sign in|log in"
    r"|table of contents)\b.{0,60}$",
    re.IGNORECASE,
)
_INVISIBLE = {0x200B: None, 0xFEFF: None, 0xAD: None}
_PAGE_MARK = re.compile(r"^(?:[A-Z]{1,3}-?)?(?:\d{1,4}|[ivxl]{1,6})$|^table of contents$", re.IGNORECASE)
_GAP_BEFORE = re.compile(r"(?<=\w) ([,.;:)\]”](?:\s|$))")
_GAP_AFTER = re.compile(r"([(\[“]) (?=\w)")
_CAPITALS = re.compile(r"^(?=(?:.*?[A-Z]){4})[^a-z.!?]{4,90}$")
_MARKS = re.compile(r"[☐☑☒þ¨]|^\W*(?:[\d.]+\s|\(\w+\)\s)?\[Repealed\b[^\]]*\]$")
"""Boxes of a form to tick, and provisions of which only the number is left."""
_PROSE_CELL = 12
"""Words that a table's cells have on average where they hold prose."""
_ALIKE = 8
"""Short paragraphs that may open with the same six words."""
_TABLE_CELLS = 200
"""A table with more cells than this and few words in each is data, not prose."""


def page_text(source: str) -> tuple[str, str]:
    """The title and the text of a page: paragraphs and headings with blank lines between; empty where there is none.

    Raises ValueError where the page cannot be taken apart.
    """
    from lxml import etree, html

    try:
        parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
        tree = html.document_fromstring(source.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError, AssertionError) as error:
        raise ValueError(f"it cannot be read as HTML: {error}") from None
    title = " ".join((tree.findtext(".//title") or "").split())
    filed = _filed(tree)
    try:
        _prune(tree)
        first = tree.find(".//h1")
        heading = "" if first is None else _flat(first)
        blocks = _extracted(tree)
    except RecursionError:
        raise ValueError("it nests too deep") from None
    return heading or filed or title, "\n\n".join(blocks)


def _filed(tree: Any) -> str:
    """Who filed an inline XBRL page, in which form, for which period; empty where it does not say."""
    names = ("EntityRegistrantName", "DocumentType", "DocumentPeriodEndDate")
    found = {element.get("name", ""): _flat(element) for element in tree.iter("{*}nonnumeric", "ix:nonnumeric")}
    who, form, end = (found.get(f"dei:{name}", "") for name in names)
    return f"{who}, Form {form}{', ' + end if end else ''}" if who and form else ""


def _prune(tree: Any) -> None:
    """Take out of a page what is never its text, hidden parts too."""
    doomed = []
    for element in tree.iter():
        tag = element.tag if isinstance(element.tag, str) else ""
        if tag in {"html", "body", "main", "article"}:
            continue
        style = (element.get("style") or "").replace(" ", "").lower()
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        if (
            tag in _DROPPED
            or tag == "ix:header"
            or (element.get("role") or "").lower() in _ROLES
            or element.get("aria-hidden") == "true"
            or element.get("hidden") is not None
            or "display:none" in style
            or "visibility:hidden" in style
            or (len(names) > 1 and _FURNITURE.search(names))
        ):
            doomed.append(element)
    for element in doomed:
        if element.getparent() is not None:
            element.drop_tree()


def _extracted(tree: Any) -> list[str]:
    from trafilatura import bare_extraction

    words = len(tree.text_content().split())
    found = bare_extraction(tree, include_comments=False, include_tables=True, include_links=False, with_metadata=False)
    body = getattr(found, "body", None)
    blocks = [] if body is None else _unrepeated(list(_kept(_blocks(body))))
    if words > 2000 and sum(len(block.split()) for block in blocks) * 5 < words:
        again = _unrepeated(list(_kept(_plain_blocks(tree))))
        if sum(map(len, again)) > sum(map(len, blocks)):
            return again
    return blocks


def _blocks(body: Any) -> Iterator[str]:
    """Paragraphs of trafilatura's tree, in order."""
    for element in body:
        match element.tag:
            case "head":
                level = re.sub(r"\D", "", element.get("rend") or "") or "2"
                text = _flat(element)
                if text:
                    yield f"{'#' * min(int(level), 6)} {text}"
            case "list":
                items = [_flat(item) for item in element.iter("item")]
                yield "\n".join(f"- {item}" for item in items if item)
            case "table":
                yield from _table(element)
            case "div" | "body" | "main" | "section" | "article":
                yield from _blocks(element)
            case _:
                yield _flat(element)
        if element.tail and element.tail.strip():
            yield " ".join(element.tail.split())


def _table(table: Any) -> Iterator[str]:
    """A table's rows, one a line; paragraphs where its cells hold them; nothing of a large table of figures."""
    rows = [[_flat(cell) for cell in row.iter("cell")] for row in table.iter("row")]
    rows = [[cell for cell in row if cell] for row in rows]
    cells = [cell for row in rows for cell in row]
    if not cells:
        return
    average = sum(len(cell.split()) for cell in cells) / len(cells)
    if average >= _PROSE_CELL:
        yield from (" ".join(row) for row in rows if row)
    elif len(cells) <= _TABLE_CELLS and average >= 3:
        yield "\n".join("| " + " | ".join(row) + " |" for row in rows if row)


def _plain_blocks(tree: Any) -> Iterator[str]:
    """Paragraphs of a page that lays its lines out one by one: joined until a line ends a sentence."""
    _drop_data(tree)
    held: list[str] = []
    for line in (" ".join(text.translate(_INVISIBLE).split()) for text in tree.itertext()):
        if not line or _PAGE_MARK.match(line):
            continue
        if _CAPITALS.match(line) and (not held or held[-1].endswith((".", "?", "!", ":"))):
            if held:
                yield _closed(held)
            held = []
            yield f"## {line}"
            continue
        held.append(line)
        joined = _closed(held)
        if line.endswith((".", "?", "!", ":")) and len(joined.split()) >= 40:
            yield joined
            held = []
        elif len(joined) > 4000:
            held = []
    if held:
        yield _closed(held)


def _drop_data(tree: Any) -> None:
    """Take out tables whose cells hold figures and labels; what lays prose out in a table stays."""
    for table in list(tree.iter("table")):
        cells = [words for cell in table.iter("td", "th") if (words := _flat(cell).split())]
        if len(cells) > 3 and sum(map(len, cells)) < _PROSE_CELL * len(cells) and table.getparent() is not None:
            table.drop_tree()


def _unrepeated(blocks: list[str]) -> list[str]:
    """Blocks without those of a list that opens each of its entries with the same words, such as an index."""
    opened = Counter(tuple(block.split()[:6]) for block in blocks if len(block.split()) <= 40)
    return [block for block in blocks if len(block.split()) > 40 or opened[tuple(block.split()[:6])] <= _ALIKE]


def _closed(lines: list[str]) -> str:
    return _GAP_AFTER.sub(r"\1", _GAP_BEFORE.sub(r"\1", " ".join(lines)))


def _flat(element: Any) -> str:
    """The text of an element on one line, without the gaps that inline markup leaves beside punctuation."""
    return _closed(" ".join(element.itertext()).translate(_INVISIBLE).split())


def _kept(blocks: Iterator[str]) -> Iterator[str]:
    """Blocks that are text: no furniture, no runs of figures, none twice in a row."""
    last = ""
    for block in blocks:
        words = block.split()
        if not words or block == last:
            continue
        last = block
        if (len(words) < 60 and _BOILERPLATE.search(block)) or (len(words) < 120 and _MARKS.search(block)):
            continue
        if any(len(word) > 200 for word in words):
            continue
        wordy = sum(any(c.isalpha() for c in word) for word in words)
        if wordy * 2 < len(words):
            continue
        if len(words) >= 40 and not is_prose(words):
            continue
        yield block
