"""A server on the good release of the synthetic plan, in a folder that a test may write in."""

import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from evalspec.outputs.review import desk
from evalspec.outputs.review.server import Server
from evalspec.spec.plan import Plan


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass(frozen=True)
class Reviewer:
    """Asks a server as a browser does."""

    server: Server
    folder: Path

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.server.server_port, timeout=20)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        got = Answer(answer.status, dict(answer.getheaders()), answer.read().decode("utf-8"))
        connection.close()
        return got

    def get(self, path: str = "/", **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def token(self) -> str:
        found = re.search(r'name="token" value="([^"]+)"', self.get().text)
        assert found is not None
        return found[1]

    def decide(self, group: str, verdict: str, note: str = "", **fields: str) -> Answer:
        form = {"token": self.token(), "group": group, "verdict": verdict, "note": note, **fields}
        return self.ask("POST", "/decide", urlencode(form))


Serve = Callable[..., AbstractContextManager[Reviewer]]


@pytest.fixture(scope="session")
def serve() -> Serve:
    """Serve a release with its plan, or without one, while a `with` lasts."""

    @contextmanager
    def serving(folder: Path, plan: Plan | None) -> Iterator[Reviewer]:
        source = desk.Chunk("A title", "corpus/a.md", "A source text with <b>markup</b>.")
        place = folder if plan is not None else None
        with desk.opened(folder / "data/final", plan, place, lambda _: source) as shown, Server(shown) as server:
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
            thread.start()
            try:
                yield Reviewer(server, folder)
            finally:
                server.shutdown()
                thread.join()

    return serving


@pytest.fixture
def folder(good: Path, tmp_path: Path) -> Path:
    """A copy of the good spec folder."""
    return Path(shutil.copytree(good, tmp_path / "spec"))


@pytest.fixture
def reviewer(folder: Path, plan: Plan, serve: Serve) -> Iterator[Reviewer]:
    with serve(folder, plan) as asking:
        yield asking
