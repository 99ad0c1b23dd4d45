"""An address as text: from data/raw/ where it was read before, else fetched, taken apart and kept."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

from evalspec.runtime.sources import Document, Skipped
from evalspec.runtime.sources.decode import DecodeError, decode
from evalspec.runtime.sources.fetch import Check, Fetched, Fetcher, FetchError, Pace
from evalspec.runtime.sources.language import foreign
from evalspec.runtime.sources.links import Links, page_links
from evalspec.runtime.sources.raw import Entry, Raw
from evalspec.runtime.sources.sift import fault
from evalspec.runtime.sources.unlinked import ADDRESS, unlinked
from evalspec.spec.config import Served

MARKUP = ("text/html", "application/xhtml+xml")
TEXT = (*MARKUP, "text/plain")


@dataclass(frozen=True, slots=True)
class Page:
    """What an address gave: a text, or the reason why there is none."""

    address: str
    title: str = ""
    text: str = ""
    reason: str | None = None
    links: tuple[str, ...] = ()
    menu: tuple[str, ...] = ()
    cached: bool = False
    gone: bool = False
    """Whether the site says that there is no such page."""
    failed: bool = False
    """Whether nothing could be fetched there just now."""

    def document(self, origin: str, served: Served) -> Document | Skipped:
        """The page as a source gives it."""
        if self.reason is not None:
            return Skipped(self.address, self.reason)
        return Document(
            name=self.address,
            title=self.title,
            text=self.text,
            origin=origin,
            domains=served.domains,
            geographies=served.geographies,
        )


@dataclass(frozen=True, slots=True)
class Visit:
    """A page of one source that is at hand, for whoever shows progress."""

    source: str
    cached: bool
    used: bool
    failed: bool = False
    """Whether nothing came."""


class Library:
    """Pages by address. Without a fetcher it gives only what is kept."""

    def __init__(
        self, raw: Raw, fetcher: Fetcher | None, language: str, visited: Callable[[Visit], None] | None = None
    ) -> None:
        self.raw = raw
        self.fetcher = fetcher
        self.language = language
        self._visited = visited or (lambda _visit: None)
        self._locks: dict[str, asyncio.Lock] = {}
        self._failed: dict[str, Page] = {}

    async def page(self, source: str, address: str, pace: Pace, check: Check | None) -> Page | None:
        """The page at `address`; None where it is not kept and nothing is fetched. Raises JournalError."""
        async with self._locks.setdefault(address, asyncio.Lock()):
            page = self.kept(address) or self._failed.get(address)
            if page is None and self.fetcher is not None:
                page = await self._fetched(self.fetcher, source, address, pace, check)
        if page is not None:
            self.tell(source, page)
        return page

    def tell(self, source: str, page: Page) -> None:
        """Report a page as visited."""
        self._visited(Visit(source, page.cached, page.reason is None, page.failed))

    def kept(self, address: str) -> Page | None:
        """The page as data/raw/ holds it."""
        entry = self.raw.get(address)
        if entry is None:
            return None
        text = "" if entry.skipped is not None else self.raw.text(entry)
        if text is None:
            return None
        return _of(entry, text, cached=True)

    def keep(self, source: str, address: str, title: str, text: str, *, licence: str | None = None) -> Page:
        """Keep a text that was had from an interface, or why it is no document. Raises JournalError."""
        return self._put(source, address, Links(licence=licence), title, text, 200)

    def refuse(self, source: str, address: str, reason: str) -> Page:
        """Keep that there is no document at `address`. Raises JournalError."""
        return _of(self.raw.put(address, source, 200, None, skipped=reason), "", cached=False)

    async def _fetched(self, fetcher: Fetcher, source: str, address: str, pace: Pace, check: Check | None) -> Page:
        try:
            answer = await fetcher.get(address, pace, check=check, kinds=TEXT)
            title, text, links = await asyncio.to_thread(_read, answer)
        except FetchError as error:
            if not error.lasting:
                return self._failed.setdefault(address, Page(address, reason=str(error), failed=True))
            entry = self.raw.put(address, source, error.status or 0, None, skipped=str(error))
            return replace(_of(entry, "", cached=False), failed=True)
        except (DecodeError, ValueError) as error:
            return self.refuse(source, address, str(error))
        return self._put(source, address, links, title, text, 200)

    def _put(self, source: str, address: str, links: Links, title: str, text: str, status: int) -> Page:
        text = unlinked(text)
        title = " ".join(ADDRESS.sub("", title).split())[:600] or " ".join(text.split()[:8])
        reason = fault(text, title) or foreign(text, self.language)
        entry = self.raw.put(
            address,
            source,
            status,
            None if reason else text,
            title=title,
            licence=links.licence,
            skipped=reason,
            links=links.text,
            menu=links.menu,
        )
        return _of(entry, text, cached=False)


def _of(entry: Entry, text: str, *, cached: bool) -> Page:
    gone = entry.status in (404, 410)
    return Page(entry.address, entry.title, text, entry.skipped, entry.links, entry.menu, cached, gone)


def _read(answer: Fetched) -> tuple[str, str, Links]:
    """Title, text and links of an answer. Raises ValueError, DecodeError among them."""
    from evalspec.runtime.sources.markup import page_text

    data = answer.data
    if not data.strip():
        raise ValueError("it is empty")
    if data.startswith(b"%PDF"):
        raise ValueError("it is a PDF and not text")
    markup = answer.kind in MARKUP or (not answer.kind and data.lstrip()[:1] == b"<")
    text = decode(data, markup=markup, charset=answer.charset)
    if not markup:
        return _name(answer.url), text.strip(), Links()
    title, body = page_text(text)
    return title or _name(answer.url), body, page_links(text, answer.url)


def _name(address: str) -> str:
    """A title for what has none: the last part of its path, in words; empty where there is no path."""
    last = unquote(urlsplit(address).path.rstrip("/").rpartition("/")[2])
    words = last.rpartition(".")[0] or last
    return " ".join(words.replace("-", " ").replace("_", " ").split())
