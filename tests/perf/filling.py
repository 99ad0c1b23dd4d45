"""What the benchmarks of the fill share: a local LLM in a process of its own, and `evalspec run` against it."""

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import EVALSPEC, Spent, shipped_plan, spend

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a local LLM."""

    url: str

    def stats(self) -> dict[str, int]:
        """Its counts."""
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/stats") as answer:
            counts: dict[str, int] = json.loads(answer.read())
            return counts


@contextmanager
def server(*arguments: str) -> Iterator[Server]:
    """The benchmarks' own LLM in a process of its own, started with `arguments`."""
    command = [sys.executable, str(HERE / "llm_server.py"), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield Server(f"http://127.0.0.1:{int(process.stdout.readline())}/v1")
        finally:
            process.terminate()


def prepared(folder: Path, url: str, change: Sequence[tuple[str, str]] = ()) -> Path:
    """The shipped spec in `folder` with the provider custom at `url`, compiled; its plan.

    `change` are regular expressions on its config and what takes their place.
    """
    plan = shipped_plan(folder)
    point(folder, url, change)
    subprocess.run([EVALSPEC, "compile", str(folder)], check=True, stdout=subprocess.DEVNULL)
    return plan


def point(folder: Path, url: str, change: Sequence[tuple[str, str]] = ()) -> None:
    """Let the config in `folder` name the provider custom at `url`."""
    config = folder / "generation_config.yaml"
    text = re.sub(r"^  (base_url: .*\n  )?provider: .*$", "  provider: custom", config.read_text(), flags=re.MULTILINE)
    text = re.sub(r"^  provider: custom$", f"  provider: custom\n  base_url: {url}", text, flags=re.MULTILINE)
    text = re.sub(r"(\n  base_url: .*)(\n  base_url: .*)+", r"\1", text)
    for pattern, new in change:
        text, count = re.subn(pattern, new, text, flags=re.MULTILINE)
        assert count, pattern
    config.write_text(text)


def command(in_flight: int, *more: str) -> list[str]:
    """`evalspec run plan.json` with so many calls in flight."""
    given = ["run", "plan.json", "--provider", "custom", "--no-scrape", "--concurrency", str(in_flight)]
    return [EVALSPEC, *given, "--format", "json", *more]


def fill(folder: Path, in_flight: int, *more: str) -> Spent:
    """Run the plan in `folder`; what it took. Its report is written beside the folder."""
    with folder.with_suffix(".json").open("wb") as report:
        return spend(command(in_flight, *more), folder, report)


def attempts_in(folder: Path) -> list[dict[str, Any]]:
    """The attempts in the journal under `folder`; a line that was torn is none."""
    lines = (folder / "data" / "generated" / "journal.jsonl").read_bytes().splitlines(keepends=True)
    whole = (json.loads(line) for line in lines if line.endswith(b"\n"))
    return [line for line in whole if line["kind"] == "attempt"]


def unfilled(folder: Path) -> tuple[int, int, int]:
    """Slots of the plan, those that no attempt fills, and those of these that the report does not name."""
    plan = json.loads((folder / "plan.json").read_bytes())
    sizes = {group["group_id"]: len(group["slots"]) for group in plan["groups"]}
    filled = {line["group"] for line in attempts_in(folder) if line["outcome"] == "accepted"}
    left = sizes.keys() - filled
    said = folder.with_suffix(".json").read_text()
    unnamed = [name for name in left if f'"{name}' not in said and f" {name}" not in said]
    return sum(sizes.values()), sum(sizes[name] for name in left), sum(sizes[name] for name in unnamed)
