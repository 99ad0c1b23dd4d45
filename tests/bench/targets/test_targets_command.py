"""A program under test: JSON in, an answer out, and nothing of it left behind."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalspec.bench.targets import SetupError

Make = Callable[..., Any]
PROGRAM = """\
import json, os, subprocess, sys, time
asked = json.load(sys.stdin)
what = asked["input"]
if what == "echo":
    print(json.dumps({"text": "got it", "output": asked}))
elif what == "hang":
    subprocess.Popen(["sleep", "60"])
    time.sleep(60)
elif what == "fail":
    print("step 1", file=sys.stderr)
    print("no credit left", file=sys.stderr)
    sys.exit(4)
elif what == "signal":
    os.kill(os.getpid(), 11)
elif what == "flood":
    while True:
        os.write(1, b"x" * 65536)
elif what == "noise":
    sys.stderr.write("e" * 3000000)
    print("done")
elif what == "child":
    subprocess.Popen(["sleep", "60"])
    print("left one")
elif what == "key":
    print(os.environ["BOT_TOKEN"])
else:
    sys.stdout.write(what)
"""


@pytest.fixture
def command(tmp_path: Path) -> str:
    (tmp_path / "bot.py").write_text(PROGRAM, encoding="utf-8")
    return f"command:{sys.executable} bot.py"


def test_a_turn_goes_to_stdin_and_stdout_is_the_answer(command: str, target: Make, case: Make, ask: Make) -> None:
    (result,) = ask(target(command, model="m"), case("echo", country="AE"))
    asked = dict(result.output)
    assert (len(asked.pop("session")), result.text) == (32, "got it")
    assert asked == {"input": "echo", "question": "echo", "history": [], "country": "AE", "model": "m"}


@pytest.mark.parametrize(
    ("written", "text", "error"),
    [
        ("Plain text.\n", "Plain text.", None),
        ("", "", None),
        ('""', "", None),
        ('"quoted"\n', "quoted", None),
        ("25", "25", None),
        ('{"answer": "x"}', "x", None),
        ("{broken", "{broken", None),
        ("false", "", "the target gave false, not an answer"),
        ("null\n", "", "the target gave null, not an answer"),
        ("[1]", "", "the target gave a list, not an answer"),
    ],
)
def test_text_and_json_are_told_apart(
    command: str, target: Make, case: Make, ask: Make, written: str, text: str, error: str | None
) -> None:
    (result,) = ask(target(command), case(written))
    assert (result.text, result.error) == (text, error)


def test_the_settings_can_say_which_of_the_two_it_is(
    command: str, target: Make, case: Make, ask: Make, tmp_path: Path
) -> None:
    argv = json.dumps([sys.executable, "bot.py"])
    assert ask(target(f"kind: command\ncommand: {argv}\nreply: text\n"), case("false"))[0].text == "false"
    (result,) = ask(target(f"kind: command\ncommand: {argv}\nreply: json\n"), case("words"))
    assert result.error == "the program wrote no JSON: 'words'"


def test_failures_cost_their_turns_alone_and_leave_no_process(
    command: str, target: Make, case: Make, ask: Make, tmp_path: Path
) -> None:
    began = time.monotonic()
    inputs = ("fail", "signal", "hang", "flood", "noise", "child", "fine")
    results = ask(target(command, timeout_seconds=2), case(*inputs))
    assert [result.error for result in results] == [
        "the program ended with exit code 4: no credit left",
        "the program was ended by signal 11",
        "no answer within 2 s",
        "the answer has over 8,388,608 bytes",
        None,
        None,
        None,
    ]
    assert [result.text for result in results[4:]] == ["done", "left one", "fine"]
    assert time.monotonic() - began < 20
    left = [process for process in Path("/proc").glob("[0-9]*") if _is_in(process, tmp_path)]
    assert left == []


def _is_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").resolve() == folder and (process / "stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_a_program_that_is_not_there_is_named(target: Make) -> None:
    for given in ("command:no-such-program --x", "command:./no-such-file"):
        with pytest.raises(SetupError) as caught:
            target(given)
        assert (caught.value.diagnostic.code, "no-such" in caught.value.diagnostic.message) == ("ES731", True)


def test_a_key_of_the_environment_is_not_told(command: str, target: Make, case: Make, ask: Make, canary: str) -> None:
    made = target(command, {"BOT_TOKEN": canary})
    assert (ask(made, case("key"))[0].text, canary in json.dumps(made.shown())) == ("[key]", False)


def test_the_digest_follows_the_program_and_its_arguments(command: str, target: Make, tmp_path: Path) -> None:
    first = target(command).digest
    assert target(command + " --fast").digest != first
    (tmp_path / "bot.py").write_text("print(1)\n", encoding="utf-8")
    assert target(command).digest != first


def test_what_a_program_leaves_in_a_group_of_its_own_does_not_hold_its_answer_up(
    tmp_path: Path, target: Make, case: Make, ask: Make
) -> None:
    code = 'import subprocess\nsubprocess.Popen(["sleep", "6"], start_new_session=True)\nprint("here")\n'
    (tmp_path / "bot.py").write_text(code, encoding="utf-8")
    (result,) = ask(target(f"command:{sys.executable} bot.py"), case("q"))
    assert (result.text, result.error) == ("here", None)


def test_a_program_that_may_not_be_run_is_told_from_one_that_is_not_there(tmp_path: Path, target: Make) -> None:
    (tmp_path / "bot.sh").write_text("#!/bin/sh\necho x\n", encoding="utf-8")
    with pytest.raises(SetupError) as caught:
        target("command:./bot.sh")
    found = caught.value.diagnostic
    assert (found.message, "chmod +x" in found.hint) == ("./bot.sh may not be run", True)
