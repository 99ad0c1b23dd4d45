"""What a target gave, and the result that is made of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalspec.bench.results import TargetResult, ToolCall
from evalspec.bench.targets.mapping import NAMES, ResultMap, result_of

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=20)
KEYS = st.sampled_from([name for names in NAMES.values() for name in names] + ["usage", "name", "args", "x"])
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=5), inner, max_size=5)
)
PATHS = st.none() | st.sampled_from(["text", "a.b", "x[0]", "x[*].name", "[*]", "usage", "", "tools"])
MAPS = st.builds(
    lambda values: ResultMap(**values), st.dictionaries(st.sampled_from(list(ResultMap.model_fields)), PATHS)
)


@given(JSON, MAPS)
def test_any_json_comes_to_a_result_that_can_be_written_and_read(answer: Any, mapping: ResultMap) -> None:
    result = result_of(answer, mapping, 1.5)
    assert TargetResult.model_validate_json(result.model_dump_json()) == result
    assert result.error is None or (result.text, result.output, result.latency_ms) == ("", None, 1.5)


@given(JSON)
def test_a_text_or_an_object_may_be_an_answer_and_nothing_else_is(answer: Any) -> None:
    result = result_of(answer, ResultMap())
    if not isinstance(answer, str | dict):
        assert "not an answer" in str(result.error)
    if isinstance(answer, str):
        assert result.error is None


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (None, "the target gave null, not an answer"),
        (False, "the target gave false, not an answer"),
        (0, "the target gave the number 0, not an answer"),
        ([], "the target gave a list, not an answer"),
        ({"text": None}, "the target gave null at text, not a text"),
        ({"response": False}, "the target gave false at response, not a text"),
        ({"answer": 0}, "the target gave the number 0 at answer, not a text"),
        ({"error": {"message": "no funds"}}, "the target reports an error: no funds"),
    ],
)
def test_what_is_no_answer_is_an_error_that_says_what_it_is(answer: Any, error: str) -> None:
    assert (error, "") == (result_of(answer, ResultMap()).error, result_of(answer, ResultMap()).text)


@pytest.mark.parametrize("answer", ["", {"text": ""}, {"text": None, "tool_calls": ["lookup"]}])
def test_an_empty_text_is_an_empty_answer(answer: Any) -> None:
    result = result_of(answer, ResultMap())
    assert (result.error, result.text) == (None, "")


def test_names_of_agents_and_bots_are_known_and_what_is_not_there_stays_unreported() -> None:
    agent = result_of({"response": "Up 3%.", "tools_called": ["benchmark_compare"], "confidence": "HIGH"}, ResultMap())
    assert (agent.text, agent.tool_calls, agent.confidence) == ("Up 3%.", (ToolCall(name="benchmark_compare"),), "HIGH")
    assert (agent.abstained, agent.retrieved_ids, agent.input_tokens) == (None, None, None)
    bot = result_of(
        {
            "text": "In 7 days.",
            "tool_calls": [{"name": "lookup_order", "args": {"id": "A-1"}}],
            "retrieved_ids": [],
            "input_tokens": 12,
            "output_tokens": 3,
            "abstained": False,
        },
        ResultMap(),
    )
    assert bot.tool_calls == (ToolCall(name="lookup_order", args={"id": "A-1"}),)
    assert (bot.confidence, bot.retrieved_ids, bot.abstained, bot.input_tokens) == (None, (), False, 12)


def test_calls_in_the_form_of_chat_services_are_read() -> None:
    call = {"type": "function", "function": {"name": "find", "arguments": '{"q": "a"}'}}
    result = result_of({"content": None, "tool_calls": [call]}, ResultMap())
    assert (result.text, result.tool_calls) == ("", (ToolCall(name="find", args={"q": "a"}),))


def test_an_object_without_a_text_is_its_own_text_and_output() -> None:
    answer = {"category": "outage", "priority": "P2"}
    result = result_of(answer, ResultMap())
    assert (json.loads(result.text), result.output, result.error) == (answer, answer, None)


def test_a_mapping_says_where_things_stand() -> None:
    mapping = ResultMap(text="reply.text", tool_calls="steps[*].tool", retrieved_ids="trace", output="reply")
    answer = {"reply": {"text": "Yes."}, "steps": [{"tool": "a"}, {"tool": "b"}], "trace": [{"chunk_id": "s1"}, 7]}
    result = result_of(answer, mapping)
    assert (result.text, result.output, result.retrieved_ids) == ("Yes.", {"text": "Yes."}, ("s1", "7"))
    assert result.tool_calls == (ToolCall(name="a"), ToolCall(name="b"))


def test_what_a_mapping_names_must_be_there_and_fit_and_what_it_does_not_name_may_not() -> None:
    text = result_of({"reply": "x"}, ResultMap(text="answer.text"))
    assert text.error == "the answer has no answer.text; it has reply"
    named = result_of({"text": "x", "certain": {}}, ResultMap(confidence="certain"))
    assert named.error == "the target gave an object at certain, not a text or a number"
    assert result_of({"text": "x", "confidence": {}, "tools": {"n": 1}}, ResultMap()).error is None


def test_an_answer_beyond_the_bounds_is_an_error() -> None:
    deep: Any = "x"
    for _ in range(80):
        deep = [deep]
    assert result_of("a" * 1_000_001, ResultMap()).error == "the answer has over 1,000,000 characters"
    assert result_of({"text": "a", "deep": deep}, ResultMap()).error == "the answer nests deeper than 60 levels"


def test_the_json_of_a_model_within_an_envelope_is_the_output() -> None:
    answer = {"choices": [{"message": {"content": '{"category": "outage"}'}}]}
    result = result_of(answer, ResultMap(text="choices[0].message.content"))
    assert (result.text, result.output) == ('{"category": "outage"}', {"category": "outage"})
    assert result_of({"text": "{no", "a": 1}, ResultMap()).output == {"text": "{no", "a": 1}


@pytest.mark.parametrize(
    ("answer", "mapping", "error"),
    [
        ({"reply": "x", "tool_calls": ["find"]}, {"text": "answer"}, "it has reply, tool_calls"),
        ({"reply": "x", "steps": []}, {"text": "answer", "tool_calls": "steps"}, "it has reply, steps"),
        ({"reply": "x", "steps": ["find"]}, {"text": "answer", "tool_calls": "steps"}, None),
        ({"answer": None, "tool_calls": ["find"]}, {"text": "answer"}, None),
    ],
)
def test_a_mapped_text_may_be_missing_only_where_mapped_tools_were_called(
    answer: Any, mapping: dict[str, str], error: str | None
) -> None:
    result = result_of(answer, ResultMap(**mapping))
    assert (error and f"the answer has no answer; {error}", "") == (result.error, result.text)
