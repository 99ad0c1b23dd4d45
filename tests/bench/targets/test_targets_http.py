"""An HTTP endpoint under test: what it is sent, what is read of its answers, and what each fault comes to."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from evalspec.bench.results import ToolCall
from evalspec.bench.targets import BusyError, SetupError

Make = Callable[..., Any]
MAPPED = """\
kind: http
name: support bot
url: {url}/v2/ask
headers:
  Authorization: Bearer ${{BOT_TOKEN}}
body: {{question: $input, ctx: {{country: $facts.country, ok: $facts.verified}}, history: $history, price: $$5, n: 1}}
map: {{text: reply.text, tool_calls: tools, confidence: meta.confidence}}
"""


def test_a_short_form_posts_the_turn_and_the_facts_and_reads_common_names(
    bot: Any, target: Make, case: Make, ask: Make
) -> None:
    bot.script = lambda _number, _request: {"answer": "Ja.", "tools_called": ["t"], "retrieval_trace": ["c1"]}
    made = target(f"{bot.url}/chat", prompt_version="v2")
    (result,) = ask(made, case("Can I?", country="AE", verified=False))
    assert (result.text, result.tool_calls, result.retrieved_ids) == ("Ja.", (ToolCall(name="t"),), ("c1",))
    assert (result.confidence, result.abstained, result.error) == (None, None, None)
    assert result.latency_ms is not None
    assert 0 < result.latency_ms < 5000
    body = bot.requests[0]["body"]
    session = body.pop("session")
    assert (bot.requests[0]["method"], bot.requests[0]["path"], len(session)) == ("POST", "/chat", 32)
    assert body == {
        "input": "Can I?",
        "question": "Can I?",
        "history": [],
        "country": "AE",
        "verified": False,
        "prompt_version": "v2",
    }


def test_a_mapped_request_and_answer_and_a_key_from_the_environment(
    bot: Any, target: Make, case: Make, ask: Make, canary: str
) -> None:
    bot.script = lambda _number, _request: {"reply": {"text": "hi"}, "tools": [], "meta": {"confidence": "LOW"}}
    made = target(MAPPED.format(url=bot.url), {"BOT_TOKEN": canary})
    (result,) = ask(made, case("q", country="GB"))
    assert (result.text, result.tool_calls, result.confidence) == ("hi", (), "LOW")
    assert result.output == {"reply": {"text": "hi"}, "tools": [], "meta": {"confidence": "LOW"}}
    request = bot.requests[0]
    assert (request["path"], request["headers"]["authorization"]) == ("/v2/ask", f"Bearer {canary}")
    assert request["body"] == {"question": "q", "ctx": {"country": "GB"}, "history": [], "price": "$5", "n": 1}


def test_turns_share_a_session_and_a_turn_that_failed_is_no_history(
    bot: Any, target: Make, case: Make, ask: Make
) -> None:
    def script(number: int, _request: Any) -> Any:
        return web.Response(status=400, text="no") if number == 1 else {"text": f"a{number}"}

    bot.script = script
    results = ask(target(f"{bot.url}/chat"), case("q0", "q1", "q2"), case("r0", case_id="c-2"))
    assert [result.error for result in results] == [None, "HTTP 400: no", None, None]
    bodies = [request["body"] for request in bot.requests]
    said = [{"role": "user", "content": "q0"}, {"role": "assistant", "content": "a0"}]
    assert [body["history"] for body in bodies] == [[], said, said, []]
    sessions = [body["session"] for body in bodies]
    assert (len(set(sessions[:3])), sessions[3] in sessions[:3]) == (1, False)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_endpoint_is_worth_another_try_of_the_same_turn(bot: Any, target: Make, case: Make, status: int) -> None:
    def script(number: int, _request: Any) -> Any:
        if number == 0:
            return web.json_response({"error": "slow down"}, status=status, headers={"Retry-After": "3"})
        return {"text": "ok"}

    bot.script = script

    async def scene() -> Any:
        made = target(f"{bot.url}/chat")
        session = made.session(case(), 1)
        try:
            with pytest.raises(BusyError) as caught:
                await session.ask("hello")
            return caught.value, await session.ask("hello")
        finally:
            await made.close()

    error, result = asyncio.run(scene())
    assert (str(error), error.retry_after, error.throttled) == (f"HTTP {status}: slow down", 3.0, status in (429, 503))
    assert (error.__context__, result.text) == (None, "ok")
    first, second = (request["body"] for request in bot.requests)
    assert first == second


def test_an_endpoint_that_is_not_there_is_busy(target: Make, ask: Make) -> None:
    with pytest.raises(BusyError, match="no connection"):
        ask(target("http://127.0.0.1:9/chat"))


@pytest.mark.parametrize(
    ("response", "error"),
    [
        ({"status": 404, "text": "no such bot"}, "HTTP 404: no such bot"),
        ({"status": 307, "headers": {"Location": "/x"}}, "HTTP 307: Temporary Redirect"),
        ({"status": 501, "text": ""}, "HTTP 501: Not Implemented"),
        ({"status": 401, "text": '{"detail": "who?"}'}, "HTTP 401: who?"),
        (
            {"text": "<h1>Hi</h1>", "content_type": "text/html"},
            "the target answers with text/html, not JSON: '<h1>Hi</h1>'",
        ),
        ({"text": "{", "content_type": "application/json"}, "the target answers with application/json, not JSON: '{'"),
        ({"text": "false", "content_type": "application/json"}, "the target gave false, not an answer"),
        ({"text": "0", "content_type": "application/json"}, "the target gave the number 0, not an answer"),
        ({"text": "null", "content_type": "application/json"}, "the target gave null, not an answer"),
        ({"text": "", "content_type": "application/json"}, "the target gave an empty body, not an answer"),
        ({"body": b"x" * ((8 << 20) + 1)}, "the answer has over 8,388,608 bytes"),
    ],
)
def test_what_is_no_answer_is_an_error_of_its_turn_alone(
    bot: Any, target: Make, case: Make, ask: Make, response: dict[str, Any], error: str
) -> None:
    bot.script = lambda number, _request: web.Response(**response) if number == 0 else {"text": "ok"}
    first, second = ask(target(f"{bot.url}/chat"), case("a", "b"))
    assert (first.error, first.text, second.text) == (error, "", "ok")


@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
def test_an_empty_text_is_an_empty_answer(bot: Any, target: Make, ask: Make, kind: str) -> None:
    text = '""' if kind == "application/json" else ""
    bot.script = lambda _number, _request: web.Response(text=text, content_type=kind)
    (result,) = ask(target(f"{bot.url}/chat"))
    assert (result.text, result.error) == ("", None)


def test_a_hang_costs_its_turn_alone(bot: Any, target: Make, case: Make, ask: Make) -> None:
    async def late() -> Any:
        await asyncio.sleep(1)
        return {"text": "late"}

    bot.script = lambda number, _request: late() if number == 0 else {"text": "ok"}
    first, second = ask(target(f"{bot.url}/chat", timeout_seconds=0.2), case("a", "b"))
    assert (first.error, second.text) == ("no answer within 0.2 s", "ok")


def test_all_sessions_ask_at_once_and_no_cookie_joins_them(bot: Any, target: Make, case: Make, together: Make) -> None:
    async def slow() -> Any:
        await asyncio.sleep(0.2)
        response = web.json_response({"text": "ok"})
        response.set_cookie("sid", "1")
        return response

    bot.script = lambda _number, _request: slow()
    cases = [case("a", "b", case_id=f"c{number}") for number in range(20)]
    results = asyncio.run(together(target(f"{bot.url}/chat"), *cases))
    assert ({result.text for result in results}, bot.most) == ({"ok"}, 20)
    assert [request for request in bot.requests if "cookie" in request["headers"]] == []


def test_a_get_request_carries_the_turn_in_its_address(bot: Any, target: Make, case: Make, ask: Make) -> None:
    ask(target(f"kind: http\nurl: {bot.url}/ask\nmethod: GET\nbody: {{q: $input, n: $turn}}\n"), case("a b&c"))
    assert (bot.requests[0]["method"], bot.requests[0]["query"]) == ("GET", {"q": "a b&c", "n": "0"})


@pytest.mark.parametrize("status", [200, 400, 429])
def test_an_echoed_key_reaches_no_result_or_error(bot: Any, target: Make, ask: Make, canary: str, status: int) -> None:
    words = {"reply": {"text": f"key {canary}"}, "tools": [canary], "error": {"message": f"key {canary}"}}
    bot.script = lambda _number, _request: web.json_response(words, status=status)
    made = target(MAPPED.format(url=bot.url), {"BOT_TOKEN": canary})
    try:
        said = repr(ask(made))
    except BusyError as error:
        said = repr(error)
    assert ("[key]" in said, canary in said) == (True, False)
    assert canary not in json.dumps([made.shown(), made.digest, repr(made), repr(made.session), made.name])


def test_a_variable_that_is_not_set_is_named_at_its_header(bot: Any, target: Make) -> None:
    with pytest.raises(SetupError) as caught:
        target(MAPPED.format(url=bot.url))
    found = caught.value.diagnostic
    assert (found.code, found.place.line, "BOT_TOKEN" in found.message) == ("ES732", 5, True)


def test_the_digest_follows_what_decides_answers_and_no_key(bot: Any, target: Make, canary: str) -> None:
    text = MAPPED.format(url=bot.url)
    first = target(text, {"BOT_TOKEN": canary}).digest
    assert target(text.replace("support bot", "bot"), {"BOT_TOKEN": "another"}).digest == first
    changed = [
        target(text.replace("/v2/", "/v3/"), {"BOT_TOKEN": canary}),
        target(text.replace("reply.text", "reply.txt"), {"BOT_TOKEN": canary}),
        target(text.replace("country: $", "land: $"), {"BOT_TOKEN": canary}),
        target(text, {"BOT_TOKEN": canary}, model="m"),
        target(text, {"BOT_TOKEN": canary}, prompt_version="v2"),
    ]
    assert len({first, *(made.digest for made in changed)}) == 6


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("application/json; charset=iso-8859-1", '{"text": "Caf\xe9"}'.encode("latin-1")),
        ("application/json; charset=nonsense", '{"text": "Caf\xe9"}'.encode()),
        ("application/json", '\ufeff{"text": "Caf\xe9"}'.encode()),
    ],
)
def test_an_answer_is_read_in_the_encoding_that_it_names(
    bot: Any, target: Make, case: Make, ask: Make, kind: str, data: bytes
) -> None:
    bot.script = lambda _number, _request: web.Response(body=data, headers={"Content-Type": kind})
    (result,) = ask(target(f"{bot.url}/chat"), case("q"))
    assert (result.text, result.error) == ("Caf\xe9", None)


def test_an_answer_that_breaks_http_is_an_error_and_not_asked_for_again(target: Make, case: Make, ask: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc")

        threading.Thread(target=answer, daemon=True).start()
        (result,) = ask(target(f"http://127.0.0.1:{server.getsockname()[1]}/chat"), case("q"))
    assert (result.error or "").startswith("the endpoint broke HTTP: ")
