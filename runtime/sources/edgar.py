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


async def read_filings(
    library: Library, api: Api, queries: tuple[str, ...], pace: Pace, check: Check | None
) -> list[Document | Skipped]:
    """Up to `max_documents` filings, in turn from each query. Raises JournalError."""
    pace = replace(pace, delay=max(pace.delay, LEAST_DELAY))
    out: list[Document | Skipped] = []
    found: list[list[str]] = []
    for query in queries:
        listed = await _search(library, api, query, pace)
        if isinstance(listed, Skipped):
            out.append(listed)
        else:
            found.append(listed)
    addresses = dict.fromkeys(link for row in zip_longest(*found) for link in row if link is not None)
    pages, _ = readable(addresses)
    used = 0
    for address in pages[: 2 * api.max_documents]:
        if used == api.max_documents:
            break
        page = await library.page(NAME, address, pace, check)
        if page is not None:
            out.append(page.document(NAME, api))
            used += page.reason is None
    return out


async def _search(library: Library, api: Api, query: str, pace: Pace) -> list[str] | Skipped:
    """The addresses of a query's filings, from the manifest where it was asked before."""
    key = f"{api.base_url}?{urlencode({'q': query, 'forms': FORMS, 'most': api.max_documents})}"
    entry = library.raw.get(key)
    if entry is not None:
        return list(entry.links)
    if library.fetcher is None:
        return []
    found: dict[str, None] = {}
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
        found.update(dict.fromkeys(hits))
        start += len(hits)
        if len(found) == before or len(found) >= 2 * api.max_documents:
            break
    library.raw.put(key, NAME, 200, None, skipped="a list", links=tuple(found))
    return list(found)


def _hits(answer: Any, base_url: str) -> Iterator[str]:
    for hit in answer["hits"]["hits"]:
        match = _ID.match(hit["_id"])
        if match is not None:
            filer = int(hit["_source"]["ciks"][0])
            yield f"{archive(base_url)}/{filer}/{match[1].replace('-', '')}/{quote(match[2])}"


def archive(base_url: str) -> str:
    """Where the documents of a search lie: on www.sec.gov for the SEC's own, else on the same host."""
    url = parsed(base_url)
    host = "www.sec.gov" if url.host == "efts.sec.gov" else url.netloc.decode("ascii")
    return f"{url.scheme}://{host}/Archives/edgar/data"
