"""`evalspec run` of the shipped plan with the embedded provider: what it takes, and what kills leave of it.

Baseline: importing what the run stands on, in the same Python. The bounds are those of the whole run: 60 s of wall
time and 1 GB. Then the run is killed at random moments and resumed; the release must be the uninterrupted run's, byte
for byte.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import EVALSPEC, Spent, python, shipped_plan, spend

BASELINE = "import pydantic, jinja2, duckdb, pyarrow.parquet, numpy"
MOST_SECONDS, MOST_MB = 60.0, 1024.0
COMMAND = (EVALSPEC, "run", "plan.json", "--provider", "embedded")


def main() -> int:
    """Measure and print; 1 where a bound is broken or a byte differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=None, help="of the moments of the kills; drawn if not given")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
    with tempfile.TemporaryDirectory() as scratch:
        whole, broken = Path(scratch) / "whole", Path(scratch) / "broken"
        for folder in (whole, broken):
            shipped_plan(folder)
        base, own = spend(python(BASELINE)), spend(COMMAND, whole)
        print(f'baseline  python -c "{BASELINE}": {base}')
        print(f"command   evalspec run plan.json --provider embedded: {own}, exit {own.code}")
        print(f"ratios    {own.wall / base.wall:.1f} of the wall time, {own.cpu / base.cpu:.1f} of the CPU time")
        print(f"bounds    {MOST_SECONDS:g} s of wall time, {MOST_MB:g} MB")
        same = killed_and_resumed(broken, options.kills, own.wall, seed, release(whole))
        return int(not (same and own.code == 0 and _within(own)))


def _within(own: Spent) -> bool:
    return own.wall <= MOST_SECONDS and own.peak_mb <= MOST_MB


def killed_and_resumed(folder: Path, kills: int, wall: float, seed: int, expected: dict[str, bytes]) -> bool:
    """Kill the run `kills` times at moments drawn over its length, let it end, and compare the release.

    A run that ends before its kill is compared too, and the next one starts anew, so that every kill meets a run.
    """
    draws = random.Random(seed)
    moments, same, done = [], True, 0
    while done < kills:
        process = subprocess.Popen(COMMAND, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = draws.uniform(0, wall)
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            moments.append(f"{after:.1f} s ({_groups(folder)} groups journaled)")
            done += 1
        else:
            same = same and process.returncode == 0 and release(folder) == expected
            (folder / "data").rename(folder.parent / f"ended-{time.monotonic_ns()}")
    last = spend(COMMAND, folder)
    same = same and last.code == 0 and release(folder) == expected
    print(f"kills     {len(moments)} (seed {seed}), after {', '.join(moments)}")
    print(f"release   {len(expected)} files, {'byte-identical' if same else 'DIFFERENT'} after the last resume")
    return same


def release(folder: Path) -> dict[str, bytes]:
    """The files of a release by relative name."""
    root = folder / "data" / "final"
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def _groups(folder: Path) -> int:
    journal = folder / "data" / "generated" / "journal.jsonl"
    return journal.read_bytes().count(b'"outcome":"accepted"') if journal.exists() else 0


if __name__ == "__main__":
    sys.exit(main())
