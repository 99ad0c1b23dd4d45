"""A small spec in a folder of its own, and a way to run the program as a user does."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Evalspec = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A copy of the French spec, small enough to fill in a second; its path has a space and an accent."""
    return Path(shutil.copytree(ROOT / "tests/golden/french", tmp_path / "un été"))


@pytest.fixture
def evalspec(tmp_path: Path) -> Evalspec:
    """Run the program in a process of its own, in an empty folder, with no key in its environment."""
    code = "import sys; sys.argv[0] = 'evalspec'; from evalspec.cli.main import main; main()"
    env = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}

    def call(*arguments: object, **changes: str) -> subprocess.CompletedProcess[str]:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        return subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            cwd=home,
            env={**env, "NO_COLOR": "1", "COLUMNS": "160", **changes},
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )

    return call
