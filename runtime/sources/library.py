"""An address as text: from data/raw/ where it was read before, else fetched, taken apart and kept."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from evalspec.runtime.sources import Document, Skipped
from evalspec.runtime.sources.apart import TEXT, Answer, Parts
from evalspec.runtime.sources.fetch import Check, Fetcher, FetchError, Pace
from evalspec.runtime.sources.raw import Entry, Raw
from evalspec.runtime.sources.readers import ReadError, Readers
from evalspec.spec.config import Served
from evalspec.spec.dataclass import dataclass


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
        self,
        raw: Raw,
        fetcher: Fetcher | None,
        readers: Readers,
        language: str,
        visited: Callable[[Visit], None] | None = None,
    ) -> None:
        self.raw = raw
        self.fetcher = fetcher
        self.language = language
        self.missing = False
        """Whether something was asked for that is not kept, and there is no fetcher."""
        self._readers = readers
        self._visited = visited or (lambda _visit: None)
        self._locks: dict[str, asyncio.Lock] = {}
        self._failed: dict[str, Page] = {}

    async def page(self, source: str, address: str, pace: Pace, check: Check | None, *, title: str = "") -> Page | None:
        """The page at `address`; None where it is not kept and nothing is fetched. Raises JournalError.

        A `title` goes before the one that the page gives itself.
        """
        async with self._locks.setdefault(address, asyncio.Lock()):
            page = self.kept(address) or self._failed.get(address)
            if page is None and self.fetcher is not None:
                page = await self._fetched(self.fetcher, source, address, pace, check, title)
        if page is None:
            self.missing = True
        else:
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

    async def keep(self, source: str, address: str, title: str, text: str, *, licence: str | None = None) -> Page:
        """Keep a text that was had from an interface, or why it is no document. Raises JournalError."""
        answer = Answer(text.encode("utf-8", "replace"), address, "text/plain", None, self.language, title)
        return await self._read(source, address, answer, licence)

    def refuse(self, source: str, address: str, reason: str) -> Page:
        """Keep that there is no document at `address`. Raises JournalError."""
        return _of(self.raw.put(address, source, 200, None, skipped=reason), "", cached=False)

    async def _fetched(
        self, fetcher: Fetcher, source: str, address: str, pace: Pace, check: Check | None, title: str
    ) -> Page:
        try:
            got = await fetcher.get(address, pace, check=check, kinds=TEXT)
        except FetchError as error:
            if not error.lasting:
                return self._failed.setdefault(address, Page(address, reason=str(error), failed=True))
            entry = self.raw.put(address, source, error.status or 0, None, skipped=str(error))
            return replace(_of(entry, "", cached=False), failed=True)
        return await self._read(source, address, Answer(got.data, got.url, got.kind, got.charset, self.language, title))

    async def _read(self, source: str, address: str, answer: Answer, licence: str | None = None) -> Page:
        try:
            parts = await self._readers.read(answer)
        except ReadError as error:
            parts = Parts(reason=str(error))
            if self.fetcher is not None:
                self.fetcher.tire(address, self._readers.bounds.seconds)
        entry = self.raw.put(
            address,
            source,
            200,
            None if parts.reason else parts.text,
            title=parts.title,
            licence=licence or parts.links.licence,
            skipped=parts.reason,
            links=parts.links.text,
            menu=parts.links.menu,
        )
        return _of(entry, parts.text, cached=False)


def _of(entry: Entry, text: str, *, cached: bool) -> Page:
    gone = entry.status in (404, 410)
    return Page(entry.address, entry.title, text, entry.skipped, entry.links, entry.menu, cached, gone)
