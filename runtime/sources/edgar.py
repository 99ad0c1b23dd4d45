"""Filings of the SEC: its full-text search, then the documents that were found."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any
from urllib.parse import quote, urlencode

from evalspec.runtime.sources import Document, Skipped
from evalspec.runtime.sources.addresses import parsed
from evalspec.runtime.sources.fetch import Check, FetchError, Pace
from evalspec.runtime.sources.library import Library
from evalspec.runtime.sources.links import readable
from evalspec.spec.config import Api

NAME = "sec_edgar"
LEAST_DELAY = 0.15
"""Seconds; the SEC allows ten requests a second."""
FORMS = "10-K,20-F,40-F,10-Q,N-1A,485BPOS"
NO_CONTACT = "the SEC wants to know whom to reach: set EVALSPEC_CONTACT, in the environment or in .env beside the plan"
_MOST_RESULTS = 10
"""Pages of results that are asked for, of each query."""
_ID = re.compile(r"^(\d{10}-\d{2}-\d{1,8}):([\w.,()+ -]{1,200})$")

_TICKERS = re.compile(r"(?:\s*\((?:CIK [0-9]{1,10}|[A-Z0-9.,\s-]{1,80})\))+\s*$")
"""What follows a company's name in a result: `(WFC, WFC-PA)  (CIK 0000072971)`."""


async def read_filings(
    library: Library, api: Api, queries: tuple[str, ...], pace: Pace, check: Check | None
) -> list[Document | Skipped]:
    """Up to `max_documents` filings, in turn from each query. Raises JournalError."""
    pace = replace(pace, delay=max(pace.delay, LEAST_DELAY))
    out: list[Document | Skipped] = []
    found: list[dict[str, str]] = []
    for query in queries:
        listed = await _search(library, api, query, pace)
        if isinstance(listed, Skipped):
            out.append(listed)
        else:
            found.append(listed)
    titles = {link: title for listed in reversed(found) for link, title in listed.items()}
    addresses = dict.fromkeys(link for row in zip_longest(*found) for link in row if link is not None)
    pages, _ = readable(addresses)
    used = 0
    for address in pages[: 2 * api.max_documents]:
        if used == api.max_documents:
            break
        page = await library.page(NAME, address, pace, check, title=titles[address])
        if page is not None:
            out.append(page.document(NAME, api))
            used += page.reason is None
    return out


async def _search(library: Library, api: Api, query: str, pace: Pace) -> dict[str, str] | Skipped:
    """The addresses and titles of a query's filings, from the manifest where it was asked before."""
    key = f"{api.base_url}?{urlencode({'q': query, 'forms': FORMS, 'most': api.max_documents})}"
    entry = library.raw.get(key)
    if entry is not None:
        return dict(zip_longest(entry.links, entry.titles[: len(entry.links)], fillvalue=""))
    if library.fetcher is None:
        library.missing = True
        return {}
    found: dict[str, str] = {}
    start = 0
    for _ in range(_MOST_RESULTS):
        address = f"{api.base_url}?{urlencode({'q': query, 'forms': FORMS, 'from': start})}"
        try:
            answer = await library.fetcher.get(address, pace)
            hits = list(_hits(json.loads(answer.data), api.base_url))
        except FetchError as error:
            return Skipped(f"{NAME}: {query}", f"the search failed: {error}")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return Skipped(f"{NAME}: {query}", "the search answers what is no list of filings")
        before = len(found)
        found.update(hits)
        start += len(hits)
        if len(found) == before or len(found) >= 2 * api.max_documents:
            break
    library.raw.put(key, NAME, 200, None, skipped="a list", links=tuple(found), titles=tuple(found.values()))
    return found


def _hits(answer: Any, base_url: str) -> Iterator[tuple[str, str]]:
    """The address and the title of each filing that a page of results names."""
    for hit in answer["hits"]["hits"]:
        match = _ID.match(hit["_id"])
        if match is not None:
            filer = int(hit["_source"]["ciks"][0])
            address = f"{archive(base_url)}/{filer}/{match[1].replace('-', '')}/{quote(match[2])}"
            yield address, _title(hit["_source"])


def _title(filing: Any) -> str:
    """Who filed, in which form, for which period, as far as EDGAR tells it; empty where it does not name a company."""
    names = [_TICKERS.sub("", str(name)).strip() for name in filing.get("display_names") or ()]
    form, end = filing.get("form") or filing.get("file_type"), filing.get("period_ending") or filing.get("file_date")
    if not names or not names[0] or not form:
        return ""
    return f"{names[0]}, Form {form}{f', {end}' if end else ''}"[:200]


def archive(base_url: str) -> str:
    """Where the documents of a search lie: on www.sec.gov for the SEC's own, else on the same host."""
    url = parsed(base_url)
    host = "www.sec.gov" if url.host == "efts.sec.gov" else url.netloc.decode("ascii")
    return f"{url.scheme}://{host}/Archives/edgar/data"
