"""A regulator's guidance: a page that lists documents, and the documents on the same host."""

from evalspec.runtime.sources import Document, Skipped
from evalspec.runtime.sources.fetch import Check, Pace
from evalspec.runtime.sources.library import Library
from evalspec.runtime.sources.links import readable, same_site
from evalspec.spec.config import Api

NAME = "osfi_guidelines"


async def read_guidance(library: Library, api: Api, pace: Pace, check: Check | None) -> list[Document | Skipped]:
    """Up to `max_documents` documents, in the order of the list. Raises JournalError.

    With queries, only links whose address holds one of them.
    """
    listing = await library.page(NAME, api.base_url, pace, check)
    if listing is None:
        return []
    out: list[Document | Skipped] = []
    if not listing.links:
        return [Skipped(api.base_url, listing.reason or "it lists no documents")]
    links = [link for link in listing.links if link != api.base_url and same_site(link, api.base_url)]
    if api.queries:
        wanted = ["-".join(query.lower().split()) for query in api.queries]
        links = [link for link in links if any(words in link.lower() for words in wanted)]
    pages, others = readable(links)
    found = 0
    for address in pages[: 2 * api.max_documents]:
        if found == api.max_documents:
            break
        page = await library.page(NAME, address, pace, check)
        if page is not None:
            out.append(page.document(NAME, api))
            found += page.reason is None
    for ending, count in sorted(others.items()):
        what = "1 document" if count == 1 else f"{count} documents"
        out.append(Skipped(api.base_url, f"{what} of type {ending} that it lists not read (only pages of text are)"))
    return out
