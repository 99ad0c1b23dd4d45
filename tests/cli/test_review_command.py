"""evalspec review as a user runs it: look, reject, run again, check."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from urllib.parse import urlencode

import pytest

from evalspec.outputs.review import decisions
from evalspec.spec import planfile

Evalspec = Callable[..., CompletedProcess[str]]
# a shell's background jobs ignore Ctrl-C, and a test may run in one
PROGRAM = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); sys.argv[0] = 'evalspec'; "
    "from evalspec.cli.main import main; main()"
)


@pytest.fixture
def filled(small: Path, evalspec: Evalspec) -> Path:
    """The small spec, filled and released."""
    done = evalspec("run", small, "--provider", "embedded")
    assert done.returncode == 0, done.stdout + done.stderr
    return small


@contextmanager
def _reviewing(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [sys.executable, "-c", PROGRAM, "review", str(folder), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"})
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        address = re.match(r"(http://127\.0\.0\.1:\d+/) ", said)
        assert address is not None, said
        yield address[1], process
    finally:
        process.kill()
        process.communicate()


def _decide(address: str, group: str, verdict: str, note: str = "") -> None:
    page = urllib.request.urlopen(address, timeout=20).read().decode("utf-8")
    token = re.search(r'name="token" value="([^"]+)"', page)
    assert token is not None
    form = urlencode({"token": token[1], "group": group, "verdict": verdict, "note": note})
    urllib.request.urlopen(f"{address}decide", form.encode(), timeout=20).close()


def _attempts(folder: Path) -> dict[str, int]:
    lines = map(json.loads, (folder / "data/generated/journal.jsonl").read_text("utf-8").splitlines())
    return {line["group"]: line["attempt"] for line in lines if line.get("outcome") == "accepted"}


def test_rejected_groups_are_made_again_once(filled: Path, evalspec: Evalspec) -> None:
    groups = [group.group_id for group in planfile.read(filled / "plan.json").groups]
    rejected, accepted = groups[:5], groups[5]
    before = _attempts(filled)
    with _reviewing(filled) as (address, _):
        for group in rejected:
            _decide(address, group, "rejected", "again, please")
        _decide(address, accepted, "accepted")
    counted = "1 group accepted, 5 rejected and not yet made again"
    assert counted in evalspec("check", filled).stdout
    done = evalspec("run", filled / "plan.json", "--provider", "embedded", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["groups_reopened"]) == (0, 5)
    after = _attempts(filled)
    assert [group for group in groups if after[group] > before[group] and group in rejected] == rejected
    assert after[accepted] == before[accepted]
    again = evalspec("run", filled / "plan.json", "--provider", "embedded", "--format", "json")
    assert (json.loads(again.stdout)["groups_reopened"], _attempts(filled)) == (0, after)
    checked = evalspec("check", filled, "--format", "json")
    review = {"accepted": 1, "rejected": 0, "noted": 0, "unjudged": len(groups) - 1}
    assert (checked.returncode, json.loads(checked.stdout)["review"]) == (0, review)


def test_a_full_refresh_that_gives_another_reply_is_not_bound_by_an_old_rejection(
    filled: Path, evalspec: Evalspec
) -> None:
    group = planfile.read(filled / "plan.json").groups[0]
    old = decisions.Decision(
        group=group.group_id, fingerprint=group.fingerprint, attempt=1, reply="of another", verdict="rejected"
    )
    decisions.write(filled, [old])
    before = _attempts(filled)
    assert evalspec("run", filled / "plan.json", "--provider", "embedded").returncode == 0
    assert _attempts(filled) == before


def test_a_review_that_cannot_be_read_stops_run_review_and_check(filled: Path, evalspec: Evalspec) -> None:
    (filled / decisions.NAME).write_text("decisions: [{group: A}]\n", encoding="utf-8")
    for command in (["run", filled / "plan.json", "--provider", "embedded"], ["check", filled], ["review", filled]):
        done = evalspec(*command)
        assert (done.returncode, "error[ES521]" in done.stdout) == (2, True), command


def test_a_review_does_not_change_the_spec(filled: Path, evalspec: Evalspec) -> None:
    before = (filled / "plan.json").read_bytes()
    decisions.write(filled, [])
    assert evalspec("compile", filled).returncode == 0
    assert (filled / "plan.json").read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal here")
def test_ctrl_c_ends_it_clean(filled: Path) -> None:
    with _reviewing(filled) as (address, process):
        urllib.request.urlopen(address, timeout=20).close()
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0


def test_nothing_to_review_is_said(small: Path, evalspec: Evalspec) -> None:
    done = evalspec("review", small, "--no-browser")
    assert (done.returncode, "there is no train.parquet in" in done.stdout) == (2, True)


def test_a_port_that_is_taken_is_said(filled: Path, evalspec: Evalspec) -> None:
    with _reviewing(filled) as (address, _):
        port = address.rstrip("/").rpartition(":")[2]
        done = evalspec("review", filled, "--no-browser", "--port", port)
    assert (done.returncode, f"cannot listen on port {port}" in done.stdout) == (2, True)
