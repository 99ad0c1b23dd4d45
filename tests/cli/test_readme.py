"""The README's first command does what the README says, and its second is the one that runs these tests."""

import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Evalspec = Callable[..., CompletedProcess[str]]
ROOT = Path(__file__).resolve().parents[2]


def _commands() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    return [re.split(r"\s{2,}#", line)[0].strip() for block in blocks for line in block.splitlines() if line.strip()]


def test_the_two_commands_stand_in_the_readme() -> None:
    assert _commands()[:2] == [
        "pip install . && evalspec quickstart my-eval",
        'pip install ".[test]" && pytest',
    ]


def test_the_first_command_ends_with_a_green_check(evalspec: Evalspec, tmp_path: Path) -> None:
    arguments = _commands()[0].partition("&& evalspec ")[2].split()
    done = evalspec(*arguments)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    lines = (tmp_path / "home/my-eval/data/final/train.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2910
    assert "0 failed" in done.stdout
    for command in ("init", "compile", "run", "check"):
        assert f"$ evalspec {command}" in done.stdout
