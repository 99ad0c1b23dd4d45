"""The text of an HTML page without what surrounds it: navigation, banners, footers."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

from evalspec.runtime.sources.layout import flat, laid_out
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
_GAP_BEFORE = re.compile(r"(?<=\w) ([,.;:)\]”])(?=[\s,;:)\]”]|\.(?!\.)|$)")
_GAP_AFTER = re.compile(r"([(\[“]) (?=\w)")
_PART = re.compile(r"(?:[.;:,—]|\b(?:and|or))[\"'”’)\]]*$")
"""How a sentence, or a part of one, ends."""
_FILLER = re.compile(r"(^|\s)?(?:(?:_{3,}|\.{4,}|(?:\. ){4,}|-{4,}|={4,}|…{2,})\s?)+")
"""Leaders, and lines to write on."""
_MACHINE = re.compile(r"\d{5}|\.html?\b|_|^\S*$")
"""A title that a program gave."""
_OF_EVERY_FILING = re.compile(
    r"^(?:united states|securities and exchange|washington|filed|registration|as filed|file n|subject to completion"
    r"|calculation|table of contents|form\b|commission file)",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[☐☑☒þ¨]|^\W*(?:[\d.]+\s|\(\w+\)\s)?\[Repealed\b[^\]]*\]$")
"""Boxes of a form to tick, and provisions of which only the number is left."""
_TAG = re.compile("<[a-zA-Z]")
MOST_TAGS = 500_000
"""Elements of a page; annual reports of large banks in inline XBRL have 100,000 and more."""
_MOST_MARKED = 20_000
"""Elements of a page that trafilatura is given: it takes seconds over more."""
_LONG = 2000
"""Words of a page that is looked at again where little of it was found."""
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
    return text_of(parsed_page(source))


def parsed_page(source: str) -> Any:
    """The tree of a page. Raises ValueError where there is none, or it has more elements than a page has."""
    from lxml import etree, html

    if sum(1 for _ in _TAG.finditer(source)) > MOST_TAGS:
        raise ValueError(f"it has over {MOST_TAGS} elements")
    try:
        parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
        return html.document_fromstring(source.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError, AssertionError) as error:
        raise ValueError(f"it cannot be read as HTML: {error}") from None


def text_of(tree: Any) -> tuple[str, str]:
    """The title and the text of a parsed page, which is pruned on the way. Raises ValueError."""
    title = " ".join((tree.findtext(".//title") or "").split())
    filed, filing = _filed(tree), _is_filing(tree)
    try:
        _prune(tree)
        _set_notes_apart(tree)
        first = tree.find(".//h1")
        heading = "" if first is None else _flat(first)
        blocks = _extracted(tree, filing=filing)
    except RecursionError:
        raise ValueError("it nests too deep") from None
    if filing and not filed and _MACHINE.search(title):
        title = _first_heading(blocks) or title
    return heading or filed or title, "\n\n".join(blocks)


def _filed(tree: Any) -> str:
    """Who filed an inline XBRL page, in which form, for which period; empty where it does not say."""
    names = ("EntityRegistrantName", "DocumentType", "DocumentPeriodEndDate")
    found = {element.get("name", ""): _flat(element) for element in tree.iter("{*}nonnumeric", "ix:nonnumeric")}
    who, form, end = (found.get(f"dei:{name}", "") for name in names)
    return f"{who}, Form {form}{', ' + end if end else ''}" if who and form else ""


def _first_heading(blocks: list[str]) -> str:
    """The first heading that says what a filing is; empty where none does."""
    headings = (block.lstrip("# ") for block in blocks if block.startswith("#"))
    return next((text for text in headings if len(text.split()) > 1 and not _OF_EVERY_FILING.search(text)), "")


def _set_notes_apart(tree: Any) -> None:
    """Put the number of a note in brackets where it would run into the word or the figure that it stands at."""
    for note in list(tree.iter("sup")):
        before = note.getprevious()
        text = note.getparent().text if before is None else before.tail or flat(before)
        number = flat(note)
        if number.isdigit() and (text or "")[-1:].isalnum():
            del note[:]
            note.text = f" [{number}]"


def _is_filing(tree: Any) -> bool:
    """Whether a page is a document of EDGAR: inline XBRL, or what a submission's header begins."""
    return next(tree.iter("ix:header", "ix:nonnumeric", "ix:nonfraction", "type"), None) is not None


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


def _extracted(tree: Any, *, filing: bool) -> list[str]:
    """The blocks of a pruned page; as it is laid out in a filing, and where its markup does not tell what is text."""
    from trafilatura import bare_extraction

    if filing or sum(1 for _ in tree.iter()) > _MOST_MARKED:
        return list(_kept(laid_out(tree)))
    words = len(tree.text_content().split())
    copy = deepcopy(tree) if words > _LONG else tree
    found = bare_extraction(copy, include_comments=False, include_tables=True, include_links=False, with_metadata=False)
    body = getattr(found, "body", None)
    blocks = [] if body is None else _unrepeated(list(_kept(_blocks(body))))
    if words > _LONG and sum(len(block.split()) for block in blocks) * 5 < words:
        again = _unrepeated(list(_kept(laid_out(tree))))
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


def _unrepeated(blocks: list[str]) -> list[str]:
    """Blocks without those of a list that opens each of its entries with the same words, such as an index.

    What ends as a sentence or an entry of a provision does is none.
    """
    opening = [tuple(block.split()[:6]) if _is_bare(block) else () for block in blocks]
    opened = Counter(opening)
    return [block for block, words in zip(blocks, opening, strict=True) if not words or opened[words] <= _ALIKE]


def _is_bare(block: str) -> bool:
    """Whether a block is short and no part of a sentence."""
    return len(block.split()) <= 40 and not _PART.search(block)


def _flat(element: Any) -> str:
    """The text of an element on one line, without the gaps that markup leaves beside punctuation."""
    return _GAP_AFTER.sub(r"\1", _GAP_BEFORE.sub(r"\1", flat(element)))


def _kept(blocks: Iterable[str]) -> Iterator[str]:
    """Blocks that are text: no furniture, no runs of figures, none twice in a row."""
    last = ""
    for block in (_FILLER.sub(r"\1", block).rstrip() for block in blocks):
        words = block.split()
        if not words or block == last:
            continue
        last = block
        if (len(words) < 60 and _BOILERPLATE.search(block)) or (len(words) < 120 and _MARKS.search(block)):
            continue
        if any(len(word) > 200 for word in words):
            continue
        said = [word for word in words if any(map(str.isalnum, word))]
        wordy = sum(any(map(str.isalpha, word)) for word in said)
        if not wordy or (wordy * 2 < len(said) and not _PART.search(block)):
            continue
        if len(words) >= 40 and not is_prose(words) and not _PART.search(block):
            continue
        yield block
