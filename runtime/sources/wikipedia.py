"""Articles of Wikipedia, by category."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from evalspec.runtime.sources import Document, Skipped
from evalspec.runtime.sources.fetch import Fetcher, FetchError, Pace
from evalspec.runtime.sources.library import Library, Page
from evalspec.runtime.sources.robots import TOKEN
from evalspec.spec.config import Wikipedia, WikipediaCategory

if TYPE_CHECKING:
    from wikipediaapi import AsyncWikipedia

NAME = "wikipedia"
LICENCE = "CC BY-SA 4.0"
DEPTH = 2
"""Subcategories that are walked, below the one that is named."""
_MOST_REQUESTS = 40
"""For the members of one category, and categories for one that is named."""
_MAIN, _CATEGORY = 0, 14
_MAY_REFER = re.compile(r"\b(?:may|can|could) (?:also )?refer to\b[^.]{0,60}:|\bpeut (?:aussi )?désigner\b")
_NO_TEXT = frozenset(
    {
        "references",
        "external links",
        "see also",
        "notes",
        "further reading",
        "bibliography",
        "sources",
        "footnotes",
        "citations",
        "gallery",
        "références",
        "liens externes",
        "voir aussi",
        "notes et références",
        "bibliographie",
    }
)


class _NoArticleError(FetchError):
    """A page that is no article, and will be none tomorrow."""


class Encyclopedia:
    """One Wikipedia, asked through its API: robots.txt is for crawlers, and is not consulted."""

    def __init__(self, library: Library, config: Wikipedia, pace: Pace) -> None:
        self._library = library
        self._most = config.max_articles_per_category
        language = library.language.partition("-")[0]
        base = config.base_url or f"https://{language}.wikipedia.org"
        self._api = base if base.endswith(".php") else f"{base.rstrip('/')}/w/api.php"
        self._articles = f"{self._api.rpartition('/w/')[0] or base}/wiki/"
        self._client = None if library.fetcher is None else make_client(library.fetcher, pace, self._api, language)

    async def read(self, category: str | WikipediaCategory) -> list[Document | Skipped]:
        """Up to `max_articles_per_category` articles of a category. Raises JournalError."""
        entry = WikipediaCategory(name=category) if isinstance(category, str) else category
        titles = await self._titles(entry.name)
        if isinstance(titles, Skipped):
            return [titles]
        out: list[Document | Skipped] = []
        for title in titles:
            page = await self._article(title)
            if page is not None:
                out.append(page.document(NAME, entry))
        return out

    async def _titles(self, category: str) -> list[str] | Skipped:
        """Titles of a category's articles, from the manifest where it was walked before."""
        key = f"{self._articles}{quote(category)}?most={self._most}&depth={DEPTH}"
        entry = self._library.raw.get(key)
        if entry is not None:
            return list(entry.links)
        if self._client is None:
            return []
        try:
            titles = await self._walk(self._client, category)
        except FetchError as error:
            return Skipped(category, str(error))
        if not titles:
            return Skipped(category, "the category holds no articles")
        self._library.raw.put(key, NAME, 200, None, skipped="a list", links=tuple(titles))
        return titles

    async def _walk(self, client: "AsyncWikipedia", category: str) -> list[str]:
        """Titles breadth first, each category once: one may hold itself."""
        titles: dict[str, None] = {}
        level, seen, requests = [category], {_same(category)}, 0
        for _ in range(DEPTH + 1):
            below: list[str] = []
            for name in level:
                if len(titles) >= self._most or requests >= _MOST_REQUESTS:
                    break
                requests += 1
                for title, namespace in await _members(client, name):
                    if namespace == _MAIN:
                        titles[title] = None
                    elif namespace == _CATEGORY and _same(title) not in seen:
                        seen.add(_same(title))
                        below.append(title)
            level = below
        return list(titles)[: self._most]

    async def _article(self, title: str) -> Page | None:
        address = self._articles + quote(title.replace(" ", "_"))
        page = self._library.kept(address)
        if page is None and self._client is not None:
            try:
                shown, text = await _text(self._client, title)
                page = await self._library.keep(NAME, address, shown, text, licence=LICENCE)
            except _NoArticleError as error:
                page = self._library.refuse(NAME, address, str(error))
            except FetchError as error:
                page = Page(address, reason=str(error), failed=True)
        if page is not None:
            self._library.tell(NAME, page)
        return page


def make_client(fetcher: Fetcher, pace: Pace, api: str, language: str) -> "AsyncWikipedia":
    """A client of the wikipedia-api package that asks `api`, and asks it through `fetcher`."""
    from wikipediaapi import AsyncWikipedia

    asked: Counter[str] = Counter()

    class Client(AsyncWikipedia):  # type: ignore[misc]
        @staticmethod
        def _build_url(language: str) -> str:  # noqa: ARG004
            return api

        async def _get(self, language: str, params: dict[str, Any]) -> Any:
            import httpx

            answer = await fetcher.get(str(httpx.URL(self._build_url(language), params=params)), pace)
            found = json.loads(answer.data)
            asked[str(params.get("cmtitle"))] += 1
            if asked[str(params.get("cmtitle"))] >= _MOST_REQUESTS:
                found.pop("continue", None)
            return found

        def _extracts_params(self, page: Any, **more: Any) -> Any:
            return super()._extracts_params(page, prop="extracts|pageprops", ppprop="disambiguation", **more)

        def _build_extracts(self, extract: Any, page: Any) -> Any:
            page._attributes["apart"] = "disambiguation" in extract.get("pageprops", {})
            return super()._build_extracts({"extract": "", **extract}, page)

    return Client(user_agent=TOKEN, language=language, max_retries=0)


@contextmanager
def _answers() -> Iterator[None]:
    """Make a FetchError of an answer that is not what the API promises."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise FetchError("the API answers what it does not promise") from None


async def _members(client: "AsyncWikipedia", category: str) -> list[tuple[str, int]]:
    """Titles and namespaces in a category. Raises FetchError."""
    with _answers():
        found = await client.categorymembers(client.page(category, ns=_CATEGORY))
        return [(str(title), int(member.ns)) for title, member in found.items()]


async def _text(client: "AsyncWikipedia", title: str) -> tuple[str, str]:
    """The title of an article after redirects, and its text with headings. Raises FetchError, _NoArticleError."""
    with _answers():
        page = client.page(title)
        summary = str(await page.summary)
        apart = page._attributes.get("apart")
        blocks = [*_paragraphs(summary), *_sections(await page.sections)]
        shown = str(page.title)
    if apart is None:
        raise _NoArticleError("there is no such article")
    if apart or _MAY_REFER.search(summary[:400]):
        raise _NoArticleError("it only tells articles apart")
    return shown, "\n\n".join(blocks)


def _sections(sections: Iterable[Any]) -> Iterator[str]:
    """Headings and paragraphs; sections of references, and headings over nothing, are left out."""
    for section in sections:
        if section.title.strip().lower() in _NO_TEXT:
            continue
        blocks = [*_paragraphs(section.text), *_sections(section.sections)]
        if blocks:
            yield f"{'#' * min(section.level + 1, 6)} {' '.join(section.title.split())}"
            yield from blocks


def _paragraphs(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        words = " ".join(line.split())
        if words and "\\displaystyle" not in words:
            yield words


def _same(category: str) -> str:
    return category.replace("_", " ").strip().lower()
