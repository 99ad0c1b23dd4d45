"""Where a page leads, and under which licence it stands."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from evalspec.runtime.sources.addresses import AddressError, parsed
from evalspec.spec.dataclass import dataclass

MOST = 400
"""Links of a page that are kept, of each kind."""
_MOST_SEEN = 5000
"""Anchors of a page that are looked at."""
_MOST_ABOVE = 100
"""Elements around an anchor that are looked at."""
_LONGEST = 2000
"""Characters of a link that is one."""
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


def page_links(tree: Any, base: str) -> Links:
    """The links of a parsed page at `base`: of its first few thousand anchors, and of each kind so many as are kept."""
    base = _joined(base, tree.xpath("string(//base/@href)")) or base
    found: dict[bool, dict[str, None]] = {True: {}, False: {}}
    seen: set[tuple[bool, str]] = set()
    for anchor in islice(tree.iter("a"), _MOST_SEEN):
        link = (anchor.get("href") or "").partition("#")[0].strip()
        around = _in_furniture(anchor)
        if len(found[around]) == MOST or (around, link) in seen or "nofollow" in (anchor.get("rel") or ""):
            continue
        seen.add((around, link))
        address = _joined(base, link)
        if address is not None:
            found[around][address] = None
    licence = tree.xpath("string((//a|//link)[contains(concat(' ', @rel, ' '), ' license ')][1]/@href)")
    menu = tuple(address for address in found[True] if address not in found[False])
    return Links(tuple(found[False]), menu, _joined(base, licence) if licence else None)


def _in_furniture(element: Any) -> bool:
    above = islice(element.iterancestors(), _MOST_ABOVE)
    return any(parent.tag in _FURNITURE or parent.get("role") == "navigation" for parent in above)


def _joined(base: str, link: str) -> str | None:
    """A link as an absolute http or https address without its fragment."""
    link = link.strip()
    if not link or len(link) > _LONGEST or link.startswith(("#", "mailto:", "javascript:", "tel:", "data:")):
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
