"""`evalspec run` with the provider custom against a local LLM, beside floors of plain aiohttp.

All have the same number of requests, the same bodies and as many in flight. The floor posts them as JSON, reads each
reply and writes it as a line, and does nothing else; the raw floor sends recorded bytes and reads nothing. The LLM
answers after 50 ms in a process of its own, whose CPU is not counted. With `--base-url` another server answers; the
requests that the floors send are then recorded in a run before.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median

from filling import HERE, attempts_in, fill, point, prepared, server, unfilled
from measure import EVALSPEC, Spent, spend

MOST_WALL, MOST_CPU, MOST_MB = 1.6, 3.0, 300.0


def main() -> int:
    """Measure and print; 1 where a bound is broken, or a slot neither filled nor named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", default=None, help="of a server of your own, such as http://127.0.0.1:8899/v1")
    parser.add_argument("--latency", type=float, default=0.05, help="of the server that is started, in seconds")
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        bodies, spec = Path(scratch) / "requests.jsonl", Path(scratch) / "spec"
        with server("--latency", str(options.latency), "--record", str(bodies)) as own:
            prepared(spec, own.url)
            fill(spec, options.in_flight)
        requests = len(attempts_in(spec))
        walls, cpus, raws, peaks = [], [], [], []
        for _ in range(options.rounds):
            with server("--latency", str(options.latency)) as own:
                url = options.base_url or own.url
                shutil.rmtree(spec / "data")
                point(spec, url)
                subprocess.run([EVALSPEC, "compile", str(spec)], check=True, stdout=subprocess.DEVNULL)
                spent = fill(spec, options.in_flight)
                floor, raw = (floor_of(url, bodies, requests, options.in_flight, flag) for flag in ((), ("--raw",)))
            print(f"floor     {requests} requests, {options.in_flight} in flight: {floor}")
            print(f"raw floor {requests} requests, {options.in_flight} in flight: {raw}")
            print(f"command   evalspec run plan.json --provider custom: {spent}, exit {spent.code}")
            walls.append(spent.wall / floor.wall)
            cpus.append(spent.cpu / floor.cpu)
            raws.append(spent.cpu / raw.cpu)
            peaks.append(spent.peak_mb)
        slots, left, unnamed = unfilled(spec)
        print(f"requests  {dict(Counter(line['outcome'] for line in attempts_in(spec)))}")
        print(f"slots     {slots - left} of {slots} filled, {left} open, of which {unnamed} not named")
    print(f"wall      {shown(walls)} of the floor's, at most {MOST_WALL}")
    print(f"CPU       {shown(cpus)} of the floor's, at most {MOST_CPU}; {shown(raws)} of the raw floor's")
    print(f"memory    {max(peaks):.0f} MB, under {MOST_MB:.0f}")
    broken = median(walls) > MOST_WALL or median(cpus) > MOST_CPU or max(peaks) >= MOST_MB
    return int(broken or bool(unnamed) or bool(left))


def floor_of(url: str, bodies: Path, count: int, in_flight: int, flags: tuple[str, ...]) -> Spent:
    """What plain aiohttp takes, less the reading of the recorded requests."""
    with tempfile.TemporaryDirectory() as scratch:
        said = Path(scratch) / "said"
        given = [url, str(bodies), str(count), str(in_flight), str(Path(scratch) / "replies.jsonl"), *flags]
        with said.open("wb") as output:
            spent = spend([sys.executable, str(HERE / "floor.py"), *given], output=output)
        reading = float(said.read_text())
        return Spent(spent.code, spent.wall - reading, spent.cpu - reading, spent.peak_mb)


def shown(ratios: list[float]) -> str:
    """The median of some ratios and the range of them."""
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f} in {len(ratios)} rounds)"


if __name__ == "__main__":
    sys.exit(main())
