"""Replies that came and were not journalled when a run was killed: the next run judges them and asks for none again."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evalspec.runtime.events import FillResult
from evalspec.runtime.journaling import FOLDER, journal_path
from evalspec.runtime.providers import Reply
from evalspec.runtime.received import NAME, Received, key_of
from evalspec.spec import planfile
from evalspec.spec.journal import Usage

Run = Callable[..., FillResult]
REPLY = Reply("{}", Usage(input_tokens=3, output_tokens=2), "stop", "fake-1")

KILLED = """
import os, signal, sys
from pathlib import Path
import evalspec.runtime.asking as asking
from evalspec.runtime.events import FillOptions
from evalspec.runtime.fill import fill
from evalspec.spec import planfile
count = 0
real = asking.judge
def judge(*given):
    global count
    count += 1
    if count == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*given)
asking.judge = judge
folder = Path(sys.argv[1])
fill(planfile.read(folder / "plan.json"), folder, FillOptions(concurrency=1), lambda event: None)
"""


def test_a_reply_that_was_being_judged_at_a_kill_is_not_asked_for_again(
    llm: Any, folder: Path, plan_of: Any, run: Run
) -> None:
    plan = plan_of({"CLOSED": 8}, url=llm.url, concurrency=1)
    planfile.write(plan, folder / "plan.json")
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    assert (len(llm.requests), len((folder / FOLDER / NAME).read_bytes().splitlines())) == (4, 4)
    result = run(plan, folder)
    assert (result.filled, result.calls, len(llm.requests)) == (8, 4, 8)
    assert (folder / FOLDER / NAME).exists() is False
    lines = [json.loads(line) for line in journal_path(folder).read_bytes().splitlines()]
    assert [line["usage"]["output_tokens"] for line in lines if line["kind"] == "attempt"] == [5] * 8


def test_a_reply_to_another_request_is_no_reply(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    first = Received(tmp_path, ())
    first.note(key_of("A-0001", 1, "prompt"), REPLY)
    first.close()
    again = Received(tmp_path, ())
    assert again.take(key_of("A-0001", 1, "another prompt")) is None
    assert again.take(key_of("A-0001", 1, "prompt")) == REPLY
    assert again.take(key_of("A-0001", 1, "prompt")) is None


def test_a_torn_line_is_no_reply_and_the_rest_stands(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    first = Received(tmp_path, ())
    for attempt in (1, 2):
        first.note(key_of("A-0001", attempt, "prompt"), REPLY)
    first.close()
    path = tmp_path / FOLDER / NAME
    path.write_bytes(path.read_bytes()[:-9])
    again = Received(tmp_path, ())
    assert [again.take(key_of("A-0001", attempt, "prompt")) for attempt in (1, 2)] == [REPLY, None]


def test_the_file_stays_small_and_goes_when_all_is_settled(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    received = Received(tmp_path, ())
    long = Reply("x" * 300_000, Usage(), "stop", "m")
    for attempt in range(1, 9):
        received.note(key_of("A-0001", attempt, "prompt"), long)
        received.settled()
    assert (tmp_path / FOLDER / NAME).stat().st_size <= 1_300_000
    received.close()
    assert (tmp_path / FOLDER / NAME).exists() is False
