"""What `--judge` may name, what is said of settings that are faulty, and verdicts that were recorded before."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from evalspec.bench.checks import Check, JudgedByPolicy
from evalspec.bench.judging import KeptHere, make_judge, read_judge
from evalspec.bench.results import CheckResult, JudgeLine, TargetResult
from evalspec.bench.suite import Case, Turn
from evalspec.runtime.providers import SetupError
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.source import Place

CHECK = Check("policy_judge", JudgedByPolicy("Be brief."))


def shown(diagnostics: tuple[Diagnostic, ...]) -> str:
    return "\n".join(
        f"{d.code} {d.place.file}:{d.place.line}:{d.place.column} {d.message} | {d.hint} | {d.place.text}"
        for d in diagnostics
    )


def read(folder: Path, text: str) -> tuple[Any, tuple[Diagnostic, ...]]:
    (folder / "judge.yaml").write_text(text, encoding="utf-8")
    return read_judge("judge.yaml", folder)


@pytest.mark.parametrize(
    ("given", "provider", "model", "url"),
    [
        ("openai:gpt-4o-mini", "openai", "gpt-4o-mini", None),
        ("anthropic:claude-x", "anthropic", "claude-x", None),
        ("local:weights:q4", "local", "weights:q4", None),
        ("custom:m@http://127.0.0.1:8000/v1", "custom", "m", "http://127.0.0.1:8000/v1"),
        ("openai:m@https://host/v1", "openai", "m", "https://host/v1"),
        ("recorded:verdicts.jsonl", "recorded", "verdicts.jsonl", None),
    ],
)
def test_a_judge_in_short_form(tmp_path: Path, given: str, provider: str, model: str, url: str | None) -> None:
    config, diagnostics = read_judge(given, tmp_path)
    assert (diagnostics, config and config.votes, config and config.prompt) == ((), 1, "v1")
    assert config is not None
    only = config.models[0]
    assert (provider, model, url, 0.0) == (only.provider, only.model, only.base_url, only.temperature)


@pytest.mark.parametrize(
    "given",
    ["opnai:gpt-4o", "embedded:x", "gpt-4o", "custom:m", "https://host/v1", "openai:", "judge.yaml", "openai:\n", ""],
)
def test_what_is_no_judge_is_said_to_be_none(tmp_path: Path, given: str, snapshot: Any) -> None:
    config, diagnostics = read_judge(given, tmp_path)
    assert config is None
    assert shown(diagnostics) == snapshot


def test_one_judge_from_a_file(tmp_path: Path) -> None:
    config, diagnostics = read(
        tmp_path,
        "provider: openai\nmodel: gpt-4o-mini\napi_key_env: OPENAI_API_KEY\ntemperature: 0.2\nvotes: 3\nseed: 4\n"
        "limits: {max_concurrency: 4}\n",
    )
    assert diagnostics == ()
    only = config.models[0]
    assert (
        only.api_key_env,
        only.temperature,
        only.seed,
        only.limits.max_concurrency,
        config.votes,
    ) == ("OPENAI_API_KEY", 0.2, 4, 4, 3)


def test_a_panel_from_a_file(tmp_path: Path) -> None:
    config, diagnostics = read(
        tmp_path, "votes: 2\npanel:\n  - {provider: openai, model: a}\n  - {provider: mistral, model: b}\n"
    )
    assert (diagnostics, config.votes, [model.model for model in config.models]) == ((), 2, ["a", "b"])


FAULTY = {
    "a misspelt key": "provider: openai\nmodle: x\n",
    "a provider that answers no chat": "provider: embedded\nmodel: x\n",
    "a temperature that is none": "provider: openai\nmodel: x\ntemperature: 3\n",
    "no votes": "provider: openai\nmodel: x\nvotes: 0\n",
    "a prompt that there is not": "provider: openai\nmodel: x\nprompt: v9\n",
    "custom without an address": "provider: custom\nmodel: x\n",
    "custom in a panel without an address": "panel: [{provider: openai, model: a}, {provider: custom, model: b}]\n",
    "an empty panel": "panel: []\n",
    "the same judge twice": "panel:\n  - {provider: openai, model: a}\n  - {provider: openai, model: a}\n",
    "a panel and a judge": "provider: openai\nmodel: x\npanel:\n  - {provider: openai, model: a}\n",
    "a list": "- a\n",
    "nothing": "\n",
    "no YAML": "provider: [\n",
    "a key that stands twice": "provider: openai\nmodel: x\nmodel: y\n",
}


@pytest.mark.parametrize("fault", FAULTY)
def test_faulty_settings_are_found_with_their_places(tmp_path: Path, fault: str, snapshot: Any) -> None:
    config, diagnostics = read(tmp_path, FAULTY[fault])
    assert config is None
    assert shown(diagnostics) == snapshot


@pytest.mark.parametrize("key", ["sk-" + "a1B2" * 8, "deadbeef" * 5])
def test_a_key_in_the_settings_is_found_and_never_shown(tmp_path: Path, key: str) -> None:
    config, diagnostics = read(tmp_path, f"provider: openai\nmodel: x\napi_key_env: {key}\n")
    assert (config, [d.code for d in diagnostics]) == (None, ["ES108"])
    assert key not in shown(diagnostics)


# -- recorded verdicts


def recorded(
    folder: Path, text: str, *spots: tuple[str, int, int], given: str = "recorded:v.jsonl"
) -> list[CheckResult]:
    """What the recording says of cases, turns and epochs."""
    (folder / "v.jsonl").write_text(text, encoding="utf-8")
    config, diagnostics = read_judge(given, folder)
    assert diagnostics == ()
    assert config is not None
    judge = make_judge(config, {}, folder)

    async def ask() -> list[CheckResult]:
        out = []
        for case_id, turn, epoch in spots:
            turns = tuple(Turn("Hello", (CHECK,)) for _ in range(turn + 1))
            case = Case(case_id, turns, Place("s"), "s")
            out.append(await judge.verdict(CHECK, case, [TargetResult(text="Hi.")] * (turn + 1), epoch, KeptHere()))
        return out

    return asyncio.run(ask())


def test_recorded_verdicts_are_found_by_case(tmp_path: Path) -> None:
    text = (
        '\ufeff{"case_id": "a", "reply": {"rationale": "short", "pass": true}}\r\n\r\n'
        '{"case_id": "b", "reply": "Too long.\\nGRADE: FAIL"}'
    )
    results = recorded(tmp_path, text, ("a", 0, 1), ("b", 0, 2), ("c", 0, 1))
    assert [result.verdict for result in results] == ["pass", "fail", "unscored"]
    reason = "the judge gave no reply: the recording holds no verdict on policy_judge of case c"
    assert reason == results[2].reason


def test_the_line_that_says_most_counts(tmp_path: Path) -> None:
    lines = [
        {"case_id": "a", "reply": {"pass": True}},
        {"case_id": "a", "check": "policy_judge", "turn": 1, "reply": {"pass": False}},
        {"case_id": "a", "check": "policy_judge", "turn": 1, "epoch": 3, "reply": {"pass": True}},
        {"case_id": "a", "check": "another", "reply": {"pass": False}},
    ]
    text = "\n".join(map(json.dumps, lines))
    results = recorded(tmp_path, text, ("a", 0, 1), ("a", 1, 1), ("a", 1, 3))
    assert [result.verdict for result in results] == ["pass", "fail", "pass"]


def test_a_bench_journal_is_a_recording(tmp_path: Path) -> None:
    kept = JudgeLine(key="k", case_id="a", epoch=2, check="policy_judge", reply='{"pass": true}')
    lost = JudgeLine(key="l", case_id="a", epoch=1, check="policy_judge", reply=None, error="HTTP 500")
    trial = '{"kind": "trial", "case_id": "a", "epoch": 1, "key": "t", "results": []}'
    text = "\n".join([trial, lost.model_dump_json(), kept.model_dump_json(), ""])
    results = recorded(tmp_path, text, ("a", 0, 1), ("a", 0, 2))
    assert [result.verdict for result in results] == ["unscored", "pass"]


def test_a_recording_beside_its_settings_is_found(tmp_path: Path) -> None:
    inner = tmp_path / "judges"
    inner.mkdir()
    (inner / "judge.yaml").write_text("provider: recorded\nmodel: v.jsonl\n", encoding="utf-8")
    (inner / "v.jsonl").write_text('{"case_id": "a", "reply": {"pass": true}}\n', encoding="utf-8")
    config, _ = read_judge("judges/judge.yaml", tmp_path)
    assert config is not None
    assert make_judge(config, {}, tmp_path).name == "v.jsonl"


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"case_id": "a", "reply": {"pass": true}',
        '{"case_id": 1, "reply": {"pass": true}}',
        '{"case_id": "a", "repyl": {"pass": true}}',
        '{"case_id": "a", "reply": true}',
        '["a"]',
    ],
)
def test_a_faulty_recording_is_found_with_its_place(tmp_path: Path, text: str, snapshot: Any) -> None:
    with pytest.raises(SetupError) as caught:
        recorded(tmp_path, text, ("a", 0, 1))
    assert shown((caught.value.diagnostic,)) == snapshot


def test_a_recording_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    config, _ = read_judge("recorded:none.jsonl", tmp_path)
    assert config is not None
    with pytest.raises(SetupError) as caught:
        make_judge(config, {}, tmp_path)
    assert caught.value.diagnostic.message == "there is no none.jsonl"
