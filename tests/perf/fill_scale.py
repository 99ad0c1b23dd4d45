"""`evalspec run` against a local LLM that answers at once, 256 in flight: the shipped plan, and one of 100,000 slots.

The large plan is the shipped spec with its counts scaled. Its pace is measured by thirds of its replies: the last third
may not be slower than the first. Groups are asked in turn from each subdimension, so that large groups come last in any
plan: the thirds of the shipped plan say how much of a difference is theirs. The wall time of a third is as the machine
lets it be; the CPU that a reply takes is not so moved by other work. CPU and memory of the command and its worker are
read from /proc while they run: the memory of the fill is the most until its last reply. That of the whole command, with
what assembles the release, is what is judged.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from filling import Server, command, prepared, server, unfilled
from measure import EVALSPEC, Spent, spend

LEAST_PACE, MOST_MB = 0.8, 1000.0
SHIPPED = 2910


def main() -> int:
    """Measure and print; 1 where a slot stays open, the pace falls or the memory is passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slots", type=int, default=100_000)
    parser.add_argument("--in-flight", type=int, default=256)
    parser.add_argument("--base-url", default=None, help="of a server of your own; GET /stats of it says `ok`")
    parser.add_argument("--dry-run", action="store_true", help="write no release")
    options = parser.parse_args()
    more = ("--dry-run",) if options.dry_run else ()
    broken = False
    falls: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as scratch:
        for slots in (SHIPPED, options.slots):
            with server("--latency", "0") as own:
                given = Server(options.base_url) if options.base_url else own
                spec = Path(scratch) / str(slots)
                scaled(spec, slots, given.url)
                spent, pace = watched(spec, given, options.in_flight, more)
            total, left, _ = unfilled(spec)
            print(f"run       {total - left:,} of {total:,} slots filled, exit {spent.code}")
            print(f"          {spent}, under {MOST_MB:.0f}")
            print(f"fill      {pace.rows[-1].seconds:.1f} s, {pace.rows[-1].peak_mb:.0f} MB")
            print(f"pace      {pace.words()}")
            broken |= bool(left) or spent.peak_mb >= MOST_MB or spent.code != 0
            first, last = pace.thirds()
            falls.append((last[0] / first[0], first[1] / last[1]))
    by_wall, by_cpu = (large / small for small, large in zip(*falls, strict=True))
    print(f"fall      last third over first, large plan over small: {by_wall:.2f} by wall time, {by_cpu:.2f} by CPU;")
    print(f"          at least {LEAST_PACE} by one of the two")
    return int(broken or max(by_wall, by_cpu) < LEAST_PACE)


def scaled(folder: Path, slots: int, url: str) -> None:
    """The shipped spec with all its counts times slots / 2,910, compiled; how long that took is printed."""

    def times(found: re.Match[str]) -> str:
        return found[1] + str(round(int(found[2]) * slots / SHIPPED))

    prepared(folder, url)
    config = folder / "generation_config.yaml"
    text = config.read_text()
    text = re.sub(r"^(  (?:target_total|hallucination|consistency|robustness|safety): )(\d+)", times, text, flags=re.M)
    text = re.sub(r"(target_count: |min: |max: )(\d+)", times, text)
    config.write_text(text)
    spent = spend([EVALSPEC, "compile", str(folder)])
    print(f"compile   {slots:,} slots: {spent}; the plan has {(folder / 'plan.json').stat().st_size / 1e6:.0f} MB")


@dataclass(frozen=True, slots=True)
class Moment:
    """Replies so far, seconds since the run began, its CPU seconds, and the most memory until then."""

    replies: int
    seconds: float
    cpu: float
    peak_mb: float


@dataclass(slots=True)
class Pace:
    """How a run went, some times a second."""

    rows: list[Moment] = field(default_factory=list)

    def thirds(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Replies a second, and CPU seconds a reply, in the first and the last third; less a twentieth to warm up."""
        end = self.rows[-1].replies
        marks = [next(row for row in self.rows if row.replies >= end * share) for share in (0.05, 1 / 3, 2 / 3, 1)]
        first, last = (_pace(marks[0], marks[1]), _pace(marks[2], marks[3]))
        return first, last

    def words(self) -> str:
        """Replies a second, and CPU a reply, of the first and the last third."""
        first, last = self.thirds()
        return f"{first[0]:.0f} replies/s then {last[0]:.0f}, {first[1] * 1e3:.2f} ms CPU each then {last[1] * 1e3:.2f}"


def _pace(one: Moment, other: Moment) -> tuple[float, float]:
    replies = other.replies - one.replies
    return replies / (other.seconds - one.seconds), (other.cpu - one.cpu) / replies


def watched(folder: Path, own: Server, in_flight: int, more: tuple[str, ...]) -> tuple[Spent, Pace]:
    """Run the plan in `folder`; what it took, and its pace."""
    pace = Pace()
    began = time.perf_counter()
    before = own.stats()["ok"]
    with folder.with_suffix(".json").open("wb") as report:
        process = subprocess.Popen(command(in_flight, *more), cwd=folder, stdout=report, stderr=subprocess.DEVNULL)

    def watch() -> None:
        while process.returncode is None:
            replies, seconds = own.stats()["ok"] - before, time.perf_counter() - began
            if (not pace.rows or replies > pace.rows[-1].replies) and (used := used_by(process.pid)) is not None:
                pace.rows.append(Moment(replies, seconds, *used))
            time.sleep(0.05)

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    watcher.join()
    wall = time.perf_counter() - began
    return Spent(process.returncode, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024), pace


def used_by(pid: int) -> tuple[float, float] | None:
    """CPU seconds so far of a process and the worker that it guards, and the most memory of one of them in MB; None
    once they are gone.
    """
    try:
        both = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
        fields = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in both]
        statuses = [Path(f"/proc/{one}/status").read_text() for one in both]
        cpu = sum(int(some[11]) + int(some[12]) for some in fields) / os.sysconf("SC_CLK_TCK")
        return cpu, max(int(status.partition("VmHWM:")[2].split()[0]) for status in statuses) / 1024
    except (OSError, IndexError):
        return None


if __name__ == "__main__":
    sys.exit(main())
