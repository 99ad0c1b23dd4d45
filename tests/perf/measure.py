"""What the benchmarks share: what a command takes of time and memory, and a compiled copy of the shipped spec."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import IO

EVALSPEC = str(Path(sys.executable).with_name("evalspec"))
"""The command of the environment that runs the benchmark."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a command took; CPU is user and system time in seconds, of it and of what it started."""

    code: int
    wall: float
    cpu: float
    peak_mb: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} s wall, {self.cpu:.2f} s CPU, {self.peak_mb:.0f} MB at its peak"


def spend(command: Sequence[str], folder: Path | None = None, output: IO[bytes] | None = None) -> Spent:
    """Run a command to its end; what it prints goes to `output`, or nowhere."""
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=output or subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    to_mb = 1 / 1024 if sys.platform != "darwin" else 1 / 1024**2
    return Spent(process.returncode, time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss * to_mb)


def python(code: str) -> list[str]:
    """The command that runs a line of Python."""
    return [sys.executable, "-c", code]


def compare(name: str, command: Sequence[str], baseline: str, rounds: int, most: float) -> int:
    """Print the CPU of a command over that of a baseline, in turn; the exit code says whether it keeps under `most`.

    The two run one after the other, `rounds` times, and the ratio is the median of those of single rounds: load on
    the machine that comes and goes then meets both.
    """
    spend(python(baseline)), spend(command)  # the first of each reads files that the others find in memory
    pairs = [(spend(python(baseline)).cpu, spend(command).cpu) for _ in range(rounds)]
    ratios = sorted(own / base for base, own in pairs)
    base, own = (median(side) for side in zip(*pairs, strict=True))
    print(f'baseline  python -c "{baseline}": {base:.3f} s CPU')
    print(f"command   {name}: {own:.3f} s CPU")
    print(f"ratio     {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f} in {rounds} rounds), at most {most:g}")
    return int(median(ratios) > most)


def shipped_plan(folder: Path) -> Path:
    """The shipped spec in a new folder, compiled; the answer is its plan."""
    subprocess.run([EVALSPEC, "init", str(folder)], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([EVALSPEC, "compile", str(folder)], check=True, stdout=subprocess.DEVNULL)
    return folder / "plan.json"
