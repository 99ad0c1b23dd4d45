"""The four services through their own SDKs: what is sent, what is found out once, and what each fault comes to."""

import asyncio
import io
import json
import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from evalspec.runtime.events import FillResult
from evalspec.runtime.providers import (
    BusyError,
    ProviderOptions,
    RefusedError,
    Reply,
    ReplyError,
    SetupError,
    make_provider,
)
from evalspec.spec.generation import Limits

Run = Callable[..., FillResult]
SERVICES = ("openai", "custom", "anthropic", "mistral")
FORMS = {
    "openai": ("lowered", "object", "plain"),
    "custom": ("schema", "lowered", "object", "plain"),
    "anthropic": ("output", "tool", "plain"),
    "mistral": ("lowered", "object", "plain"),
}
CANARY = "sk-canary-4e81b07d96"
KEY = {"GENERATION_API_KEY": CANARY}
WRONG_KEYWORDS = {
    "openai": {"minLength", "maxLength", "pattern", "uniqueItems"},
    "anthropic": {"minLength", "maxLength", "pattern", "uniqueItems", "maxItems", "minimum", "maximum"},
    "mistral": {"minLength", "maxLength", "pattern", "uniqueItems", "minimum", "maximum"},
}


def ask(plan: Any, request: Any, times: int = 1) -> list[Reply]:
    """Replies from one provider, one after another."""

    async def scene() -> list[Reply]:
        provider = make_provider(plan, ProviderOptions(Path()), KEY)
        try:
            return [
                await provider.client(request).generate("Request CLOSED-0001, go.", "System.") for _ in range(times)
            ]
        finally:
            await provider.close()

    return asyncio.run(scene())


@pytest.mark.parametrize("name", SERVICES)
def test_a_plan_is_filled_with_one_call_a_group_and_usage_as_reported(
    name: str, service: Any, folder: Path, plan_at: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENERATION_API_KEY", CANARY)
    result = run(plan_at(service, name), folder)
    assert (result.filled, result.open, result.calls, result.stopped) == (10, (), 10, None)
    assert (result.usage.input_tokens, result.usage.output_tokens) == (110, 50)
    assert {asked.path for asked in service.asked} == {
        "/v1/messages" if name == "anthropic" else "/v1/chat/completions"
    }
    assert {asked.key for asked in service.asked} == {CANARY}
    assert {asked.form for asked in service.asked} == {FORMS[name][0]}


@pytest.mark.parametrize("name", ["openai", "anthropic", "mistral"])
def test_no_keyword_that_the_service_refuses_is_ever_sent(
    name: str, service: Any, folder: Path, plan_at: Any, run: Run
) -> None:
    run(plan_at(service, name, strategy="conflict"), folder)
    found = {key for asked in service.asked for node in nodes(asked.schema) for key in node}
    assert found & WRONG_KEYWORDS[name] == set()
    assert {"type", "properties", "required", "additionalProperties", "items"} <= found
    if name == "anthropic":
        assert {node["minItems"] for asked in service.asked for node in nodes(asked.schema) if "minItems" in node} <= {
            0,
            1,
        }


def nodes(schema: Any) -> list[dict[str, Any]]:
    """All schemas within a schema, without the names of fields."""
    if isinstance(schema, list):
        return [found for item in schema for found in nodes(item)]
    if not isinstance(schema, dict):
        return []
    inner = [found for key, value in schema.items() if key != "properties" for found in nodes(value)]
    return [schema, *inner, *(found for value in schema.get("properties", {}).values() for found in nodes(value))]


@pytest.mark.parametrize(("name", "taken"), [(name, form) for name in SERVICES for form in FORMS[name]])
def test_the_strictest_form_that_a_service_takes_is_found_out_once(
    name: str, taken: str, service: Any, folder: Path, plan_at: Any, run: Run, say: Any
) -> None:
    order = FORMS[name]

    def script(_number: int, asked: Any) -> Any:
        early = order.index(asked.form) < order.index(taken)
        return say(status=400, text="this is not supported", code="invalid_request_error") if early else say()

    service.script = script
    result = run(plan_at(service, name, {"CLOSED": 6}), folder)
    assert (result.filled, result.calls) == (6, 6)
    counts = [sum(asked.form == form for asked in service.asked) for form in order]
    assert [1] * order.index(taken) + [6] + [0] * (len(order) - 1 - order.index(taken)) == counts


@pytest.mark.parametrize("name", SERVICES)
def test_a_form_that_one_schema_is_too_large_for_is_given_up_for_that_schema_alone(
    name: str, service: Any, folder: Path, plan_at: Any, run: Run, say: Any
) -> None:
    first, second = FORMS[name][:2]

    def script(_number: int, asked: Any) -> Any:
        if asked.form == first and asked.group.startswith("TRIPLE"):
            return say(status=400, text="the compiled grammar is too large", code="invalid_request_error")
        return say()

    service.script = script
    result = run(plan_at(service, name, {"CLOSED": 4, "TRIPLE": 4}, concurrency=1), folder)
    assert result.filled == 8
    forms = [(asked.group[:6], asked.form) for asked in service.asked]
    assert (forms.count(("CLOSED", first)), forms.count(("TRIPLE", second))) == (4, 4)


@pytest.mark.parametrize(
    ("status", "text", "code"),
    [
        (401, "invalid x-api-key", "authentication_error"),
        (403, "forbidden", "permission_error"),
        (402, "payment required", ""),
        (429, "You exceeded your current quota, please check your plan", "insufficient_quota"),
        (400, "Your credit balance is too low to access the API", "invalid_request_error"),
    ],
)
@pytest.mark.parametrize("name", SERVICES)
def test_key_and_billing_are_refused_at_once_and_never_retried(
    name: str, status: int, text: str, code: str, service: Any, folder: Path, plan_at: Any, run: Run, say: Any
) -> None:
    service.script = lambda _number, _asked: say(status=status, text=text, code=code)
    result = run(plan_at(service, name, {"CLOSED": 3}, concurrency=1), folder)
    assert (result.stopped.code, result.filled, len(service.asked)) == ("ES504", 0, 1)  # type: ignore[union-attr]
    assert f"HTTP {status}: {text}" in result.stopped.message  # type: ignore[union-attr]


@pytest.mark.parametrize("name", SERVICES)
def test_a_bad_request_is_refused_after_each_form_with_the_first_reason(
    name: str, service: Any, plan_at: Any, request_of: Any, say: Any
) -> None:
    service.script = lambda number, _asked: say(status=400, text=f"reason {number}", code="invalid_request_error")
    plan = plan_at(service, name, {"CLOSED": 1})
    with pytest.raises(RefusedError, match="HTTP 400: reason 0"):
        ask(plan, request_of(plan, plan.groups[0]))
    assert len(FORMS[name]) == len(service.asked)


SOON = "500 s from now"
"""Made a date when the test runs, not when it is collected."""


@pytest.mark.parametrize(
    ("said", "after", "throttled"),
    [
        ({"status": 429, "headers": {"Retry-After": "2"}}, 2.0, True),
        ({"status": 429, "headers": {"Retry-After": SOON}}, 500.0, True),
        ({"status": 429}, None, True),
        ({"status": 503, "headers": {"Retry-After": "7"}}, 7.0, True),
        ({"status": 529, "code": "overloaded_error"}, None, True),
        ({"status": 500}, None, False),
        ({"reset": True}, None, False),
        ({"delay": 1.0}, None, False),
    ],
)
@pytest.mark.parametrize("name", SERVICES)
def test_a_busy_service_is_worth_another_try_and_the_sdk_makes_none_of_its_own(
    name: str,
    said: dict[str, Any],
    after: float | None,
    throttled: bool,
    service: Any,
    plan_at: Any,
    request_of: Any,
    say: Any,
) -> None:
    if said.get("headers", {}).get("Retry-After") == SOON:
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=500), usegmt=True)
        said = {**said, "headers": {"Retry-After": date}}
    service.script = lambda _number, _asked: say(**said)
    limits = Limits(timeout_seconds=0.4 if "delay" in said else 5.0)
    plan = plan_at(service, name, {"CLOSED": 1}, limits=limits)
    with pytest.raises(BusyError) as caught:
        ask(plan, request_of(plan, plan.groups[0]))
    assert (len(service.asked), caught.value.throttled, caught.value.unsure) == (1, throttled, "delay" in said)
    assert caught.value.retry_after == (None if after is None else pytest.approx(after, abs=60))


@pytest.mark.parametrize("name", SERVICES)
def test_nothing_listening_is_busy_and_not_a_programming_error(name: str, plan_of: Any, request_of: Any) -> None:
    plan = plan_of({"CLOSED": 1}, provider=name, url="http://127.0.0.1:9/v1")
    with pytest.raises(BusyError):
        ask(plan, request_of(plan, plan.groups[0]))


@pytest.mark.parametrize("name", SERVICES)
def test_a_filtered_prompt_costs_its_request_and_not_the_run(
    name: str, service: Any, plan_at: Any, request_of: Any, say: Any
) -> None:
    service.script = lambda _number, _asked: say(status=400, text="content_filter triggered")
    plan = plan_at(service, name, {"CLOSED": 1})
    with pytest.raises(ReplyError):
        ask(plan, request_of(plan, plan.groups[0]))


@pytest.mark.parametrize(
    ("name", "reason", "finish"),
    [
        ("openai", "stop", "stop"),
        ("custom", "length", "length"),
        ("openai", "content_filter", "refusal"),
        ("anthropic", "end_turn", "stop"),
        ("anthropic", "max_tokens", "length"),
        ("anthropic", "model_context_window_exceeded", "length"),
        ("anthropic", "refusal", "refusal"),
        ("mistral", "stop", "stop"),
        ("mistral", "length", "length"),
        ("mistral", "model_length", "length"),
        ("mistral", "content_filter", "refusal"),
    ],
)
def test_finish_reasons_are_stop_length_or_refusal(
    name: str, reason: str, finish: str, service: Any, plan_at: Any, request_of: Any, say: Any
) -> None:
    service.script = lambda _number, _asked: say(text='{"members": []}', finish=reason)
    plan = plan_at(service, name, {"CLOSED": 1})
    (reply,) = ask(plan, request_of(plan, plan.groups[0]))
    assert (reply.finish, reply.text, reply.model) == (finish, '{"members": []}', "m-1")


@pytest.mark.parametrize("name", SERVICES)
def test_a_page_in_place_of_a_reply_is_refused_first_and_busy_later(
    name: str, service: Any, plan_at: Any, request_of: Any, say: Any
) -> None:
    page = say(raw=b"<html>Sign in</html>", headers={"Content-Type": "text/html"})
    service.script = lambda _number, _asked: page
    plan = plan_at(service, name, {"CLOSED": 1})
    with pytest.raises(RefusedError, match="does not answer in the"):
        ask(plan, request_of(plan, plan.groups[0]))
    service.asked.clear()
    service.script = lambda number, _asked: say(text="{}") if number == 0 else page
    with pytest.raises(BusyError, match="does not answer in the"):
        ask(plan, request_of(plan, plan.groups[0]), times=2)


@pytest.mark.parametrize("name", SERVICES)
def test_a_third_of_requests_refused_for_rate_delays_and_loses_nothing(
    name: str, service: Any, folder: Path, plan_at: Any, run: Run, say: Any
) -> None:
    service.script = lambda number, _asked: (
        say(status=429, headers={"Retry-After": "0"}) if number % 3 == 1 else say(reset=True) if number == 5 else say()
    )
    result = run(plan_at(service, name, {"CLOSED": 12}), folder)
    assert (result.filled, result.calls, result.open) == (12, 12, ())


@contextmanager
def everything_logged() -> Iterator[io.StringIO]:
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield log
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


@pytest.mark.parametrize("fault", ["reply", "error", "refused", "page", "busy", "reset"])
@pytest.mark.parametrize("name", SERVICES)
def test_the_key_reaches_no_journal_log_event_error_or_traceback(
    name: str,
    fault: str,
    service: Any,
    folder: Path,
    plan_at: Any,
    request_of: Any,
    run: Run,
    say: Any,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MISTRAL_DEBUG", "1")
    (folder / ".env").write_text(f"GENERATION_API_KEY={CANARY}\n", encoding="utf-8")
    words = f"your key is {CANARY}"
    said = {
        "reply": say(text=words),
        "error": say(status=400, text=words, code="invalid_request_error"),
        "refused": say(status=401, text=words),
        "page": say(raw=words.encode(), headers={"Content-Type": "text/plain"}),
        "busy": say(status=429, text=words, headers={"Retry-After": "0"}),
        "reset": say(reset=True),
    }[fault]
    # a busy service is busy for a while only, so that the run ends
    service.script = lambda number, _asked: say() if fault in ("busy", "reset") and number > 3 else said
    events: list[Any] = []
    plan = plan_at(service, name, {"CLOSED": 1})
    with everything_logged() as log:
        result = run(plan, folder, events)
        trace = traceback_of(plan, request_of(plan, plan.groups[0])) if fault != "reply" else ""
    assert service.asked[0].key == CANARY
    kept = [path.read_text("utf-8") for path in (folder / "data").rglob("*") if path.is_file()]
    out = capfd.readouterr()
    everything = [*kept, log.getvalue(), repr(events), repr(result), out.out, out.err, trace]
    assert [text[:500] for text in everything if CANARY in text] == []


def traceback_of(plan: Any, request: Any) -> str:
    """The traceback of one more request, should it fail, with what its frames hold."""
    try:
        ask(plan, request)
    except (BusyError, RefusedError, ReplyError) as error:
        return "".join(traceback.format_exception(error)) + repr(error.__context__)
    return ""


@pytest.mark.parametrize(("name", "least"), [("anthropic", 1.01), ("mistral", 1.6)])
def test_a_temperature_that_a_service_refuses_is_named_before_anything_is_paid(
    name: str, least: float, plan_of: Any
) -> None:
    with pytest.raises(SetupError) as caught:
        make_provider(plan_of(provider=name, temperature=least), ProviderOptions(Path()), KEY)
    assert (caught.value.diagnostic.code, f"not {least:g}" in caught.value.diagnostic.message) == ("ES406", True)


def test_a_model_that_takes_no_temperature_is_asked_without_it_from_then_on(
    service: Any, folder: Path, plan_at: Any, run: Run, say: Any
) -> None:
    service.script = lambda _number, asked: (
        say(status=400, text="temperature is deprecated for this model") if "temperature" in asked.body else say()
    )
    assert run(plan_at(service, "anthropic", {"CLOSED": 3}), folder).filled == 3
    assert ["temperature" in asked.body for asked in service.asked] == [True, False, False, False]
    assert {asked.form for asked in service.asked} == {"output"}


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens: {asked} > 300, which is the maximum allowed number of output tokens for m",
        "max_tokens is too large: {asked}. This model supports at most 300 completion tokens",
    ],
)
@pytest.mark.parametrize("name", SERVICES)
def test_a_cap_on_tokens_is_learned_and_kept_to(
    name: str, words: str, service: Any, folder: Path, plan_at: Any, run: Run, say: Any
) -> None:
    def tokens(asked: Any) -> int:
        return int(asked.body.get("max_tokens") or asked.body["max_completion_tokens"])

    service.script = lambda _number, asked: (
        say(status=400, text=words.format(asked=tokens(asked))) if tokens(asked) > 300 else say()
    )
    assert run(plan_at(service, name, {"CLOSED": 3}), folder).filled == 3
    assert [tokens(asked) for asked in service.asked] == [500, 300, 300, 300]
    assert {asked.form for asked in service.asked} == {FORMS[name][0]}


def test_a_model_that_anthropic_does_not_know_is_asked_for_once(
    service: Any, folder: Path, plan_at: Any, run: Run, say: Any
) -> None:
    service.script = lambda _number, _asked: say(status=404, text="model: nope", code="not_found_error")
    result = run(plan_at(service, "anthropic", {"CLOSED": 1}), folder)
    assert ("HTTP 404: model: nope" in result.stopped.message, len(service.asked)) == (True, 1)  # type: ignore[union-attr]


def test_a_tool_call_is_the_reply(service: Any, plan_at: Any, request_of: Any, say: Any) -> None:
    plan = plan_at(service, "anthropic", {"CLOSED": 1})
    content = [{"type": "text", "text": "Here:"}, {"type": "tool_use", "id": "t", "name": "reply", "input": {"é": 1}}]
    body = {"type": "message", "content": content, "stop_reason": "tool_use", "usage": {"output_tokens": 2}}
    service.script = lambda _number, asked: (
        say(raw=json.dumps(body).encode()) if asked.form == "tool" else say(status=400, text="no")
    )
    (reply,) = ask(plan, request_of(plan, plan.groups[0]))
    assert (reply.text, reply.finish, reply.usage.input_tokens) == ('{"é": 1}', "stop", 0)
    assert service.asked[1].body["tool_choice"] == {
        "type": "tool",
        "name": "reply",
        "disable_parallel_tool_use": True,
    }


def test_what_a_mistral_model_thinks_is_no_part_of_its_reply(
    service: Any, plan_at: Any, request_of: Any, say: Any
) -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    message = {"role": "assistant", "content": [thought, {"type": "text", "text": '{"a": 1}'}]}
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m-1",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
    }
    service.script = lambda _number, _asked: say(raw=json.dumps(body).encode())
    plan = plan_at(service, "mistral", {"CLOSED": 1})
    (reply,) = ask(plan, request_of(plan, plan.groups[0]))
    assert reply.text == '{"a": 1}'


def test_a_service_in_place_of_a_provider_without_a_model_asks_for_its_name(plan_of: Any) -> None:
    plan = plan_of(provider="embedded")
    plan = plan.model_copy(update={"generation_model": plan.generation_model.model_copy(update={"model_name": "none"})})
    with pytest.raises(SetupError) as caught:
        make_provider(plan, ProviderOptions(Path(), provider="openai"), KEY)
    assert caught.value.diagnostic.message == "the provider openai needs the name of a model"
