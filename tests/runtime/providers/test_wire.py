"""The wire of the provider custom: what it sends, and what it makes of an endpoint that does not answer well."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from evalspec.runtime.providers import BusyError, RefusedError
from evalspec.runtime.providers.endpoint import Endpoint
from evalspec.runtime.providers.wire import DirectWire

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
KEY = "sk-canary-77f0a2"


async def ask(handler: Handler, user: str = "", timeout: float = 5.0, **options: Any) -> Any:
    """What the wire gives for one request to a server that `handler` runs."""
    server = await asyncio.start_server(handler, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    wire = DirectWire(Endpoint(f"http://{user}127.0.0.1:{port}/v1", KEY, 0.5, timeout, **options))
    try:
        return await wire.post({"model": "m"})
    finally:
        await wire.close()
        server.close()


def answering(status: str, body: bytes, seen: list[str], *headers: str) -> Handler:
    """A handler that notes a request's head and gives one answer."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append((await reader.readuntil(b"\r\n\r\n")).decode())
        head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
        writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    return handle


def test_a_request_bears_the_key_and_the_answer_is_decoded() -> None:
    seen: list[str] = []
    heard: list[Any] = []
    answer = asyncio.run(ask(answering("200 OK", b'{"a": "\\ud800"}', seen, "X-RateLimit-Left: 3"), heard=heard.append))
    assert answer == {"a": "\ud800"}
    assert seen[0].startswith("POST /v1/chat/completions HTTP/1.1\r\n")
    assert f"Authorization: Bearer {KEY}\r\n" in seen[0]
    assert heard[0]["x-ratelimit-left"] == "3"


def test_a_user_in_the_address_takes_the_place_of_the_key() -> None:
    seen: list[str] = []
    asyncio.run(ask(answering("200 OK", b"{}", seen), user="ann:secret@"))
    assert "Authorization: Basic YW5uOnNlY3JldA==\r\n" in seen[0]
    assert KEY not in seen[0]


def test_a_redirect_is_refused_and_not_followed() -> None:
    seen: list[str] = []
    with pytest.raises(RefusedError, match="HTTP 307"):
        asyncio.run(ask(answering("307 Temporary Redirect", b"", seen, "Location: /elsewhere"), timeout=2))
    assert len(seen) == 1


def test_what_an_endpoint_says_of_a_refusal_is_told_without_the_key_and_its_wait_is_kept() -> None:
    body = json.dumps({"error": {"message": f"slow down, {KEY}"}}).encode()
    with pytest.raises(BusyError) as caught:
        asyncio.run(ask(answering("429 Too Many Requests", body, [], "Retry-After: 7")))
    assert str(caught.value) == "HTTP 429: slow down, [key]"
    assert (caught.value.retry_after, caught.value.throttled) == (7.0, True)
    assert caught.value.__context__ is None


@pytest.mark.parametrize(("silent", "unsure"), [(True, True), (False, False)])
def test_silence_and_a_cut_connection_are_worth_another_try(silent: bool, unsure: bool) -> None:
    async def handle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if silent:
            await asyncio.sleep(0.5)
        writer.close()

    with pytest.raises(BusyError) as caught:
        asyncio.run(ask(handle, timeout=0.2))
    assert caught.value.unsure is unsure
