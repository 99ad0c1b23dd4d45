"""The one small call of a check-up, and what it finds out about each service."""

from pathlib import Path
from typing import Any

import pytest

from evalspec.runtime.checkup import Checkup, check_up
from evalspec.spec.generation import Prices

CANARY = "sk-canary-55aa1c"


def verdicts(found: Checkup) -> dict[str, str]:
    return {check.name: check.verdict for check in found.checks}


def words(found: Checkup, name: str) -> str:
    return next(check.found for check in found.checks if check.name == name)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENERATION_API_KEY", CANARY)


@pytest.mark.parametrize(
    ("name", "form"), [("openai", "lowered"), ("custom", "schema"), ("anthropic", "output"), ("mistral", "schema")]
)
def test_one_call_shows_model_form_limits_and_cost(
    name: str, form: str, service: Any, folder: Path, plan_at: Any, say: Any
) -> None:
    limits = {"X-RateLimit-Limit-Requests": "50", "anthropic-ratelimit-tokens-remaining": "9"}
    service.script = lambda _number, _asked: say(text='{"word": "yes"}', headers=limits)
    found = check_up(plan_at(service, name, prices=Prices(input_per_million=1.0, output_per_million=2.0)), folder)
    assert set(verdicts(found).values()) == {"passed", "note"}
    assert (len(service.asked), words(found, "model")) == (1, "m-1")
    assert words(found, "structured output") == f"the reply is held to the schema ({form})"
    assert words(found, "limits") == "anthropic-ratelimit-tokens-remaining: 9, x-ratelimit-limit-requests: 50"
    assert (found.usage.input_tokens, found.cost) == (11, pytest.approx(21e-6))
    assert CANARY not in repr(found)
    assert not (folder / "data").exists()


@pytest.mark.parametrize("name", ["openai", "custom", "anthropic", "mistral"])
def test_a_service_that_binds_no_schema_is_noted(name: str, service: Any, folder: Path, plan_at: Any, say: Any) -> None:
    service.script = lambda _number, asked: (
        say(text='{"word": "yes"}') if asked.form == "plain" else say(status=400, text="not supported")
    )
    found = check_up(plan_at(service, name), folder)
    assert (verdicts(found)["structured output"], verdicts(found)["reply"], found.diagnostics) == ("note", "passed", [])


@pytest.mark.parametrize(
    ("said", "code", "check"),
    [
        ({"status": 401, "text": f"bad key {CANARY}"}, "ES504", "endpoint"),
        ({"status": 429, "text": "slow down"}, "ES504", "endpoint"),
        ({"text": "Yes, gladly."}, "ES518", "reply"),
        ({"text": '{"wor', "finish": "length"}, "ES518", "reply"),
    ],
)
def test_what_would_stop_a_run_is_a_finding(
    said: dict[str, Any], code: str, check: str, service: Any, folder: Path, plan_at: Any, say: Any
) -> None:
    service.script = lambda _number, _asked: say(**said)
    found = check_up(plan_at(service, "custom"), folder)
    assert ([d.code for d in found.diagnostics], verdicts(found)[check]) == ([code], "failed")
    assert CANARY not in repr(found)


@pytest.mark.parametrize(
    ("text", "finish", "verdict"), [("Yes, gladly.", "stop", "failed"), ('{"wor', "length", "passed")]
)
def test_an_endpoint_that_takes_a_schema_and_does_not_keep_to_it_binds_none(
    text: str, finish: str, verdict: str, service: Any, folder: Path, plan_at: Any, say: Any
) -> None:
    service.script = lambda _number, _asked: say(text=text, finish=finish)
    found = check_up(plan_at(service, "custom"), folder)
    assert (verdicts(found)["structured output"], verdicts(found)["reply"]) == (verdict, "failed")


def test_a_missing_key_and_a_missing_address_are_named(
    folder: Path, plan_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GENERATION_API_KEY")
    found = check_up(plan_of(provider="anthropic"), folder)
    assert (verdicts(found), found.diagnostics[0].code) == ({"config": "passed", "key": "failed"}, "ES505")
    found = check_up(plan_of(provider="custom"), folder)
    assert (verdicts(found), found.diagnostics[0].code) == ({"config": "failed"}, "ES406")


def test_nothing_is_asked_where_no_model_is(folder: Path, plan_of: Any) -> None:
    found = check_up(plan_of(), folder, "embedded")
    assert (verdicts(found), found.diagnostics) == ({"config": "passed", "endpoint": "skipped"}, [])
