"""Where a page leads, and under which licence it stands."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evalspec.runtime.sources.addresses import AddressError, parsed

MOST = 400
"""Links of a page that are kept, of each kind."""
_FURNITURE = ("nav", "header", "footer", "aside", "form", "dialog", "template")
_NO_TEXT = frozenset(
    {
        ".pdf",
        ".doc",
        ".docx",
        ".xls",
        ".xlsx",
        ".ppt",
        ".pptx",
        ".zip",
        ".gz",
        ".csv",
        ".json",
        ".xml",
        ".rss",
        ".jpg",
        ".jpeg",
        ".png",
        ".gif",
        ".svg",
        ".webp",
        ".ico",
        ".mp3",
        ".mp4",
        ".avi",
        ".mov",
        ".css",
        ".js",
        ".exe",
        ".epub",
    }
)


@dataclass(frozen=True, slots=True)
class Links:
    """Absolute addresses, each once: those in the text, then those around it."""

    text: tuple[str, ...] = ()
    menu: tuple[str, ...] = ()
    licence: str | None = None


def page_links(source: str, base: str) -> Links:
    """The links of a page at `base`; none where it cannot be taken apart."""
    from lxml import etree, html

    try:
        parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
        tree = html.document_fromstring(source.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError, AssertionError):
        return Links()
    base = _joined(base, tree.xpath("string(//base/@href)")) or base
    inside: dict[str, None] = {}
    around: dict[str, None] = {}
    for anchor in tree.iter("a"):
        address = _joined(base, anchor.get("href") or "")
        if address is None or "nofollow" in (anchor.get("rel") or ""):
            continue
        kind = around if _in_furniture(anchor) else inside
        if len(kind) < MOST:
            kind[address] = None
    licence = tree.xpath("string((//a|//link)[contains(concat(' ', @rel, ' '), ' license ')][1]/@href)")
    menu = tuple(address for address in around if address not in inside)
    return Links(tuple(inside), menu, _joined(base, licence) if licence else None)


def _in_furniture(element: Any) -> bool:
    return any(parent.tag in _FURNITURE or parent.get("role") == "navigation" for parent in element.iterancestors())


def _joined(base: str, link: str) -> str | None:
    """A link as an absolute http or https address without its fragment."""
    link = link.strip()
    if not link or link.startswith(("#", "mailto:", "javascript:", "tel:", "data:")):
        return None
    try:
        return str(parsed(str(parsed(base).join(link))))
    except (AddressError, ValueError):
        return None


def same_site(address: str, other: str) -> bool:
    """Whether two addresses are on one host and port, `www.` aside."""
    return _site(address) == _site(other)


def _site(address: str) -> tuple[str, int | None]:
    url = parsed(address)
    return url.host.removeprefix("www."), url.port


def readable(addresses: Iterable[str]) -> tuple[list[str], dict[str, int]]:
    """Addresses whose names promise a page, and how many there are of each other kind, by ending."""
    pages: list[str] = []
    others: dict[str, int] = {}
    for address in addresses:
        name = parsed(address).path.rpartition("/")[2].lower()
        ending = f".{name.rpartition('.')[2]}" if "." in name else ""
        if ending in _NO_TEXT:
            others[ending] = others.get(ending, 0) + 1
        else:
            pages.append(address)
    return pages, others
