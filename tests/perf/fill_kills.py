"""`evalspec run` against a local LLM, ended by SIGKILL at random moments of its fill and started again to its end.

No reply may be asked for again, those included that were on their way at a kill, and the release must be that of a run
that was never stopped. The LLM counts what it repaid. On Linux, where a guard stands before the worker.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from filling import Server, attempts_in, command, fill, prepared, server, unfilled

LAST = 64
"""Requests in flight in starts that are not killed."""
FILES = ("data/final/train.parquet", "data/final/train.jsonl")
POLL = 0.02


def main() -> int:
    """Measure and print; 1 where a reply was paid twice or the result differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--latency", default="0.25")
    parser.add_argument("--longest", type=float, default=1.5, help="seconds from a start's first request to its kill")
    options = parser.parse_args()
    draws = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as scratch:
        whole, killed = Path(scratch) / "whole", Path(scratch) / "killed"
        with server("--latency", options.latency) as own:
            prepared(whole, own.url)
            fill(whole, LAST)
        with server("--latency", options.latency) as own:
            prepared(killed, own.url)
            moments = [draws.uniform(0, options.longest) for _ in range(options.kills)]
            kills = sum(killed_once(killed, own, options.in_flight, moment) for moment in moments)
            spent = fill(killed, LAST)
            counts = own.stats()
        differing = [name for name in FILES if (whole / name).read_bytes() != (killed / name).read_bytes()]
        twice = len(asked := replies_in(killed)) - len(set(asked))
        slots, left, _ = unfilled(killed)
    print(f"kills     {kills} of {options.kills} before the end; the last start took {spent}")
    print(f"server    {counts}")
    print(f"repaid    {counts['repaid']} of {kills * options.in_flight} requests in flight at a kill, at most 0")
    print(f"journal   {twice} replies were asked for twice")
    print(f"slots     {slots - left} of {slots} filled; files that differ: {differing}")
    return int(bool(differing or twice or left or counts["repaid"]) or kills < options.kills)


def killed_once(folder: Path, own: Server, in_flight: int, seconds: float) -> bool:
    """Start a run and end it by SIGKILL so many seconds after its first request; whether it was still running."""
    before = own.stats()["requests"]
    process = subprocess.Popen(
        command(in_flight), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while process.poll() is None and own.stats()["requests"] == before:
        time.sleep(POLL)
    time.sleep(seconds)
    running = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(POLL)
    return running


def replies_in(folder: Path) -> list[tuple[str, int]]:
    """Group and attempt of each reply in the journal; a line that was torn holds none."""
    return [(line["group"], line["attempt"]) for line in attempts_in(folder) if line["reply"] is not None]


if __name__ == "__main__":
    sys.exit(main())
