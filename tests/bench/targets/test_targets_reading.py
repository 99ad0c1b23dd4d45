"""What `--target` may name, and what is found wrong with a target's file, at its place."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalspec.bench.targets import TargetOptions, read_target
from evalspec.bench.targets.config import (
    CommandSettings,
    HttpSettings,
    ProviderSettings,
    PythonSettings,
    RecordedSettings,
)


def read(folder: Path, text: str) -> list[tuple[str, int, str, str]]:
    """Code, line, message and hint of what is wrong with a file."""
    (folder / "t.yaml").write_text(text, encoding="utf-8")
    config, diagnostics = read_target("t.yaml", folder)
    assert (config is None) == any(found.severity == "error" for found in diagnostics)
    return [(found.code, found.place.line, found.message, found.hint) for found in diagnostics]


@pytest.mark.parametrize(
    ("short", "kind", "values"),
    [
        ("http://127.0.0.1:8080/chat", HttpSettings, {"url": "http://127.0.0.1:8080/chat"}),
        ("https://bot.example/v1", HttpSettings, {"url": "https://bot.example/v1"}),
        ("python:app.bot:answer", PythonSettings, {"function": "app.bot:answer"}),
        ("python:app/bot.py:answer", PythonSettings, {"function": "app.bot:answer"}),
        ("command:./bot --fast 'a b'", CommandSettings, {"command": "./bot --fast 'a b'"}),
        ("recorded:old/answers.jsonl", RecordedSettings, {"file": "old/answers.jsonl"}),
    ],
)
def test_short_forms_are_read(tmp_path: Path, short: str, kind: type, values: dict[str, Any]) -> None:
    config, diagnostics = read_target(short, tmp_path)
    assert (diagnostics, config is not None) == ((), True)
    assert isinstance(config.settings, kind)  # type: ignore[union-attr]
    assert {name: getattr(config.settings, name) for name in values} == values  # type: ignore[union-attr]


def test_a_model_is_named_by_provider_and_where_it_needs_one_by_address(tmp_path: Path) -> None:
    for short, expected in (
        ("openai:gpt-4o", ("openai", "gpt-4o", None)),
        ("custom:a/b:7b@http://127.0.0.1:8899/v1", ("custom", "a/b:7b", "http://127.0.0.1:8899/v1")),
    ):
        config, _ = read_target(short, tmp_path)
        assert config is not None
        assert isinstance(config.settings, ProviderSettings)
        model = config.settings.model
        assert (model.provider, model.model_name, model.base_url) == expected


@pytest.mark.parametrize(
    ("given", "said", "hint"),
    [
        (
            "app.bot:answer",
            "'app.bot:answer' is no file, and no target",
            "for a Python function: python:app.bot:answer",
        ),
        ("nothing", "'nothing' is no file, and no target", "a target is a YAML file, http://HOST/PATH"),
        ("python:bot", "write python:MODULE:FUNCTION", "a target is"),
        ("recorded:", "'recorded:' is no file", "a target is"),
    ],
)
def test_what_is_no_target_is_answered_with_what_one_is(tmp_path: Path, given: str, said: str, hint: str) -> None:
    config, (found,) = read_target(given, tmp_path)
    assert (config, found.code) == (None, "ES730")
    assert said in found.message
    assert hint in found.hint


@given(st.text(max_size=60))
def test_no_text_makes_it_raise(text: str) -> None:
    config, diagnostics = read_target(text, Path("/nonexistent"))
    assert config is not None or len(diagnostics) >= 1


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    _, (found,) = read_target("none.yaml", tmp_path)
    assert (found.code, found.message) == ("ES001", "none.yaml cannot be read: No such file or directory")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("url: http://x/\n", ("ES102", 1, "the document lacks the key kind", "")),
        (
            "kind: htpp\n",
            ("ES105", 1, "kind is htpp; it may be provider, http, python, command, recorded", "did you mean http?"),
        ),
        (
            "kind: [http]\n",
            ("ES105", 1, "kind is ['http']; it may be provider, http, python, command, recorded", "did you mean http?"),
        ),
        ("- 1\n", ("ES730", 1, "t.yaml holds no settings of a target", "begin with kind: http")),
        (
            "kind: http\nurl: http://x/\nheadrs: {}\n",
            ("ES101", 3, "the document has no key headrs", "did you mean headers?"),
        ),
        (
            "kind: http\nurl: http://x/\nmap: {txt: a}\n",
            ("ES101", 3, "map has no key txt", "did you mean text?"),
        ),
        (
            "kind: http\nurl: http://x/\nmap:\n  text: a..b\n",
            ("ES105", 4, "map.text is 'a..b'; a path is written a.b[0].c or a[*].b", ""),
        ),
        (
            "kind: http\nurl: http://x/\nbody:\n  q: $inptu\n",
            ("ES105", 4, "body.q names $inptu, which no turn has", "did you mean $input?"),
        ),
        (
            "kind: http\nurl: http://x/\nbody:\n  - 1\n",
            ("ES103", 3, "body wants a mapping, found a list", "write `name: value` lines without dashes"),
        ),
        (
            "kind: python\nfunction: bot\n",
            ("ES105", 2, "function is 'bot'; it is written module:function", ""),
        ),
        (
            "kind: provider\nmodel: {provider: replay, model_name: m}\n",
            ("ES105", 2, "model.provider is replay, which fills datasets and answers no chat", ""),
        ),
    ],
)
def test_each_fault_of_a_file_is_found_at_its_place(
    tmp_path: Path, text: str, found: tuple[str, int, str, str]
) -> None:
    assert [found] == read(tmp_path, text)


def test_a_key_in_a_header_is_refused_and_not_shown(tmp_path: Path, canary: str) -> None:
    text = f"kind: http\nurl: http://x/\nheaders:\n  X-Api-Key: {canary[3:]}\n"
    (tmp_path / "t.yaml").write_text(text, encoding="utf-8")
    config, diagnostics = read_target("t.yaml", tmp_path)
    assert (config, [found.code for found in diagnostics]) == (None, ["ES732"])
    assert diagnostics[0].place.line == 4
    assert canary[3:] not in repr(diagnostics)


def test_every_option_of_a_run_may_be_left_out() -> None:
    options = TargetOptions()
    assert (options.prompt_version, options.model, options.timeout_seconds) == (None, None, None)
