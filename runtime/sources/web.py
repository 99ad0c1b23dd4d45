"""Public web pages: a page to start from, and as many of its site as the config asks for."""

from collections import deque

from evalspec.runtime.sources import Document, Skipped
from evalspec.runtime.sources.fetch import Check, Pace
from evalspec.runtime.sources.library import Library, Page
from evalspec.runtime.sources.links import readable, same_site
from evalspec.spec.config import WebTarget

NAME = "web_sources"


async def read_target(library: Library, target: WebTarget, pace: Pace, check: Check | None) -> list[Document | Skipped]:
    """The pages of one target, breadth first: links in the text go before those of menus. Raises JournalError."""
    out: list[Document | Skipped] = []
    queue = deque([target.url])
    seen = {target.url}
    pages = gone = 0
    while queue and pages < target.max_pages:
        page = await library.page(NAME, queue.popleft(), pace, check)
        if page is None:
            continue
        pages += 1
        if page.gone and page.address != target.url:
            gone += 1
        else:
            out.append(page.document(NAME, target))
        for address in _onward(page, target.url):
            if address not in seen:
                seen.add(address)
                queue.append(address)
    if gone:
        out.append(Skipped(target.url, f"{gone} of the links from there lead to pages that are gone"))
    return out


def _onward(page: Page, start: str) -> list[str]:
    pages, _ = readable(address for address in (*page.links, *page.menu) if same_site(address, start))
    return pages
