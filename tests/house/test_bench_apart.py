"""Nothing of the pipeline needs bench: without the package and its commands, the rest compiles a spec as before."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("spec", "compiler", "runtime", "outputs", "cli")


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages without bench/, without cli/bench*.py, and without the lines of cli/main.py that name them."""
    folder = tmp_path_factory.mktemp("without")
    for name in FLOORS:
        ignored = shutil.ignore_patterns("bench.py", "bench_*.py", "__pycache__")
        shutil.copytree(ROOT / name, folder / "evalspec" / name, ignore=ignored)
    main = folder / "evalspec" / "cli" / "main.py"
    lines = main.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not re.search(r"\bbench\b", line)]
    assert 0 < len(lines) - len(kept) < 4
    main.write_text("".join(kept), encoding="utf-8")
    return folder


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program of the copy; an installed bench is not to be found either."""
    code = (
        "import sys; sys.modules['evalspec.bench'] = None; sys.argv[0] = 'evalspec'\n"
        "from evalspec.cli import main; assert main.__file__.startswith(sys.argv.pop(1)); main.main()"
    )
    env = {**os.environ, "PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1", "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-c", code, str(folder), *arguments],
        cwd=folder,
        env=env,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def test_help_names_every_command_but_bench(without: Path) -> None:
    done = call(without, "--help")
    assert (done.returncode, " compile " in done.stdout, "bench" in done.stdout) == (0, True, False), done.stderr


def test_a_spec_is_compiled(without: Path) -> None:
    spec = shutil.copytree(ROOT / "tests/golden/french", without / "french")
    done = call(without, "compile", str(spec))
    assert (done.returncode, (spec / "plan.json").is_file()) == (0, True), done.stdout + done.stderr


def test_a_code_of_bench_is_explained_in_a_line(without: Path) -> None:
    done = call(without, "explain", "ES701")
    assert (done.returncode, "suite-unreadable" in done.stdout) == (0, True), done.stderr


def test_nothing_below_imports_bench() -> None:
    folders = ("spec", "compiler", "runtime", "outputs")
    naming = [
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "evalspec.bench" in path.read_text(encoding="utf-8")
    ]
    assert naming == []
