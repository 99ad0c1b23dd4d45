"""With the embedded provider a run that is killed and resumed makes what an uninterrupted one makes."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalspec.runtime.journaling import journal_path, mark_fallen
from evalspec.runtime.resume import forms_of
from evalspec.spec import journal, planfile
from evalspec.spec.journal import AttemptLine, standing
from evalspec.spec.plan import Plan

KILLED = """
import os, signal, sys
from pathlib import Path
from evalspec.runtime.events import FillOptions, Accepted, Rejected
from evalspec.runtime.fill import fill
from evalspec.spec import planfile
folder, after = Path(sys.argv[1]), int(sys.argv[2])
count = 0
def heard(event):
    global count
    count += isinstance(event, (Accepted, Rejected))
    if count == after:
        os.kill(os.getpid(), signal.SIGKILL)
fill(planfile.read(folder / "plan.json"), folder, FillOptions(), heard)
"""


def slots(plan: Plan, folder: Path) -> list[AttemptLine]:
    fingerprints = {group.group_id: group.fingerprint for group in plan.groups}
    return list(standing(journal.read(journal_path(folder)), fingerprints, "embedded", forms_of(plan)))


@pytest.fixture
def small(plan_of: Callable[..., Plan]) -> Plan:
    return plan_of({"CLOSED": 12, "OPEN": 8, "TRIPLE": 6}, provider="embedded")


def test_the_embedded_provider_fills_every_group(small: Plan, folder: Path, run: Any) -> None:
    result = run(small, folder)
    assert (result.filled, result.open, result.usage.output_tokens) == (26, (), 0)
    assert sum(len(line.slots) for line in slots(small, folder)) == 38


def test_a_cap_on_calls_bounds_the_embedded_provider_too(small: Plan, folder: Path, run: Any) -> None:
    capped = run(small, folder, max_calls=5)
    assert (capped.calls, capped.stopped.code) == (5, "ES516")
    assert run(small, folder, max_cost=0.0).filled == 26


@pytest.mark.parametrize("after", [1, 9, 25])
def test_a_kill_and_a_resume_give_the_same_slots(
    small: Plan, folder: Path, tmp_path: Path, run: Any, after: int
) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    run(small, folder)
    mark_fallen(folder, "duplicate", ["OPEN-0003", "TRIPLE-0002"])
    run(small, folder)
    planfile.write(small, other / "plan.json")
    done = subprocess.run([sys.executable, "-c", KILLED, str(other), str(after)], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    path = journal_path(other)
    path.write_bytes(path.read_bytes() + b'{"kind":"attempt","gro')
    run(small, other)
    mark_fallen(other, "duplicate", ["OPEN-0003", "TRIPLE-0002"])
    run(small, other)
    assert slots(small, folder) == slots(small, other)


def test_embedded_slots_never_count_for_another_provider(
    llm: Any, folder: Path, plan_of: Callable[..., Plan], run: Any
) -> None:
    run(plan_of({"CLOSED": 4}, provider="embedded"), folder)
    plan = plan_of({"CLOSED": 4}, url=llm.url)
    result = run(plan, folder)
    assert (result.filled, result.calls) == (4, 4)
    assert run(plan_of({"CLOSED": 4}, provider="embedded"), folder, provider="custom").diagnostics[0].code == "ES514"
