"""The OpenAI-compatible provider: what it finds out once, what it makes of statuses, and the key that it keeps."""

import io
import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalspec.runtime.events import FillResult
from evalspec.runtime.providers import ProviderOptions, SetupError, make_provider
from evalspec.runtime.providers.custom import CustomProvider

Run = Callable[..., FillResult]
CANARY = "sk-canary-7f3d9a51c2"


def form(body: dict[str, Any]) -> str:
    asked = body.get("response_format")
    if asked is None:
        return "plain"
    if asked["type"] == "json_object":
        return "object"
    return "schema" if "maxLength" in str(asked) else "lowered"


@pytest.mark.parametrize("taken", ["schema", "lowered", "object", "plain"])
def test_the_strictest_format_that_the_endpoint_takes_is_found_out_once(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any, good: Any, taken: str
) -> None:
    import json

    order = ["schema", "lowered", "object", "plain"]
    bound = plan_of({"CLOSED": 6}, url=llm.url)
    from evalspec.runtime.shapes import Shapes

    shapes = Shapes(bound)
    schemas = {group.group_id: shapes.of(group).schema for group in bound.groups}

    def script(number: int, body: Any) -> Any:
        if order.index(form(body)) < order.index(taken):
            return answer(status=400, content="response_format is not supported")
        whole = body | {"response_format": {"json_schema": {"schema": schemas[llm.group(number)]}}}
        return answer(content=json.dumps(good(whole)))

    llm.script = script
    plan = plan_of({"CLOSED": 6}, url=llm.url)
    result = run(plan, folder)
    assert (result.filled, result.calls) == (6, 6)
    counts = [sum(form(body) == name for body in llm.requests) for name in order]
    assert [1] * order.index(taken) + [6] + [0] * (3 - order.index(taken)) == counts


def test_a_request_that_no_format_mends_is_refused_with_the_first_reason(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    llm.script = lambda _number, body: answer(status=400, content=f"no such model ({form(body)})")
    result = run(plan_of({"CLOSED": 3}, url=llm.url, concurrency=1), folder)
    assert "HTTP 400: no such model (schema)" in result.stopped.message  # type: ignore[union-attr]
    assert len(llm.requests) == 4


def test_a_prompt_that_is_filtered_costs_its_group_a_chunk_and_not_the_run(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    llm.script = lambda number, _body: (
        answer(status=400, content="content_filter triggered") if number == 1 else answer()
    )
    assert run(plan_of({"CLOSED": 4}, url=llm.url, concurrency=1), folder).filled == 4


@pytest.mark.parametrize(
    ("words", "name", "absent"),
    [
        (
            "Unsupported parameter: use max_completion_tokens instead of max_tokens",
            "max_completion_tokens",
            "max_tokens",
        ),
        ("temperature does not support 0.7 with this model", "max_tokens", "temperature"),
    ],
)
def test_what_a_model_wants_named_otherwise_is_found_out_once(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any, words: str, name: str, absent: str
) -> None:
    llm.script = lambda _number, body: answer(status=400, content=words) if absent in body else answer()
    assert run(plan_of({"CLOSED": 3}, url=llm.url), folder).filled == 3
    assert (len(llm.requests), all(name in body for body in llm.requests[1:])) == (4, True)


def test_a_page_in_place_of_a_reply_stops_the_run(llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any) -> None:
    llm.script = lambda _number, _body: answer(body=b"<html>Sign in</html>", headers={"Content-Type": "text/html"})
    result = run(plan_of({"CLOSED": 3}, url=llm.url), folder)
    assert "does not answer in the chat protocol: '<html>Sign in</html>'" in result.stopped.message  # type: ignore[union-attr]


@pytest.mark.parametrize("echo", ["reply", "error", "page"])
def test_the_key_reaches_no_journal_log_event_or_traceback(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any, echo: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / ".env").write_text(f"GENERATION_API_KEY={CANARY}\n", encoding="utf-8")
    words = f"your key is {CANARY}"
    script = {
        "reply": lambda _number, _body: answer(content=words),
        "error": lambda _number, _body: answer(status=401, content=words),
        "page": lambda _number, _body: answer(body=words.encode(), headers={"Content-Type": "text/plain"}),
    }
    llm.script = script[echo]
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    events: list[Any] = []
    try:
        result = run(plan_of({"CLOSED": 1}, url=llm.url), folder, events)
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    assert llm.keys[0] == f"Bearer {CANARY}"
    kept = [path.read_text("utf-8") for path in (folder / "data").rglob("*") if path.is_file()]
    out = capfd.readouterr()
    everything = [*kept, log.getvalue(), repr(events), repr(result), out.out, out.err]
    assert [text[:500] for text in everything if CANARY in text] == []


def test_the_provider_shows_no_key_when_it_fails(plan_of: Any) -> None:
    plan = plan_of(url="https://llm.example/v1")
    provider = make_provider(plan, ProviderOptions(Path()), {"GENERATION_API_KEY": CANARY})
    assert isinstance(provider, CustomProvider)
    try:
        raise ValueError(repr(provider), vars(provider))
    except ValueError:
        assert CANARY not in traceback.format_exc()


def test_a_public_endpoint_needs_its_key_and_a_loopback_one_does_not(plan_of: Any) -> None:
    with pytest.raises(SetupError) as caught:
        make_provider(plan_of(url="https://user:secret@llm.example/v1"), ProviderOptions(Path()), {})
    assert (caught.value.diagnostic.code, "secret" in caught.value.diagnostic.message) == ("ES505", False)
    assert make_provider(plan_of(url="http://localhost:1/v1"), ProviderOptions(Path()), {}).name == "custom"


@pytest.mark.parametrize(
    ("name", "code"),
    [("custom", "ES406"), ("openai", "ES505"), ("anthropic", "ES505"), ("mistral", "ES505"), ("replay", "ES406")],
)
def test_a_provider_that_cannot_be_called_is_named(plan_of: Any, tmp_path: Path, name: str, code: str) -> None:
    with pytest.raises(SetupError) as caught:
        make_provider(plan_of(provider=name), ProviderOptions(tmp_path), {})
    assert caught.value.diagnostic.code == code
    assert name in caught.value.diagnostic.message


def test_a_recorded_journal_is_replayed_to_the_same_slots(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    import shutil

    from evalspec.spec import journal
    from evalspec.spec.journal import AttemptLine

    llm.script = lambda number, _body: answer(content="no") if number == 1 else answer()
    plan = plan_of(url=llm.url, concurrency=1)
    run(plan, folder)
    kept = folder / "data/generated/journal.jsonl"
    first = [x.slots for x in journal.read(kept).lines if isinstance(x, AttemptLine) and x.slots]
    shutil.move(kept, folder / "replay.jsonl")
    result = run(plan, folder, provider="replay", concurrency=1)
    again = [x.slots for x in journal.read(kept).lines if isinstance(x, AttemptLine) and x.slots]
    assert (10, len(llm.requests)) == (result.filled, 11)
    assert sorted(first, key=str) == sorted(again, key=str)
