"""The pages of docs/ that are made from the program: its help, its codes. Run it to write them.

usage: python tests/house/generated_docs.py
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = (
    "quickstart",
    "init",
    "compile",
    "diff",
    "explain",
    "scrape",
    "doctor",
    "run",
    "assemble",
    "check",
    "review",
    "card",
    "bench",
    "bench lint",
    "bench compare",
    "bench calibrate",
    "bench example",
)


def help_of(command: str = "") -> str:
    """What `evalspec COMMAND --help` says, 100 columns wide."""
    code = "import sys; sys.argv[0] = 'evalspec'; from evalspec.cli.main import main; main()"
    env = {**os.environ, "COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1", "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, *command.split(), "--help"],
        env=env,
        cwd=ROOT.parent,
        capture_output=True,
        check=True,
    )
    return "\n".join(line.rstrip() for line in done.stdout.decode("utf-8").strip().splitlines())


def command_page() -> str:
    """docs/commands.md."""
    parts = ["# Commands", "", "Made from the program's own help.", "", "```text", help_of(), "```", ""]
    for command in COMMANDS:
        parts += [f"## evalspec {command}", "", "```text", help_of(command), "```", ""]
    return "\n".join(parts)


def code_page() -> str:
    """docs/codes.md."""
    from evalspec.cli.explain import page_of
    from evalspec.spec.codes import CODES

    parts = ["# Findings", "", "Made from the program; `evalspec explain CODE` shows the same pages.", ""]
    for info in CODES.values():
        parts += [
            f"## {info.code} {info.name}",
            "",
            f"{info.summary} ({info.severity}).",
            "",
            page_of(info.code).strip(),
            "",
        ]
    return "\n".join(parts)


PAGES = {"docs/commands.md": command_page, "docs/codes.md": code_page}

if __name__ == "__main__":
    for name, make in PAGES.items():
        (ROOT / name).write_text(make(), encoding="utf-8")
