"""`evalspec run` with the provider custom against a local LLM, beside a floor of plain aiohttp.

Both have the same number of requests, the same bodies and as many in flight; the floor sends them and writes each
reply to a file, and does nothing else. The LLM answers after 50 ms in a process of its own, whose CPU is not counted.
With `--base-url` another server answers; the requests that the floor sends are then recorded in a run before.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from measure import EVALSPEC, Spent, shipped_plan, spend

HERE = Path(__file__).parent


def main() -> int:
    """Measure and print; 1 where a slot is neither filled nor named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", default=None, help="of a server of your own, such as http://127.0.0.1:8899/v1")
    parser.add_argument("--latency", type=float, default=0.05, help="of the server that is started, in seconds")
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--dry-run", action="store_true", help="fill only: no assembly, no release")
    options = parser.parse_args()
    extra = ["--dry-run"] if options.dry_run else []
    with tempfile.TemporaryDirectory() as scratch:
        bodies = Path(scratch) / "requests.jsonl"
        with server(options.latency, bodies) as own:
            url = options.base_url or own
            if options.base_url:
                fill(Path(scratch) / "recorded", own, options.in_flight, ["--dry-run"])
            spent, plan = fill(Path(scratch) / "spec", url, options.in_flight, extra)
        journal = plan.parent / "data" / "generated" / "journal.jsonl"
        lines = [json.loads(line) for line in journal.read_bytes().splitlines()]
        attempts = [line for line in lines if line["kind"] == "attempt"]
        with server(options.latency, None) as own:
            url = options.base_url or own
            replies = str(Path(scratch) / "replies.jsonl")
            command = [url, str(bodies), str(len(attempts)), str(options.in_flight), replies]
            floor = spend([sys.executable, str(HERE / "floor.py"), *command])
        print(f"floor     aiohttp, {len(attempts)} requests, {options.in_flight} in flight: {floor}, exit {floor.code}")
        print(f"command   evalspec run plan.json --provider custom {' '.join(extra)}: {spent}, exit {spent.code}")
        print(f"ratios    {spent.wall / floor.wall:.2f} of the wall time, {spent.cpu / floor.cpu:.2f} of the CPU time")
        return judge(json.loads(plan.read_bytes()), attempts, Path(scratch) / "spec.json")


def fill(folder: Path, url: str, in_flight: int, extra: list[str]) -> tuple[Spent, Path]:
    """Run the shipped plan against a server; what it took, and the plan. Its report is written beside the folder."""
    plan = shipped_plan(folder)
    config = folder / "generation_config.yaml"
    text = re.sub(r"^  provider: .*$", f"  provider: custom\n  base_url: {url}", config.read_text(), flags=re.MULTILINE)
    config.write_text(text)
    subprocess.run([EVALSPEC, "compile", str(folder)], check=True, stdout=subprocess.DEVNULL)
    command = [EVALSPEC, "run", "plan.json", "--provider", "custom", "--no-scrape", "--concurrency", str(in_flight)]
    with folder.with_suffix(".json").open("wb") as report:
        return spend([*command, "--format", "json", *extra], folder, report), plan


@contextmanager
def server(latency: float, record: Path | None) -> Iterator[str]:
    """The benchmarks' own LLM in a process of its own; its base URL."""
    command = [sys.executable, str(HERE / "llm_server.py"), "--latency", str(latency)]
    command += ["--record", str(record)] if record else []
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.terminate()


def judge(plan: dict, attempts: list[dict], report: Path) -> int:
    """Print how many groups and slots were filled, and whether the report names those that were not."""
    sizes = {group["group_id"]: len(group["slots"]) for group in plan["groups"]}
    filled = {line["group"] for line in attempts if line["outcome"] == "accepted"}
    said = report.read_text()
    unfilled = sizes.keys() - filled
    unnamed = [name for name in unfilled if f'"{name}' not in said and f" {name}" not in said]
    print(f"requests  {dict(Counter(line['outcome'] for line in attempts))}")
    print(
        f"slots     {sum(sizes[name] for name in filled)} of {sum(sizes.values())} filled, "
        f"{sum(sizes[name] for name in unfilled)} open, of which {sum(sizes[name] for name in unnamed)} not named"
    )
    return int(bool(unnamed))


if __name__ == "__main__":
    sys.exit(main())
