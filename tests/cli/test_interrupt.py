"""Ctrl-C outside of a fill: what is being imported or made is finished first, and the end is the code for it."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on POSIX")

SLOW = """
import time
print("begun", flush=True)
end = time.monotonic() + {seconds}
while time.monotonic() < end:
    time.sleep(0.01)
print("whole", flush=True)
"""
MODEL = """
import pydantic, time
class Slow:
    @classmethod
    def __get_pydantic_core_schema__(cls, source, handler):
        print("begun", flush=True)
        time.sleep(0.5)
        print("whole", flush=True)
        return handler(int)
def make():
    class Model(pydantic.BaseModel):
        field: Slow
"""


def interrupted(folder: Path, module: str, body: str, again: bool = False) -> tuple[int, str, str]:
    """Exit code and output of a program that runs `body` where a command would, with Ctrl-C once `module` has begun."""
    (folder / "slow_module.py").write_text(module, encoding="utf-8")
    code = (
        "import sys, time; sys.path.insert(0, '.'); import evalspec.cli.main as main\n"
        f"def body(app):\n    {body}\n    time.sleep(60)\n"
        "main._run, main.make_app = body, lambda named: None\nmain.main()"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        while again and process.poll() is None:
            time.sleep(0.05)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return process.returncode, first + out, err


@pytest.mark.parametrize(
    ("module", "body"),
    [
        (SLOW.format(seconds=0.5), "import slow_module"),
        (MODEL, "import slow_module; slow_module.make()"),
    ],
    ids=["an import", "a model"],
)
def test_what_is_being_made_is_finished_first(tmp_path: Path, module: str, body: str) -> None:
    assert interrupted(tmp_path, module, body) == (130, "begun\nwhole\n", "")


def test_the_second_one_during_a_long_import_ends_at_once(tmp_path: Path) -> None:
    assert interrupted(tmp_path, SLOW.format(seconds=60), "import slow_module", again=True) == (130, "begun\n", "")


def test_other_code_is_interrupted_at_once(tmp_path: Path) -> None:
    module = f"def work():\n{SLOW.format(seconds=60)}".replace("\n", "\n    ")
    assert interrupted(tmp_path, module, "import slow_module; slow_module.work()") == (130, "begun\n", "")


@pytest.mark.parametrize("kind", ["ValueError", "OSError"])
def test_what_it_became_on_its_way_is_no_fault_of_ours(tmp_path: Path, kind: str) -> None:
    module = (
        f"def work():\n    try:\n        wait()\n    except KeyboardInterrupt:\n        raise {kind}('x') from None\n"
    )
    module += f"def wait():\n{SLOW.format(seconds=60)}".replace("\n", "\n    ")
    assert interrupted(tmp_path, module, "import slow_module; slow_module.work()") == (130, "begun\n", "")
