"""The samples of docs/targets.md do what the page says of them."""

import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evalspec.bench.results import ToolCall
from evalspec.bench.targets import read_target
from evalspec.bench.targets.mapping import NAMES

Make = Callable[..., Any]
PAGE = Path(__file__).resolve().parents[3] / "docs" / "targets.md"
SAMPLE = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SAMPLES = dict(SAMPLE.findall(PAGE.read_text("utf-8")))


@pytest.fixture(autouse=True)
def samples(tmp_path: Path) -> None:
    for name, text in SAMPLES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "v1.txt").write_text("Help.\n", encoding="utf-8")


@pytest.mark.parametrize("name", sorted(name for name in SAMPLES if name.endswith(".yaml")))
def test_every_file_of_the_page_is_sound(name: str, tmp_path: Path, target: Make) -> None:
    assert read_target(name, tmp_path)[1] == ()
    assert target(name, {"BOT_TOKEN": "abc"}, prompt_version=None).name != ""


def test_every_kind_has_a_sample() -> None:
    kinds = {re.search(r"^kind: (\w+)$", text, re.MULTILINE)[1] for name, text in SAMPLES.items() if ".yaml" in name}  # type: ignore[index]
    assert kinds == {"http", "python", "command", "provider"}
    assert "answers.jsonl" in SAMPLES


def test_every_name_of_a_field_is_on_the_page() -> None:
    page = PAGE.read_text("utf-8")
    names = [name for known in NAMES.values() for name in known if "." not in name]
    assert [name for name in names if f"`{name}`" not in page] == []


@contextmanager
def served(folder: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "bot.py", str(port)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def test_the_http_bot_answers_in_both_forms(tmp_path: Path, target: Make, case: Make, ask: Make) -> None:
    with served(tmp_path) as url:
        cases = case("Can I return a dress?", country="AE"), case("Drones?", country="SA")
        results = ask(target(f"{url}/chat"), *cases)
        file = tmp_path / "http.yaml"
        file.write_text(file.read_text("utf-8").replace("http://127.0.0.1:8080", url), encoding="utf-8")
        again = ask(target("http.yaml", {"BOT_TOKEN": "abc"}), *cases)
    for first, second in (results, again):
        assert (first.text, first.abstained, first.tool_calls) == ("You can return it within 7 days.", None, ())
        assert (second.abstained, second.error) == (True, None)


def test_the_functions_answer(target: Make, case: Make, ask: Make) -> None:
    asked = case("Return?", country="AE", verified=False)
    (result,) = ask(target("python:support:answer", model="m", prompt_version="v13"), asked)
    assert (result.text, result.abstained) == ("You can return it within 7 days.", False)
    (result,) = ask(target("python:support:agent"), asked)
    assert (result.confidence, result.tool_calls) == ("HIGH", (ToolCall(name="portfolio_overview"),))


def test_the_command_answers(tmp_path: Path, target: Make, case: Make, ask: Make) -> None:
    file = tmp_path / "command.yaml"
    file.write_text(file.read_text("utf-8").replace("[python,", f"['{sys.executable}',"), encoding="utf-8")
    for given in ("command.yaml", f"command:{sys.executable} shout.py"):
        (result,) = ask(target(given), case("hello"))
        assert (result.text, result.tool_calls) == ("HELLO", ())


def test_the_recording_answers(target: Make, case: Make, ask: Make) -> None:
    made = target("recorded:answers.jsonl")
    results = ask(made, case(case_id="ret-ae-01"), case("a", "b", case_id="MULTI-004"))
    assert [result.text for result in results] == [
        "You can return it within 7 days.",
        "It is worth $1,200.",
        "Apple, $800.",
    ]
    assert (results[0].latency_ms, results[2].tool_calls) == (412.0, (ToolCall(name="holding_and_market_data"),))
