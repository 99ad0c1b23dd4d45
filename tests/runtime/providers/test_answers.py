"""Answers that do not end, are too large, or are none; requests that cannot be sent; and keys that fit no header."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from evalspec.runtime.checkup import check_up
from evalspec.runtime.providers import (
    BusyError,
    ProviderOptions,
    RefusedError,
    Reply,
    ReplyError,
    SetupError,
    answers,
    make_provider,
)
from evalspec.runtime.providers.endpoint import Endpoint
from evalspec.spec.generation import Limits

SERVICES = ("openai", "custom", "anthropic", "mistral")
CANARY = "sk-CANARY-123456"


def ask(plan: Any, request: Any, prompt: str = "Request CLOSED-0001, go.", key: str = CANARY) -> Reply:
    """One reply from a provider of the plan."""

    async def scene() -> Reply:
        provider = make_provider(plan, ProviderOptions(Path()), {"GENERATION_API_KEY": key})
        try:
            return await provider.client(request).generate(prompt, "System.")
        finally:
            await provider.close()

    return asyncio.run(scene())


@pytest.mark.parametrize("name", SERVICES)
def test_a_reply_that_drips_is_given_up_and_may_have_been_billed(
    name: str, service: Any, plan_at: Any, request_of: Any, say: Any
) -> None:
    service.script = lambda _number, _asked: say(drip=0.05)
    plan = plan_at(service, name, {"CLOSED": 1}, limits=Limits(timeout_seconds=0.2))
    with pytest.raises(BusyError, match=r"the reply was not whole within 0\.6 s") as caught:
        ask(plan, request_of(plan, plan.groups[0]))
    assert (caught.value.unsure, caught.value.throttled) == (True, False)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("name", SERVICES)
def test_of_an_answer_that_is_too_large_no_more_is_read_than_fits(
    name: str,
    status: int,
    packed: bool,
    service: Any,
    plan_at: Any,
    request_of: Any,
    say: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import gzip

    monkeypatch.setattr(answers, "MOST_BYTES", 200_000)
    monkeypatch.setattr(answers, "MOST_PACKED", 2_000)
    body = b'{"a": "' + b"x" * 3_000_000 + b'"}'
    headers = {"Content-Encoding": "gzip"} if packed else {}
    service.script = lambda _number, _asked: say(
        raw=gzip.compress(body) if packed else body, status=status, headers=headers
    )
    plan = plan_at(service, name, {"CLOSED": 1})
    with pytest.raises((ReplyError, RefusedError)) as caught:
        ask(plan, request_of(plan, plan.groups[0]))
    if status == 200 or name != "custom":
        assert "the answer has over" in str(caught.value)
        assert caught.value.unsure  # type: ignore[attr-defined]
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("name", SERVICES)
def test_a_reply_of_ten_megabytes_costs_its_group_one_ask(
    name: str, service: Any, folder: Path, plan_at: Any, run: Any, say: Any
) -> None:
    service.script = lambda number, _asked: say(text="word " * 2_000_000) if number == 1 else say()
    result = run(plan_at(service, name, {"CLOSED": 3}, concurrency=1), folder)
    assert (result.filled, result.calls, result.stopped) == (3, 4, None)
    assert (folder / "data/generated/journal.jsonl").stat().st_size < 1_000_000


@pytest.mark.parametrize(
    "body",
    [b'{"choices":[{"mess', b"\xff\xfe{}", b'"\xe9"', b"[" * 100_000, b"null", b"3", b"", b'{"content": null}'],
)
@pytest.mark.parametrize("name", SERVICES)
def test_an_answer_that_is_none_is_the_endpoints_fault(
    name: str, body: bytes, service: Any, plan_at: Any, request_of: Any, say: Any
) -> None:
    service.script = lambda _number, _asked: say(raw=body)
    plan = plan_at(service, name, {"CLOSED": 1})
    with pytest.raises(RefusedError, match="does not answer in the"):
        ask(plan, request_of(plan, plan.groups[0]))


@pytest.mark.parametrize("name", SERVICES)
def test_a_request_that_cannot_be_encoded_costs_itself_and_is_nobody_elses_fault(
    name: str, service: Any, plan_at: Any, request_of: Any
) -> None:
    plan = plan_at(service, name, {"CLOSED": 1})
    with pytest.raises(ReplyError, match="the request cannot be sent: it holds half of a surrogate pair"):
        ask(plan, request_of(plan, plan.groups[0]), prompt="Half: \ud835.")
    assert service.asked == []


@pytest.mark.parametrize("name", SERVICES)
def test_a_programming_error_is_raised_as_it_is(name: str, service: Any, plan_at: Any, request_of: Any) -> None:
    from dataclasses import replace

    plan = plan_at(service, name, {"CLOSED": 1})
    request = replace(request_of(plan, plan.groups[0]), max_tokens=object())
    with pytest.raises((TypeError, ValueError)):
        ask(plan, request)
    assert service.asked == []


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        (f"{CANARY}\nsecond-line", "a line break"),
        (f"{CANARY}\r\nX-Other: 1", "a line break"),
        (f"{CANARY} second", "a space"),
        (f"{CANARY}\u00a0second", "a space"),
        (f"{CANARY}-é", "a character outside ASCII"),
        (f"\ufeff{CANARY}", "a character outside ASCII"),
        (f"{CANARY}\x00", "a control character"),
        (f"{CANARY}\x7f", "a control character"),
    ],
)
@pytest.mark.parametrize("name", SERVICES)
def test_a_key_that_fits_no_header_is_refused_and_nothing_of_it_is_shown(
    name: str, key: str, wrong: str, service: Any, folder: Path, plan_at: Any, run: Any
) -> None:
    plan = plan_at(service, name, {"CLOSED": 1})
    with pytest.raises(SetupError) as caught:
        make_provider(plan, ProviderOptions(folder), {"GENERATION_API_KEY": key})
    found = caught.value.diagnostic
    assert (found.code, found.message) == ("ES505", f"GENERATION_API_KEY holds no key: there is {wrong} in it")
    if "\x00" in key:
        return
    (folder / ".env").write_text("GENERATION_API_KEY='" + key + "'\n", encoding="utf-8", newline="")
    shown = [repr(check_up(plan, folder)), repr(run(plan, folder))]
    shown += [path.read_text("utf-8") for path in (folder / "data").rglob("*") if path.is_file()]
    assert [text for text in shown if CANARY in text or "second" in text] == []
    assert service.asked == []


@pytest.mark.parametrize("name", SERVICES)
def test_blanks_and_line_ends_around_a_key_are_no_part_of_it(
    name: str, service: Any, plan_at: Any, request_of: Any, say: Any
) -> None:
    service.script = lambda _number, _asked: say(text="{}")
    plan = plan_at(service, name, {"CLOSED": 1})
    ask(plan, request_of(plan, plan.groups[0]), key=f" {CANARY}\r\n")
    assert service.asked[0].key == CANARY


@pytest.mark.parametrize("name", SERVICES)
def test_a_check_up_shows_no_key_that_a_service_echoes(
    name: str, service: Any, folder: Path, plan_at: Any, say: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENERATION_API_KEY", CANARY)
    chat = {"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": '{"word": "yes"}'}}]}
    chat = {"id": "x", "object": "chat.completion", "created": 1, **chat}
    chat["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    message = {"type": "message", "content": [{"type": "text", "text": '{"word": "yes"}'}], "usage": {}}
    body = {"model": f"m for {CANARY}", **(message if name == "anthropic" else chat)}
    service.script = lambda _number, _asked: say(
        raw=json.dumps(body).encode(), headers={"X-RateLimit-Key": CANARY, f"X-RateLimit-{CANARY}": "1"}
    )
    found = check_up(plan_at(service, name), folder)
    assert found.diagnostics == []
    words = {check.name: check.found for check in found.checks}
    assert (words["model"], "x-ratelimit-key: [key]" in words["limits"]) == ("m for [key]", True)
    assert CANARY.lower() not in repr(found).lower()


@pytest.mark.parametrize(
    "echo",
    [
        "{key}",
        "Illegal header value {key!r}",
        "Illegal header value {bytes!r}",
        "{json}",
        "a first line alone: one-line-of-it",
        "GET /?key={quoted}",
        "Basic dXNlcjpzM2NyZXQvd29yZA==",
        "s3cret/word",
        "s3cret%2Fword",
    ],
)
def test_secrets_are_cleaned_out_of_a_text_however_it_quotes_them(echo: str) -> None:
    from urllib.parse import quote

    key = "one-line-of-it\n'other\\line\"'"
    text = echo.format(key=key, bytes=key.encode(), json=json.dumps(key), quoted=quote(key))
    shown = Endpoint("http://user:s3cret%2Fword@127.0.0.1/v1", key, 0.5, 1.0).clean(text)
    assert [part for part in ("one-line", "other", "s3cret", "dXNlcj") if part in shown] == []


def test_a_key_is_not_shown_in_part_where_a_message_is_cut(
    service: Any, plan_at: Any, request_of: Any, say: Any
) -> None:
    for name in SERVICES:
        for length in range(90, 125):
            service.script = lambda _number, _asked, n=length: say(raw=("x" * n + CANARY).encode(), status=200)
            plan = plan_at(service, name, {"CLOSED": 1})
            with pytest.raises(RefusedError) as caught:
                ask(plan, request_of(plan, plan.groups[0]))
            assert "sk-" not in str(caught.value)
