"""How the program begins and ends: wrong arguments, and an end that takes nothing apart."""

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

Evalspec = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["run", "--nope", "--format", "json"], "run"),
        (["check", "--format=json", "--nope"], "check"),
        (["bench", "lint", "--format", "json"], "bench"),
        (["nope", "--format", "json"], ""),
    ],
)
def test_wrong_arguments_are_a_document_where_json_is_asked_for(
    evalspec: Evalspec, arguments: list[str], command: str
) -> None:
    done = evalspec(*arguments)
    body = json.loads(done.stdout)
    assert (done.returncode, body["exit_code"], body["command"]) == (2, 2, command)
    assert [finding["code"] for finding in body["diagnostics"]] == ["ES515"]
    assert body["diagnostics"][0]["message"] in done.stderr


def test_wrong_arguments_are_said_on_standard_error_otherwise(evalspec: Evalspec) -> None:
    done = evalspec("run", "--nope", "--format", "text")
    assert (done.returncode, done.stdout, "No such option" in done.stderr) == (2, "", True)


START = "import sys; sys.argv[:] = ['evalspec', *sys.argv[1:]]; from evalspec.cli.start import main; "


def ended(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program, begun as the console script begins it, with some code beside it."""
    return subprocess.run(
        [sys.executable, "-c", START + code, *arguments], capture_output=True, encoding="utf-8", timeout=60
    )


def test_threads_and_what_is_registered_for_the_end_come_to_theirs() -> None:
    code = "import atexit, threading, time, evalspec.cli.main as commands; "
    code += "begin = commands._run; "
    code += "late = lambda: (time.sleep(0.2), print('a thread')); "
    code += (
        "both = lambda app: (atexit.register(print, 'at the end'), threading.Thread(target=late).start(), begin(app)); "
    )
    done = ended(code + "commands._run = both; main()", "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == ["a thread", "at the end"]


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["explain", "ES000"], 2), (["--nope"], 2)])
def test_the_code_of_the_end_is_the_commands(arguments: list[str], code: int) -> None:
    assert ended("main()", *arguments).returncode == code


def test_under_a_tracer_the_end_is_pythons_own() -> None:
    code = "import atexit; atexit.register(lambda: print('seen')); sys.settrace(lambda *_: None); main()"
    assert ended(code, "--version").stdout.endswith("seen\n")
