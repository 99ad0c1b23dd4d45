"""A service on loopback that speaks the protocols of the four SDKs, and says and does what a test tells it to."""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from typing import Any

import pytest

from evalspec.runtime.chunks import Chunk
from evalspec.runtime.providers import GroupRequest
from evalspec.runtime.shapes import Shapes
from evalspec.spec.plan import Group, Plan


@dataclass(frozen=True)
class Asked:
    """One request, in words that all protocols share."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def protocol(self) -> str:
        return "anthropic" if self.path.endswith("/messages") else "chat"

    @property
    def prompt(self) -> str:
        return str(self.body["messages"][-1]["content"])

    @property
    def group(self) -> str:
        return re.match(r"Request (\S+),", self.prompt)[1]  # type: ignore[index]

    @property
    def key(self) -> str:
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")

    @property
    def schema(self) -> dict[str, Any] | None:
        """The schema that the reply is held to, wherever it stands."""
        body = self.body
        if "output_config" in body:
            return body["output_config"]["format"]["schema"]  # type: ignore[no-any-return]
        if "tools" in body:
            return body["tools"][0]["input_schema"]  # type: ignore[no-any-return]
        return (body.get("response_format") or {}).get("json_schema", {}).get("schema")  # type: ignore[no-any-return]

    @property
    def form(self) -> str:
        """How the shape is asked for."""
        body = self.body
        if "output_config" in body:
            return "output"
        if "tools" in body:
            return "tool"
        kind = (body.get("response_format") or {}).get("type")
        if kind is None:
            return "plain"
        if kind == "json_object":
            return "object"
        return "schema" if "maxLength" in str(self.schema) else "lowered"


@dataclass(frozen=True)
class Said:
    """What the service does with a request; by default it gives a good reply."""

    text: str | None = None
    finish: str | None = None
    status: int = 200
    code: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    delay: float = 0.0
    reset: bool = False
    drip: float = 0.0
    """Seconds between the blanks that the body begins with, of which there is no end."""


class Service:
    """`script(number, asked)` says what it does with each request, numbered from 0."""

    def __init__(self, good: Callable[[dict[str, Any]], dict[str, Any]], host: str = "127.0.0.1") -> None:
        self.asked: list[Asked] = []
        self.schemas: dict[str, dict[str, Any]] = {}
        """Whole schemas by group, from which good replies are made."""
        self.script: Callable[[int, Asked], Said] = lambda _number, _asked: Said()
        self._good = good
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                asked = Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                with outer._lock:
                    number = len(outer.asked)
                    outer.asked.append(asked)
                said = outer.script(number, asked)
                sleep(said.delay)
                if said.reset:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                if said.drip:
                    self.drip(said.drip)
                    return
                data = said.raw if said.raw is not None else outer.payload(said, asked)
                try:
                    self.send_response(said.status)
                    for name, text in {"Content-Type": "application/json", **said.headers}.items():
                        self.send_header(name, text)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass

            def drip(self, gap: float) -> None:
                self.close_connection = True
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.end_headers()
                    while True:
                        self.wfile.write(b" ")
                        sleep(gap)
                except OSError:
                    pass

        self.server = ThreadingHTTPServer((host, 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self.url = f"http://{host}:{self.server.server_port}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def payload(self, said: Said, asked: Asked) -> bytes:
        if said.status != 200:
            return json.dumps(self._error(said, asked)).encode()
        text = said.text if said.text is not None else self._reply(asked)
        if asked.protocol == "anthropic":
            return json.dumps(_message(text, said, asked)).encode()
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": said.finish or "stop"}
        usage = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}
        return json.dumps(
            {"id": "x", "object": "chat.completion", "created": 1, "model": "m-1", "choices": [choice], "usage": usage}
        ).encode()

    def _error(self, said: Said, asked: Asked) -> dict[str, Any]:
        text, code = said.text or "no", said.code
        if asked.protocol == "anthropic":
            return {"type": "error", "error": {"type": code or "api_error", "message": text}}
        if "mistral" in asked.headers.get("user-agent", ""):
            return {"object": "error", "message": text, "type": code or "invalid_request_error", "code": "3000"}
        return {"error": {"message": text, "type": "error", "code": code or None}}

    def _reply(self, asked: Asked) -> str:
        schema = {"json_schema": {"schema": self.schemas[asked.group]}}
        return json.dumps(self._good({"messages": [{}, {"content": asked.prompt}], "response_format": schema}))

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def _message(text: str, said: Said, asked: Asked) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    finish = said.finish or "end_turn"
    if asked.form == "tool" and said.text is None:
        block = {"type": "tool_use", "id": "t1", "name": "reply", "input": json.loads(text)}
        finish = said.finish or "tool_use"
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "content": [block],
        "stop_reason": finish,
        "stop_sequence": None,
        "usage": {"input_tokens": 8, "cache_read_input_tokens": 3, "output_tokens": 5},
    }


@pytest.fixture
def service(good: Callable[[dict[str, Any]], dict[str, Any]]) -> Iterator[Service]:
    server = Service(good)
    yield server
    server.close()


@pytest.fixture
def say() -> type[Said]:
    return Said


@pytest.fixture
def plan_at(plan_of: Callable[..., Plan]) -> Callable[..., Plan]:
    """A plan for a provider at a service, which then knows what good replies to it are."""

    def make(service: Service, provider: str, counts: dict[str, int] | None = None, **settings: Any) -> Plan:
        plan = plan_of(counts, provider=provider, url=service.url, **settings)
        shapes = Shapes(plan)
        service.schemas = {group.group_id: shapes.of(group).schema for group in plan.groups}
        return plan

    return make


@pytest.fixture
def request_of() -> Callable[..., GroupRequest]:
    """A request for a group, as the fill would make it."""

    def make(plan: Plan, group: Group, max_tokens: int = 500) -> GroupRequest:
        chunk = Chunk("", "", "", "", "", "corpus", (), None, (), (), ())
        return GroupRequest(plan, group, chunk, 1, 0, Shapes(plan).of(group).schema, max_tokens)

    return make
