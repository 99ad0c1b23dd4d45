"""Plain chats through the services' SDKs: messages, settings, tools and replies without a schema."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from evalspec.runtime.providers import (
    ChatRequest,
    Message,
    RefusedError,
    Reply,
    ReplyError,
    SetupError,
    ToolUse,
    make_chat,
)
from evalspec.spec.generation import GenerationModel
from evalspec.spec.source import Place

SERVICES = ("openai", "custom", "anthropic", "mistral")
KEY = {"GENERATION_API_KEY": "sk-canary-9b20aa417c"}
CHAT = (
    Message("system", "Be brief."),
    Message("user", "One?"),
    Message("assistant", "1"),
    Message("user", "Two?"),
)
SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
TOOL = {"name": "find", "description": "Finds.", "parameters": {"type": "object", "properties": {}}}


def chat_with(name: str, url: str | None = None, **settings: Any) -> Any:
    model = GenerationModel(provider=name, model_name="m-1", base_url=url, **settings)  # type: ignore[arg-type]
    return make_chat(model, Path(), KEY, place=lambda key: Place("judge.yaml", path=key))


def ask(chat: Any, *requests: ChatRequest) -> list[Reply]:
    async def scene() -> list[Reply]:
        try:
            return [await chat.ask(request) for request in requests]
        finally:
            await chat.close()

    return asyncio.run(scene())


@pytest.mark.parametrize("name", SERVICES)
def test_a_chat_goes_as_turns_without_a_form(name: str, service: Any, say: Any) -> None:
    service.script = lambda _number, _asked: say(text="two")
    (reply,) = ask(chat_with(name, service.url), ChatRequest(CHAT, max_tokens=9))
    assert (reply.text, reply.finish, reply.tool_calls, reply.usage.input_tokens) == ("two", "stop", (), 11)
    body = service.asked[0].body
    turns = [{"role": message.role, "content": message.content} for message in CHAT]
    if name == "anthropic":
        assert (body["system"], body["messages"]) == ("Be brief.", turns[1:])
    else:
        assert [{key: message[key] for key in ("role", "content")} for message in body["messages"]] == turns
    assert (service.asked[0].form, service.asked[0].key) == ("plain", KEY["GENERATION_API_KEY"])
    assert {"temperature", "top_p", "seed", "random_seed", "tools", "response_format"} & set(body) == set()


@pytest.mark.parametrize("name", SERVICES)
def test_settings_go_under_the_services_names_and_what_it_does_not_take_is_said(
    name: str, service: Any, say: Any
) -> None:
    service.script = lambda _number, _asked: say(text="two")
    chat = chat_with(name, service.url)
    ask(chat, ChatRequest(CHAT, None, 9, 0.0, 0.9, 7))
    body = service.asked[0].body
    assert (body["temperature"], body["top_p"]) == (0.0, 0.9)
    seed = {"anthropic": None, "mistral": "random_seed"}.get(name, "seed")
    assert [key for key in body if "seed" in key] == ([seed] if seed else [])
    assert chat.unsupported == (("seed",) if name == "anthropic" else ())
    assert body["max_completion_tokens" if name == "openai" else "max_tokens"] == 9


@pytest.mark.parametrize("name", SERVICES)
def test_a_setting_that_a_model_refuses_is_left_out_from_then_on(name: str, service: Any, say: Any) -> None:
    def script(_number: int, asked: Any) -> Any:
        if "top_p" in asked.body:
            words = "`temperature` and `top_p` cannot both be specified for this model"
            return say(status=400, text=words, code="invalid_request_error")
        return say(text="two")

    service.script = script
    chat = chat_with(name, service.url)
    ask(chat, *[ChatRequest(CHAT, None, 9, 0.0, 0.9)] * 2)
    assert [("top_p" in asked.body, "temperature" in asked.body) for asked in service.asked] == [
        (True, True),
        (False, True),
        (False, True),
    ]
    assert "top_p" in chat.unsupported


@pytest.mark.parametrize("name", SERVICES)
def test_a_schema_binds_the_reply_and_the_next_may_go_without(name: str, service: Any, say: Any) -> None:
    service.script = lambda _number, _asked: say(text='{"word": "yes"}')
    ask(chat_with(name, service.url), ChatRequest(CHAT, SCHEMA, 9), ChatRequest(CHAT, None, 9))
    bound, plain = service.asked
    assert (bound.schema["required"], plain.form) == (["word"], "plain")


@pytest.mark.parametrize("name", SERVICES)
def test_a_plain_reply_says_nothing_of_the_forms_that_a_service_takes(name: str, service: Any, say: Any) -> None:
    def script(_number: int, asked: Any) -> Any:
        refused = asked.form in ("schema", "output")
        return say(status=400, text="not supported", code="invalid_request_error") if refused else say(text="{}")

    service.script = script
    ask(chat_with(name, service.url), *[ChatRequest(CHAT, schema, 9) for schema in (None, SCHEMA, SCHEMA, None)])
    refused = [asked for asked in service.asked if asked.form in ("schema", "output")]
    assert len(refused) == (1 if name == "anthropic" else 0)


@pytest.mark.parametrize("name", SERVICES)
def test_calls_of_functions_are_given_back(name: str, service: Any, say: Any) -> None:
    if name == "anthropic":
        block = {"type": "tool_use", "id": "t", "name": "find", "input": {"q": "a"}}
        body: dict[str, Any] = {"content": [{"type": "text", "text": "Let me see."}, block], "stop_reason": "tool_use"}
    else:
        call = {"id": "t", "type": "function", "function": {"name": "find", "arguments": '{"q": "a"}'}}
        message = {"role": "assistant", "content": "Let me see.", "tool_calls": [call]}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        body = {"id": "x", "object": "chat.completion", "created": 1, "choices": [choice], "usage": usage}
    service.script = lambda _number, _asked: say(raw=json.dumps({"model": "m-1", **body}).encode())
    (reply,) = ask(chat_with(name, service.url), ChatRequest(CHAT, None, 9, tools=(TOOL,)))
    assert (reply.text, reply.tool_calls) == ("Let me see.", (ToolUse("find", {"q": "a"}),))
    (tool,) = service.asked[0].body["tools"]
    assert (tool if name == "anthropic" else tool["function"])["name"] == "find"


@pytest.mark.parametrize("name", SERVICES)
def test_a_bad_request_is_refused_at_first_and_later_its_own_fault(name: str, service: Any, say: Any) -> None:
    bad = lambda _number, _asked: say(status=400, text="odd", code="invalid_request_error")  # noqa: E731
    service.script = bad
    with pytest.raises(RefusedError, match="odd"):
        ask(chat_with(name, service.url), ChatRequest(CHAT, None, 9))
    service.script = lambda number, asked: say(text="two") if number == 1 else bad(number, asked)
    with pytest.raises(ReplyError, match="odd"):
        ask(chat_with(name, service.url), *[ChatRequest(CHAT, None, 9)] * 2)


def test_a_prompt_that_is_too_long_is_its_own_fault_even_at_first(service: Any, say: Any) -> None:
    service.script = lambda _number, _asked: say(status=400, text="This model's maximum context length is 8192 tokens")
    with pytest.raises(ReplyError, match="maximum context length"):
        ask(chat_with("custom", service.url), ChatRequest(CHAT, None, 9))


@pytest.mark.parametrize("name", ["embedded", "replay"])
def test_what_only_fills_datasets_answers_no_chat(name: str) -> None:
    with pytest.raises(SetupError) as caught:
        chat_with(name)
    found = caught.value.diagnostic
    assert (found.code, found.place.file) == ("ES406", "judge.yaml")
    assert f"the provider {name} fills datasets, and answers no chat" == found.message


def test_what_a_chat_lacks_is_named_in_its_own_files_words() -> None:
    with pytest.raises(SetupError) as caught:
        chat_with("custom")
    assert caught.value.diagnostic.hint == "set model.base_url, for example http://127.0.0.1:8000/v1"
