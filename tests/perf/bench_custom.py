"""`evalspec bench` on a contract set against a local LLM, beside a floor of plain aiohttp; then killed and resumed.

Both have the same requests and as many in flight; the floor posts them as JSON, reads each reply and writes it as a
line, and does nothing else. The LLM answers after 50 ms in a process of its own, whose CPU is not counted. Then the set
is run from nothing, ended by SIGKILL at random moments, and resumed to its end: no trial may be asked again, those
included whose answer was on its way at a kill (on Linux, where a guard stands before the worker), and the result must
be that of a run that was left alone.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from fill_custom import floor_of, shown
from filling import Server, server
from measure import EVALSPEC, Spent, spend

MOST = 1.6
"""Wall time over that of the floor."""
CATEGORIES = ["billing", "outage", "hardware", "connectivity", "complaint", "sales", "other"]
PRIORITIES = ["P1", "P2", "P3"]
OUTPUT = {
    "type": "object",
    "properties": {
        "category": {"type": "string", "enum": CATEGORIES},
        "priority": {"type": "string", "enum": PRIORITIES},
        "rationale": {"type": "string", "minLength": 20, "maxLength": 200},
    },
    "required": ["category", "priority", "rationale"],
    "additionalProperties": False,
}
CONTRACT = {
    "module": "triage",
    "description": "Sorts tickets.",
    "input": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "output": OUTPUT,
    "latency_p95_ms": 5000,
    "metrics": {
        "category_agreement": {
            "direction": "at_least",
            "checks": [{"equals": {"path": "category", "value": "$expected.category"}}],
        },
        "p1_over_prioritisation": {
            "direction": "at_most",
            "counts": "failures",
            "checks": [{"not_above": {"path": "priority", "value": "$expected.priority", "order": PRIORITIES}}],
        },
    },
    "sets": {
        "tickets": {
            "bars": {
                "category_agreement": {"bar": 0.01, "signed_by": "the benchmark"},
                "p1_over_prioritisation": {"bar": 0.99, "signed_by": "the benchmark"},
            }
        }
    },
}
SETTINGS = """
[bench]
seed = 42
temperature = 0.0
top_p = 1.0
max_tokens = 1024
target = "target.yaml"
"""
TARGET = """
kind: provider
model: {{provider: custom, model_name: mock, base_url: "{url}"}}
reply: json
output_schema: {schema}
"""


def main() -> int:
    """Measure and print; 1 where the bound is broken, a trial was paid twice, or the results differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--latency", type=float, default=0.05, help="of the server, in seconds")
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--longest", type=float, default=0.4, help="seconds from a start's first request to its kill")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    latency = ("--latency", str(options.latency))
    with tempfile.TemporaryDirectory() as scratch:
        folder, bodies = Path(scratch), Path(scratch) / "requests.jsonl"
        with server(*latency, "--record", str(bodies)) as own:
            make_set(folder, own.url, options.cases)
            bench(folder, options.in_flight, "recorded")
        spent, floors = [], []
        with server(*latency) as own:
            make_set(folder, own.url, options.cases)
            for number in range(options.rounds):
                floors.append(floor_of(own.url, bodies, options.cases, options.in_flight, ()))
                spent.append(bench(folder, options.in_flight, f"round-{number}"))
        broken = judged(options, floors, spent)
        with server(*latency) as own:
            make_set(folder, own.url, options.cases)
            return broken | killed(folder, own, options)


def make_set(folder: Path, url: str, cases: int) -> None:
    """A contract set of so many cases, its settings and its target."""
    draws = random.Random(1)
    home = folder / "eval" / "triage"
    home.mkdir(parents=True, exist_ok=True)
    (home / "contract.json").write_text(json.dumps(CONTRACT))
    words = ["line", "down", "since", "noon", "nobody", "answers", "invoice", "router", "cable", "office", "again"]
    with (home / "tickets.jsonl").open("w") as file:
        for number in range(cases):
            text = f"Ticket {number}: {' '.join(draws.choices(words, k=30))}"
            expected = {"category": draws.choice(CATEGORIES), "priority": draws.choice(PRIORITIES)}
            case = {"case_id": f"t-{number:04}", "input": {"text": text}, "expected": expected, "tags": ["english"]}
            scoring = {"metric": "category_agreement", "threshold": 0.01}
            file.write(json.dumps({**case, "scoring": scoring}) + "\n")
    (folder / "evalspec.toml").write_text(SETTINGS)
    (folder / "target.yaml").write_text(TARGET.format(url=url, schema=json.dumps(OUTPUT)))


def command(folder: Path, in_flight: int, work: str) -> list[str]:
    """The command, with a journal and a report of its own."""
    out = ["--work", work, "--out", f"{work}.json", "--concurrency", str(in_flight)]
    return [EVALSPEC, "bench", "--module", "triage", "--eval-set", "tickets", *out]


def bench(folder: Path, in_flight: int, work: str) -> Spent:
    """Run it to its end."""
    with (folder / f"{work}.out").open("wb") as output:
        return spend(command(folder, in_flight, work), folder, output)


def judged(options: argparse.Namespace, floors: list[Spent], spent: list[Spent]) -> int:
    """Print the figures; 1 where a run failed or the ratio is over its bound."""
    for floor, own in zip(floors, spent, strict=True):
        print(f"floor     {options.cases} requests, {options.in_flight} in flight: {floor}")
        print(f"command   evalspec bench: {own}, exit {own.code}")
    walls = [own.wall / floor.wall for own, floor in zip(spent, floors, strict=True)]
    print(f"wall      {shown(walls)} of the floor's, at most {MOST:g}")
    return int(median(walls) > MOST or any(run.code != 0 for run in spent))


def killed(folder: Path, own: Server, options: argparse.Namespace) -> int:
    """Kill runs at random moments, resume to the end, and compare with a run that was left alone."""
    draws = random.Random(options.seed)
    in_flight = max(1, options.in_flight // 4)  # so that there is something left to kill
    moments = [draws.uniform(0, options.longest) for _ in range(options.kills)]
    kills = sum(killed_once(folder, own, in_flight, moment) for moment in moments)
    bench(folder, in_flight, "killed")
    counts = own.stats()
    idle = bench(folder, in_flight, "killed")
    asked = own.stats()["requests"] - counts["requests"]
    keys = trials_in(folder)
    twice = len(keys) - len(set(keys))
    same = results(folder / "killed.json") == results(folder / "recorded.json")
    print(f"kills     {kills} of {options.kills} before the end; server {counts}")
    print(f"repaid    {counts['repaid']} of {kills * in_flight} requests in flight at a kill, at most 0")
    print(f"journal   {len(keys)} trials, {twice} of them twice; the finished run, started again, asked {asked}")
    print(f"result    {'the same as' if same else 'NOT'} that of a run that was left alone")
    broken = twice or asked or counts["repaid"] or not same or idle.code or len(keys) != options.cases
    return int(bool(broken))


def killed_once(folder: Path, own: Server, in_flight: int, seconds: float) -> bool:
    """Start a run and end it by SIGKILL so many seconds after its first request; whether it was still running."""
    before = own.stats()["requests"]
    again = command(folder, in_flight, "killed")
    process = subprocess.Popen(again, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and own.stats()["requests"] == before:
        time.sleep(0.01)
    time.sleep(seconds)
    running = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    return running


def trials_in(folder: Path) -> list[str]:
    """The keys of the whole lines of the journal."""
    path = folder / "killed" / "trials.jsonl"
    rows = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(row)["key"] for row in rows]


def results(path: Path) -> list[tuple[object, ...]]:
    """What a report says of each case, apart from how long it took."""
    rows = json.loads(path.read_bytes())["rows"]
    return [(row["id"], row["outcome"], row["checks"], [one["output"] for one in row["results"]]) for row in rows]


if __name__ == "__main__":
    sys.exit(main())
