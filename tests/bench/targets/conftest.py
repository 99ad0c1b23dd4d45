"""Cases to ask, and a target made from what a user would give."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evalspec.bench.results import TargetResult
from evalspec.bench.suite import Case, Turn
from evalspec.bench.targets import Target, TargetOptions, make_target, read_target
from evalspec.spec.source import Place

CANARY = "sk-canary-51d7e0c3a9"


def case_of(*inputs: Any, case_id: str = "c-1", **facts: Any) -> Case:
    turns = tuple(Turn(given, ()) for given in inputs or ("hello",))
    return Case(case_id, turns, Place("cases.jsonl"), "cases", facts=facts)


def target_of(given: str, folder: Path, env: dict[str, str] | None = None, **options: Any) -> Target:
    config, diagnostics = read_target(given, folder)
    assert config is not None, diagnostics
    return make_target(config, TargetOptions(folder=folder, **options), env or {})


async def answers(target: Target, case: Case, epoch: int = 1) -> list[TargetResult]:
    """The results of a case's turns, in one session."""
    session = target.session(case, epoch)
    try:
        return [await session.ask(turn.input) for turn in case.turns]
    finally:
        await session.close()


async def results(target: Target, *cases: Case) -> list[TargetResult]:
    """The results of the turns of the cases, one after another; the target is closed."""
    try:
        return [result for case in cases for result in await answers(target, case)]
    finally:
        await target.close()


def asked(target: Target, *cases: Case) -> list[TargetResult]:
    return asyncio.run(results(target, *(cases or (case_of(),))))


@pytest.fixture
def case() -> Callable[..., Case]:
    return case_of


@pytest.fixture
def target(tmp_path: Path) -> Callable[..., Target]:
    """A target from a short form, or from the text of its file."""

    def make(given: str, env: dict[str, str] | None = None, **options: Any) -> Target:
        if "\n" in given:
            (tmp_path / "target.yaml").write_text(given, encoding="utf-8")
            given = "target.yaml"
        return target_of(given, tmp_path, env, **options)

    return make


@pytest.fixture
def ask() -> Callable[..., list[TargetResult]]:
    return asked


@pytest.fixture
def canary() -> str:
    return CANARY


@pytest.fixture
def together() -> Callable[..., Awaitable[list[TargetResult]]]:
    """The results of the cases' turns, all cases at once; the target is closed."""

    async def run(target: Target, *cases: Case) -> list[TargetResult]:
        try:
            lists = await asyncio.gather(*(answers(target, case) for case in cases))
        finally:
            await target.close()
        return [result for some in lists for result in some]

    return run


class Bot:
    """An HTTP bot on loopback; `script(number, request)` gives each response, from 0."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.script: Callable[[int, dict[str, Any]], Any] = lambda _number, _request: {"text": "ok"}
        self.most = 0
        self._now = 0

    async def handle(self, request: Any) -> Any:
        from aiohttp import web

        body = await request.json() if request.can_read_body else None
        seen = {
            "method": request.method,
            "path": request.path,
            "query": dict(request.query),
            "headers": {name.lower(): value for name, value in request.headers.items()},
            "body": body,
        }
        number = len(self.requests)
        self.requests.append(seen)
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            said = self.script(number, seen)
            if asyncio.iscoroutine(said):
                said = await said
        finally:
            self._now -= 1
        return said if isinstance(said, web.StreamResponse) else web.json_response(said)

    @contextmanager
    def serving(self) -> Iterator[str]:
        """The bot's address, while it runs on a loop of its own."""
        import threading

        loop = asyncio.new_event_loop()
        ready = threading.Event()
        port: list[int] = []

        async def start() -> Any:
            from aiohttp import web

            app = web.Application(client_max_size=1 << 26)
            app.router.add_route("*", "/{path:.*}", self.handle)
            runner = web.AppRunner(app, shutdown_timeout=0.1)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            port.append(site._server.sockets[0].getsockname()[1])  # type: ignore[union-attr]
            ready.set()
            return runner

        def run() -> None:
            asyncio.set_event_loop(loop)
            runner = loop.run_until_complete(start())
            loop.run_forever()
            loop.run_until_complete(runner.cleanup())
            loop.close()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        ready.wait(10)
        try:
            yield f"http://127.0.0.1:{port[0]}"
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)


@pytest.fixture
def bot() -> Iterator[Any]:
    served = Bot()
    with served.serving() as url:
        served.url = url  # type: ignore[attr-defined]
        yield served
