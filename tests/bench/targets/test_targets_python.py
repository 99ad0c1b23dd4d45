"""A Python function under test: how it is called, and what a raise, a hang, a crash and a print come to."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalspec.bench.results import ToolCall
from evalspec.bench.targets import RefusedError, SetupError

Make = Callable[..., Any]
BOT = """\
import asyncio, datetime, os, subprocess, sys, threading, time
from dataclasses import dataclass, field

@dataclass
class BotResult:
    text: str
    tool_calls: list = field(default_factory=list)
    retrieved_ids: list = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    latency_ms: float = 0.0
    abstained: bool = False

def answer(question, country, verified, *, model, prompt_version):
    calls = [{"name": "lookup_order", "args": {"verified": verified}}]
    return BotResult(f"{question} {country} {model} {prompt_version}", calls, abstained=True)

def agent(query):
    return {"response": query.upper(), "tools_called": ["portfolio_overview"], "confidence": "HIGH"}

def configured(text, model="small", prompt_version="v1"):
    return f"{model} {prompt_version}"

def anything(text, **rest):
    return ",".join(sorted(rest))

def recalls(text, history):
    return str([turn["content"] for turn in history])

def triage(ticket, tier="basic"):
    return {"category": ticket, "priority": tier, "at": datetime.date(2024, 1, 2)}

async def later(text):
    await asyncio.sleep(0.01)
    return text

VALUES = {"none": None, "false": False, "zero": 0, "empty": "", "list": [], "object": object()}

def value(name):
    return VALUES[name]

def fails(text):
    raise ValueError("no such " + text)

def leaves(text):
    sys.exit(3)

def talks(text):
    print("x" * 100)
    print('{"answer": "forged"}')
    os.write(1, b"raw\\n")
    subprocess.run(["echo", "child"])
    sys.stdin.read()
    return text

def trouble(text):
    if text == "hang":
        subprocess.Popen(["sleep", "60"])
        time.sleep(60)
    if text == "crash":
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(9)
    return text

def slow(text):
    time.sleep(0.4)
    return text

def key(text):
    return os.environ["BOT_API_KEY"] + " " + text

def here(text):
    return os.getcwd()
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path) -> Path:
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
    return tmp_path


def test_a_bot_of_named_facts_is_called_with_them_and_its_dataclass_is_read(
    target: Make, case: Make, ask: Make
) -> None:
    made = target("python:bot:answer", model="m-1", prompt_version="v13")
    (result,) = ask(made, case("Return?", country="AE", verified=False, topic="returns"))
    assert (result.text, result.abstained, result.error) == ("Return? AE m-1 v13", True, None)
    assert result.tool_calls == (ToolCall(name="lookup_order", args={"verified": False}),)
    assert (result.confidence, made.model) == (None, "m-1")


def test_an_agent_of_one_query_is_called_with_it_alone(target: Make, case: Make, ask: Make) -> None:
    (result,) = ask(target("python:bot:agent"), case("show", country="AE"))
    assert (result.text, result.confidence) == ("SHOW", "HIGH")
    assert result.tool_calls == (ToolCall(name="portfolio_overview"),)
    assert result.latency_ms is not None
    assert result.latency_ms < 1000


def test_a_fact_that_is_needed_and_not_given_is_named(target: Make, case: Make, ask: Make) -> None:
    (result,) = ask(target("python:bot:answer"), case("Return?", country="AE"))
    assert result.error == "TypeError: the function needs 'verified', which the case does not give"


def test_what_the_run_does_not_name_keeps_the_functions_own_default(target: Make, case: Make, ask: Make) -> None:
    assert ask(target("python:bot:configured"), case())[0].text == "small v1"


def test_a_function_of_any_names_is_given_all(target: Make, case: Make, ask: Make) -> None:
    (result,) = ask(target("python:bot:anything"), case("q", country="AE", text="no"))
    assert result.text == "country,history,model,prompt_version,session"


def test_an_object_is_spread_over_the_parameters_that_it_names(target: Make, case: Make, ask: Make) -> None:
    (result,) = ask(target("python:bot:triage"), case({"ticket": "outage", "tier": "gold"}))
    assert result.output == {"category": "outage", "priority": "gold", "at": "2024-01-02"}


def test_awaitables_are_awaited_and_history_is_told(target: Make, case: Make, ask: Make) -> None:
    assert [result.text for result in ask(target("python:bot:later"), case("a", "b"))] == ["a", "b"]
    assert [result.text for result in ask(target("python:bot:recalls"), case("a", "b"))] == ["[]", "['a', '[]']"]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("none", "the target gave None, not an answer"),
        ("false", "the target gave False, not an answer"),
        ("zero", "the target gave 0, not an answer"),
        ("list", "the target gave a list, not an answer"),
        ("object", "the target gave a value of type object, not an answer"),
    ],
)
def test_what_is_no_answer_is_an_error_that_says_what_it_is(
    target: Make, case: Make, ask: Make, name: str, error: str
) -> None:
    first, second = ask(target("python:bot:value"), case(name, "empty"))
    assert (first.error, second.error, second.text) == (error, None, "")


def test_an_exception_is_an_error_with_the_line_that_raised_it(target: Make, ask: Make) -> None:
    (result,) = ask(target("python:bot:fails"))
    assert str(result.error).startswith("ValueError: no such hello (bot.py:")
    assert str(result.error).endswith('in fails: raise ValueError("no such " + text))')
    assert str(ask(target("python:bot:leaves"))[0].error).startswith("SystemExit: 3 (bot.py:")


def test_prints_and_children_break_no_answer(target: Make, case: Make, ask: Make) -> None:
    assert [result.text for result in ask(target("python:bot:talks"), case("a", "b"))] == ["a", "b"]


def test_a_hang_and_a_crash_cost_their_turns_alone(target: Make, case: Make, ask: Make, module: Path) -> None:
    made = target("python:bot:trouble", timeout_seconds=0.7)
    began = time.monotonic()
    results = ask(made, case("a", "hang", "b", "crash", "c"))
    assert [result.text for result in results] == ["a", "", "b", "", "c"]
    assert [result.error for result in results if result.error] == [
        "no answer within 0.7 s",
        "the process of the function ended with exit code 9: out of memory",
    ]
    assert time.monotonic() - began < 15
    assert running(module) == []


def running(folder: Path) -> list[str]:
    """Commands of the processes whose working folder it is."""
    out = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").resolve() == folder.resolve() and (process / "stat").read_text().split()[2] != "Z":
                out.append((process / "cmdline").read_text())
        except OSError:
            continue
    return out


def test_calls_run_at_once_in_as_many_processes_as_allowed(target: Make, case: Make, together: Make) -> None:
    made = target("kind: python\nfunction: bot:slow\nconcurrency: 4\n")
    cases = [case("x", case_id=f"c{number}") for number in range(8)]
    began = time.monotonic()
    results = asyncio.run(together(made, *cases))
    assert ([result.text for result in results], made.most_at_once) == (["x"] * 8, 4)
    assert time.monotonic() - began < 8 * 0.4 + 1
    assert max(result.latency_ms for result in results) < 700


def test_the_function_runs_beside_its_file_and_its_keys_are_not_told(
    target: Make, ask: Make, module: Path, canary: str
) -> None:
    assert ask(target("python:bot:here"))[0].text == str(module.resolve())
    (result,) = ask(target("python:bot:key", {"BOT_API_KEY": canary}))
    assert result.text == "[key] hello"


def test_a_module_that_is_not_there_or_cannot_be_imported_stops_the_run(target: Make, ask: Make, module: Path) -> None:
    with pytest.raises(SetupError) as caught:
        target("python:nobot:answer")
    assert (caught.value.diagnostic.code, "nobot" in caught.value.diagnostic.message) == ("ES731", True)
    with pytest.raises(RefusedError, match="bot:nothing cannot be imported: AttributeError"):
        ask(target("python:bot:nothing"))
    (module / "broken.py").write_text("import no_such_thing\n", encoding="utf-8")
    with pytest.raises(RefusedError, match=r"No module named 'no_such_thing' \(broken.py:1"):
        ask(target("python:broken:f"))
    assert running(module) == []


def test_a_package_is_found_and_the_digest_follows_its_bytes(target: Make, ask: Make, module: Path) -> None:
    (module / "app").mkdir()
    (module / "app" / "bot.py").write_text("def answer(q):\n    return 'one'\n", encoding="utf-8")
    first = target("python:app.bot:answer")
    assert (ask(first)[0].text, target("python:app/bot.py:answer").digest) == ("one", first.digest)
    (module / "app" / "bot.py").write_text("def answer(q):\n    return 'two'\n", encoding="utf-8")
    assert target("python:app.bot:answer").digest != first.digest
    listed = "kind: python\nfunction: app.bot:answer\nfiles: [app/*.txt]\n"
    (module / "app" / "rules.txt").write_text("a", encoding="utf-8")
    second = target(listed).digest
    (module / "app" / "rules.txt").write_text("b", encoding="utf-8")
    assert target(listed).digest != second


def test_a_cancelled_call_leaves_no_process(target: Make, case: Make, module: Path) -> None:
    async def scene() -> None:
        made = target("python:bot:trouble")
        task = asyncio.create_task(made.session(case(), 1).ask("hang"))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await made.close()

    asyncio.run(scene())
    assert running(module) == []


def test_shown_holds_no_environment(target: Make, canary: str) -> None:
    made = target("python:bot:key", {"BOT_API_KEY": canary})
    assert canary not in json.dumps(made.shown()) + repr(made) + repr(made.home)


HANGING = """\
import asyncio, sys
from pathlib import Path
from evalspec.bench.suite import Case, Turn
from evalspec.bench.targets import TargetOptions, make_target, read_target
from evalspec.spec.source import Place

async def main():
    config, _ = read_target("python:bot:trouble", Path(sys.argv[1]))
    target = make_target(config, TargetOptions(), {})
    case = Case("c", (Turn("hang", ()),), Place("x"), "s")
    await target.session(case, 1).ask("hang")

asyncio.run(main())
"""


def test_a_run_that_is_killed_leaves_no_function_running(module: Path) -> None:
    (module / "bot.py").write_text("import time\ndef trouble(text):\n    time.sleep(60)\n", encoding="utf-8")
    run = subprocess.Popen([sys.executable, "-c", HANGING, str(module)])
    _wait_until(lambda: len(running(module)) == 1)
    run.kill()
    run.wait()
    _wait_until(lambda: running(module) == [])
    assert running(module) == []


def _wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not true() and time.monotonic() < end:
        time.sleep(0.05)


def test_a_child_that_the_function_forks_answers_no_other_case(
    tmp_path: Path, target: Make, case: Make, ask: Make
) -> None:
    (tmp_path / "forks.py").write_text("import os\ndef f(text):\n    os.fork()\n    return text\n", encoding="utf-8")
    texts = [result.text for result in ask(target("python:forks:f"), *(case(f"q{n}") for n in range(6)))]
    assert [f"q{n}" for n in range(6)] == texts


def test_a_number_that_python_does_not_write_is_not_reported(
    tmp_path: Path, target: Make, case: Make, ask: Make
) -> None:
    code = 'def f(text):\n    return {"text": text, "input_tokens": 10**5000}\n'
    (tmp_path / "huge.py").write_text(code, encoding="utf-8")
    (result,) = ask(target("python:huge:f"), case("q"))
    assert (result.text, result.input_tokens, result.error) == ("q", None, None)
