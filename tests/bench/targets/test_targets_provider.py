"""A model under test: its prompt, its history, its settings, and what is made of its replies."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from evalspec.bench.report import Settings
from evalspec.bench.results import ToolCall
from evalspec.bench.targets import BusyError, RefusedError, SetupError

Make = Callable[..., Any]
KEY = {"GENERATION_API_KEY": "sk-canary-51d7e0c3a9"}
YAML = """\
kind: provider
model: {{provider: custom, model_name: m-1, base_url: "{url}/v1"}}
prompts:
  v1: prompts/v1.txt
  v2: "You are curt. Country: {{country}}. Reply as {{\\"a\\": 1}}."
prompt_version: v1
"""


def completion(text: str | None, **message: Any) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": text, **message}, "finish_reason": "stop"}
    return {"model": "m-1", "choices": [choice], "usage": {"prompt_tokens": 11, "completion_tokens": 5}}


@pytest.fixture(autouse=True)
def prompts(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "v1.txt").write_text("You help customers in {country}.\n", encoding="utf-8")


@pytest.fixture
def model(bot: Any, target: Make) -> Make:
    """A target at the bot, which speaks the chat protocol."""
    bot.script = lambda number, _request: completion(f"a{number}")
    return lambda more="", **options: target(YAML.format(url=bot.url) + more, KEY, **options)


def sent(bot: Any) -> list[Any]:
    return [request["body"] for request in bot.requests]


def test_a_short_form_sends_the_turn_alone(bot: Any, target: Make, case: Make, ask: Make) -> None:
    bot.script = lambda _number, _request: completion("hi")
    made = target(f"custom:m-1@{bot.url}/v1", KEY)
    (result,) = ask(made, case("hello"))
    assert (result.text, result.input_tokens, result.output_tokens, result.tool_calls) == ("hi", 11, 5, ())
    assert (result.confidence, result.abstained, result.output, result.error) == (None, None, None, None)
    assert sent(bot) == [{"model": "m-1", "messages": [{"role": "user", "content": "hello"}]}]
    assert (made.name, made.model) == ("custom:m-1", "m-1")


def test_history_goes_as_turns_under_the_prompt_of_the_version(bot: Any, model: Make, case: Make, ask: Make) -> None:
    results = ask(model(), case("q0", "q1", country="the UAE"), case("r", case_id="c-2", country="Oman"))
    assert [result.text for result in results] == ["a0", "a1", "a2"]
    first, second, third = (body["messages"] for body in sent(bot))
    system = {"role": "system", "content": "You help customers in the UAE.\n"}
    assert first == [system, {"role": "user", "content": "q0"}]
    assert second == [*first, {"role": "assistant", "content": "a0"}, {"role": "user", "content": "q1"}]
    assert third == [
        {"role": "system", "content": "You help customers in Oman.\n"},
        {"role": "user", "content": "r"},
    ]


def test_a_turn_that_failed_is_no_history_and_the_rest_goes_on(bot: Any, model: Make, case: Make, ask: Make) -> None:
    def script(number: int, _request: Any) -> Any:
        if number == 1:
            return web.json_response({"error": {"message": "content_filter"}}, status=400)
        return completion(f"a{number}")

    made = model()
    bot.script = script
    results = ask(made, case("q0", "q1", "q2", country="x"))
    assert [result.error for result in results] == [None, "HTTP 400: content_filter", None]
    assert [message["content"] for message in sent(bot)[2]["messages"][1:]] == ["q0", "a0", "q2"]


def test_the_run_names_another_version_model_and_settings(bot: Any, model: Make, case: Make, ask: Make) -> None:
    settings = Settings(seed=42, temperature=0.0, top_p=1.0, max_tokens=64)
    made = model(prompt_version="v2", model="m-2", settings=settings)
    ask(made, case("q", country="AE"))
    body = sent(bot)[0]
    assert {key: body[key] for key in ("model", "seed", "temperature", "top_p", "max_tokens")} == {
        "model": "m-2",
        "seed": 42,
        "temperature": 0.0,
        "top_p": 1.0,
        "max_tokens": 64,
    }
    assert body["messages"][0]["content"] == 'You are curt. Country: AE. Reply as {"a": 1}.'
    shown = made.shown()
    assert (shown["prompt_version"], shown["model"], shown["unsupported"]) == ("v2", "m-2", [])
    assert shown["settings"] == {"seed": 42, "temperature": 0.0, "top_p": 1.0, "max_tokens": 64}


def test_a_setting_that_the_model_refuses_is_left_out_and_shown(bot: Any, model: Make, case: Make, ask: Make) -> None:
    def script(_number: int, request: Any) -> Any:
        if "seed" in request["body"]:
            return web.json_response({"error": {"message": "Unsupported parameter: 'seed'"}}, status=400)
        return completion("ok")

    made = model(settings=Settings(seed=1, temperature=0.0))
    bot.script = script
    results = ask(made, case("a", "b", country="x"))
    assert ([result.text for result in results], len(bot.requests)) == (["ok", "ok"], 3)
    assert made.shown()["unsupported"] == ["seed"]


def test_an_object_goes_as_json_or_as_the_message_says(
    bot: Any, target: Make, model: Make, case: Make, ask: Make
) -> None:
    ask(model(), case({"ticket": "no línea", "tier": 2}, country="x"))
    assert sent(bot)[0]["messages"][1]["content"] == '{"ticket": "no línea", "tier": 2}'
    ask(model('message: "{ticket} ({tier}, {country})"\n'), case({"ticket": "down", "tier": 2}, country="x"))
    assert sent(bot)[1]["messages"][1]["content"] == "down (2, x)"


def test_a_case_without_what_the_prompt_names_is_an_error_of_its_own(
    bot: Any, model: Make, case: Make, ask: Make
) -> None:
    first, second = ask(model(), case("q"), case("q", country="x"))
    assert first.error == "the prompt cannot be made for this case: nothing fills the placeholder {country}"
    assert (second.text, len(bot.requests)) == ("a0", 1)


JSON = """\
reply: json
map: {text: answer, retrieved_ids: "sources[*].id", confidence: sure}
"""


def test_a_reply_of_json_is_mapped_fence_and_all(bot: Any, model: Make, case: Make, ask: Make) -> None:
    made = model(JSON)
    reply = {"answer": "Yes.", "sources": [{"id": "s1"}], "sure": "HIGH"}
    bot.script = lambda _number, _request: completion(f"Here:\n```json\n{json.dumps(reply)}\n```")
    (result,) = ask(made, case("q", country="x"))
    assert (result.text, result.retrieved_ids, result.confidence, result.output) == ("Yes.", ("s1",), "HIGH", reply)
    assert (result.validator_rejected, result.tool_calls, result.input_tokens) == (None, (), 11)


@pytest.mark.parametrize("reply", ["I cannot say.", '{"text": "no answer key"}', ""])
def test_a_reply_that_is_not_what_was_asked_for_is_an_answer_rejected_and_no_error(
    bot: Any, model: Make, case: Make, ask: Make, reply: str
) -> None:
    made = model(JSON)
    bot.script = lambda _number, _request: completion(reply)
    (result,) = ask(made, case("q", country="x"))
    assert (result.text, result.validator_rejected, result.error) == (reply, True, None)


SCHEMA = """\
output_schema:
  type: object
  properties: {category: {enum: [a, b]}}
  required: [category]
  additionalProperties: false
"""


@pytest.mark.parametrize(("reply", "rejected"), [('{"category": "a"}', False), ('{"category": "z"}', True)])
def test_an_output_schema_is_sent_and_judged(
    bot: Any, model: Make, case: Make, ask: Make, reply: str, rejected: bool
) -> None:
    made = model(SCHEMA)
    bot.script = lambda _number, _request: completion(reply)
    (result,) = ask(made, case("q", country="x"))
    assert (result.output, result.validator_rejected, result.error) == (json.loads(reply), rejected, None)
    assert sent(bot)[0]["response_format"]["json_schema"]["schema"]["required"] == ["category"]


TOOLS = """\
tools:
  - {name: lookup_order, description: Looks one up, parameters: {type: object, properties: {id: {type: string}}}}
"""


def test_calls_of_tools_are_recorded_and_not_run(bot: Any, model: Make, case: Make, ask: Make) -> None:
    made = model(TOOLS)
    call = {"id": "x", "type": "function", "function": {"name": "lookup_order", "arguments": '{"id": "A-1"}'}}
    bot.script = lambda number, _request: completion(None, tool_calls=[call]) if number == 0 else completion("ok")
    first, second = ask(made, case("q", "r", country="x"))
    assert (first.text, first.tool_calls) == ("", (ToolCall(name="lookup_order", args={"id": "A-1"}),))
    assert (second.text, second.tool_calls, first.error) == ("ok", (), None)
    tool = sent(bot)[0]["tools"][0]
    assert (tool["type"], tool["function"]["name"]) == ("function", "lookup_order")
    assert sent(bot)[1]["messages"][2] == {"role": "assistant", "content": "[called lookup_order]"}


def test_a_busy_model_is_worth_another_try_and_a_refusal_stops_the_run(
    bot: Any, model: Make, case: Make, ask: Make
) -> None:
    for status, kind in ((429, BusyError), (500, BusyError), (401, RefusedError), (404, RefusedError)):
        made = model()
        said = {"error": {"message": f"key {KEY['GENERATION_API_KEY']}"}}
        bot.script = lambda _number, _request, said=said, status=status: web.json_response(said, status=status)
        with pytest.raises(kind, match=rf"HTTP {status}: key \[key\]"):
            ask(made, case("q", country="x"))


@pytest.mark.parametrize("more", ["", "output_schema: {type: object}\n"])
def test_a_bad_request_after_good_ones_is_its_own_cases_error(
    bot: Any, model: Make, case: Make, ask: Make, more: str
) -> None:
    def script(_number: int, request: Any) -> Any:
        odd = request["body"]["messages"][-1]["content"] == "b"
        return web.json_response({"error": {"message": "odd"}}, status=400) if odd else completion("{}")

    made = model(more)
    bot.script = script
    results = ask(made, case("a", country="x"), case("b", country="x"), case("c", country="x"))
    assert [result.error for result in results] == [None, "HTTP 400: odd", None]


def test_the_first_requests_go_at_once(bot: Any, model: Make, case: Make, together: Make) -> None:
    async def slow() -> Any:
        await asyncio.sleep(0.2)
        return completion("ok")

    made = model()
    bot.script = lambda _number, _request: slow()
    asyncio.run(together(made, *(case("q", case_id=f"c{n}", country="x") for n in range(16))))
    assert (bot.most, made.most_at_once) == (16, 1024)


@pytest.mark.parametrize(
    ("text", "code", "line", "said"),
    [
        ("prompts: {v1: a.txt}\n", "ES731", 3, "there is no file a.txt"),
        ("prompts: {v1: hi, v2: ho}\n", "ES733", 3, "the target has prompts of 2 versions, and none is named"),
        ("prompts: {v1: hi}\nprompt_version: v3\n", "ES733", 3, "the target has no prompt of the version v3"),
        ("prompts: {v1: '{% for x in y %}'}\n", "ES731", 3, "the text cannot be read"),
        ("message: '{% for x in y %}'\n", "ES731", 3, "the text cannot be read"),
        ("output_schema: {type: 5}\n", "ES731", 3, "output_schema is no JSON Schema"),
    ],
)
def test_a_prompt_that_cannot_be_is_found_at_its_place(
    bot: Any, target: Make, text: str, code: str, line: int, said: str
) -> None:
    head = f'kind: provider\nmodel: {{provider: custom, model_name: m-1, base_url: "{bot.url}/v1"}}\n'
    with pytest.raises(SetupError) as caught:
        target(head + text, KEY)
    found = caught.value.diagnostic
    assert (found.code, found.place.line, said in found.message) == (code, line, True)


def test_a_key_that_is_not_there_is_named_at_the_targets_file(target: Make) -> None:
    text = "kind: provider\nmodel:\n  provider: openai\n  model_name: m\n  api_key_env: MY_KEY\n"
    with pytest.raises(SetupError) as caught:
        target(text)
    found = caught.value.diagnostic
    assert (found.code, found.place.line) == ("ES505", 5)
    assert found.hint == "set MY_KEY, or put it in a .env file beside evalspec.toml, or where you start the command"


def test_the_digest_follows_prompt_model_and_settings(model: Make, tmp_path: Path) -> None:
    digests = [
        model().digest,
        model(prompt_version="v2").digest,
        model(model="m-2").digest,
        model(settings=Settings(temperature=0.0)).digest,
        model('message: "{input}!"\n').digest,
    ]
    assert model().digest == digests[0]
    (tmp_path / "prompts" / "v1.txt").write_text("You help customers of {country}.\n", encoding="utf-8")
    assert len({*digests, model().digest}) == 6
