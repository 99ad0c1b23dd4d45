"""A web on loopback whose pages are scripted, and a way to read it as a plan's sources."""

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from evalspec.runtime.sources import Document, Skipped
from evalspec.runtime.sources.fetch import Bounds
from evalspec.runtime.sources.live import LiveSource
from evalspec.spec.config import Apis, SourceConfig, WebSources, WebTarget, Wikipedia
from evalspec.spec.plan import Plan

BOUNDS = Bounds(most_bytes=400_000, seconds=3.0, silence=0.4, first_wait=0.05, longest_wait=5.0)
SENTENCE = "The bank keeps a register of the accounts and looks at every entry in it once a year. "  # 17 words
PROSE = (
    "The office publishes the value of the fund on the first day of each month, and holders are told of it by post.",
    "A holder who disagrees has thirty days in which to write to it, and is answered before the next valuation.",
    "Where an entry in the register is wrong, it is struck out with a note that says who found the mistake and when.",
    "Fees are taken out of the fund at the end of a quarter, and they are shown apart from what the fund has earned.",
    "No transfer is made on a Sunday, because the clearing house is closed and the rates are not known then.",
    "The auditor visits the vault without a word of warning, counts what is in it, and signs the book there.",
    "Complaints are kept for seven years, with the letters that were sent in answer and the minutes of meetings.",
)


@dataclass(frozen=True, slots=True)
class Page:
    """An answer."""

    body: bytes | str = b""
    status: int = 200
    kind: str | None = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    broken: bool = False
    """Close the connection without an answer."""
    endless: bytes = b""
    """Sent again and again, without an end, every `pause` seconds."""
    pause: float = 0.0


@dataclass(slots=True)
class Hit:
    """A request, from its arrival to the end of its answer."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    began: float
    ended: float


class Web:
    """Pages by path: an answer, a list of answers in turn (the last one stays), or a function of the query."""

    def __init__(self) -> None:
        self.pages: dict[str, Any] = {}
        self.hits: list[Hit] = []
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                url = urlsplit(self.path)
                query = dict(parse_qsl(url.query))
                began = time.monotonic()
                hit = Hit(url.path, query, {k.lower(): v for k, v in self.headers.items()}, began, began)
                with outer._lock:
                    outer.hits.append(hit)
                page = outer.answer(url.path, query)
                time.sleep(page.delay)
                self.close_connection = True
                try:
                    if not page.broken:
                        self.reply(page)
                except OSError:
                    pass
                hit.ended = time.monotonic()

            def reply(self, page: Page) -> None:
                body = page.body.encode() if isinstance(page.body, str) else page.body
                self.send_response(page.status)
                headers = {"Connection": "close", **page.headers}
                if page.kind is not None:
                    headers["Content-Type"] = page.kind
                if not page.endless:
                    headers["Content-Length"] = str(len(body))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
                for _ in range(20_000 if page.endless else 0):
                    self.wfile.write(page.endless)
                    time.sleep(page.pause)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def answer(self, path: str, query: dict[str, str]) -> Page:
        page = self.pages.get(path, Page("<h1>Not found</h1>", 404))
        if callable(page):
            page = page(query)
        if isinstance(page, list):
            page = page.pop(0) if len(page) > 1 else page[0]
        return page if isinstance(page, Page) else Page(page)

    def paths(self) -> list[str]:
        """What was asked for, robots.txt aside."""
        return [hit.path for hit in self.hits if hit.path != "/robots.txt"]

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@dataclass(frozen=True, slots=True)
class Read:
    """What a reading gave."""

    documents: list[Document]
    skipped: dict[str, str]

    @property
    def names(self) -> list[str]:
        return [item.name for item in self.documents]


@pytest.fixture
def web() -> Iterator[Web]:
    server = Web()
    yield server
    server.close()


@pytest.fixture
def page() -> type[Page]:
    return Page


@pytest.fixture
def article() -> Callable[..., str]:
    """A page with a heading, prose and furniture around it; `links` stand in its text, `menu` in its navigation."""

    def make(title: str = "On registers", *, links: tuple[str, ...] = (), menu: tuple[str, ...] = ()) -> str:
        inside = "".join(f'<p>{SENTENCE}See <a href="{link}">the page about it</a>.</p>' for link in links)
        around = "".join(f'<li><a href="{link}">Menu entry</a></li>' for link in menu)
        prose = "".join(f"<p>{words}</p>" for words in (f"This page is about {title}. {SENTENCE}", *PROSE))
        return (
            f"<!doctype html><html><head><title>{title}</title></head><body>"
            f"<nav><ul>{around}<li>Our menu</li></ul></nav>"
            '<div class="cookie-banner"><p>We use cookies to make this site work. Accept all cookies?</p></div>'
            f"<main><article><h1>{title}</h1>{prose}{inside}</article></main>"
            "<footer><p>Our footer. All rights reserved.</p></footer></body></html>"
        )

    return make


@pytest.fixture
def sources(web: Web) -> Callable[..., SourceConfig]:
    """A source config with short delays that may ask the server."""

    def make(*paths: str, delay: float = 0.0, robots: bool = True, **more: Any) -> SourceConfig:
        targets = tuple(
            path if isinstance(path, WebTarget) else WebTarget(name=path, url=path if ":" in path else web.url + path)
            for path in paths
        )
        pages = WebSources(
            enabled=True,
            targets=targets,
            delay_seconds=delay,
            respect_robots_txt=robots,
            allow_hosts=more.pop("allow_hosts", ("127.0.0.1",)),
        )
        apis = Apis(**{"enabled": True, **more.pop("apis", {"enabled": False})})
        return SourceConfig(web_sources=pages, apis=apis, wikipedia=more.pop("wikipedia", Wikipedia(enabled=False)))

    return make


@pytest.fixture
def read(plan_of: Callable[..., Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Read]:
    """Read a source config from a folder of the test."""
    monkeypatch.delenv("EVALSPEC_CONTACT", raising=False)

    def go(config: SourceConfig, *, scrape: bool = True, language: str = "en", **more: Any) -> Read:
        plan = plan_of({"CLOSED": 1}).model_copy(update={"sources": config})
        plan = plan.model_copy(update={"dataset": plan.dataset.model_copy(update={"language": language})})
        items = list(LiveSource(plan, tmp_path, scrape, **{"bounds": BOUNDS, **more}).documents())
        skipped = {item.name: item.reason for item in items if isinstance(item, Skipped)}
        return Read([item for item in items if isinstance(item, Document)], skipped)

    return go


@pytest.fixture
def manifest(tmp_path: Path) -> Callable[[], list[dict[str, Any]]]:
    """The lines of the manifest."""

    def lines() -> list[dict[str, Any]]:
        text = (tmp_path / "data/raw/manifest.jsonl").read_text("utf-8")
        return [json.loads(line) for line in text.splitlines()]

    return lines


@pytest.fixture
def bomb() -> bytes:
    """50 MB of nothing, packed."""
    return gzip.compress(b"\0" * 50_000_000, 9)
