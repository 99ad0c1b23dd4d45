"""`evalspec run` against a local LLM, ended by SIGKILL at random moments and started again, until it is done.

No request that was answered well may be sent again, and the release must be that of a run that was never stopped. What
was in flight at a kill was not answered: the LLM notes a reply as given when it is on its way.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from filling import attempts_in, command, fill, prepared, server, unfilled

FILES = ("data/final/train.parquet", "data/final/train.jsonl")


def main() -> int:
    """Measure and print; 1 where a reply was paid twice or the result differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--in-flight", type=int, default=16)
    options = parser.parse_args()
    draws = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as scratch:
        whole, killed = Path(scratch) / "whole", Path(scratch) / "killed"
        with server("--latency", "0.05") as own:
            prepared(whole, own.url)
            fill(whole, options.in_flight)
        with server("--latency", "0.05") as own:
            prepared(killed, own.url)
            kills = sum(killed_once(killed, options.in_flight, draws.uniform(0.3, 1.4)) for _ in range(options.kills))
            spent = fill(killed, options.in_flight)
            counts = own.stats()
        differing = [name for name in FILES if (whole / name).read_bytes() != (killed / name).read_bytes()]
        twice = len(accepted := list(accepted_in(killed))) - len(set(accepted))
        slots, left, _ = unfilled(killed)
    print(f"kills     {kills} of {options.kills} before the end; the last start took {spent}")
    print(f"server    {counts}")
    print(f"slots     {slots - left} of {slots} filled; {twice} groups accepted twice; files that differ: {differing}")
    return int(bool(differing or twice or left) or counts["repaid"] > 0 or kills < options.kills)


def killed_once(folder: Path, in_flight: int, seconds: float) -> bool:
    """Start a run and end it by SIGKILL after `seconds`; whether it was still running."""
    process = subprocess.Popen(
        command(in_flight), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    time.sleep(seconds)
    running = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    return running


def accepted_in(folder: Path) -> Iterator[str]:
    """The groups of accepted attempts, in order."""
    return (line["group"] for line in attempts_in(folder) if line["outcome"] == "accepted")


if __name__ == "__main__":
    sys.exit(main())
