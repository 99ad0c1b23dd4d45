"""Ctrl-C while an event loop runs cancels its coroutine, whichever handler the process has."""

import asyncio
import signal
import subprocess
import sys
import threading
from types import FrameType

import pytest

from evalspec.runtime import event_loop


async def interrupted(seen: list[str]) -> None:
    signal.raise_signal(signal.SIGINT)
    seen.append("not raised here")
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        seen.append("cancelled")
        raise


def test_an_interrupt_cancels_and_the_handler_that_stood_before_stands_after() -> None:
    def own(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError

    before = signal.signal(signal.SIGINT, own)
    seen: list[str] = []
    try:
        with pytest.raises(KeyboardInterrupt):
            event_loop.run(interrupted(seen))
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == ["not raised here", "cancelled"]


def test_an_interrupt_that_is_ignored_stays_ignored() -> None:
    async def ignoring() -> str:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(0.01)
        return "done"

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert event_loop.run(ignoring()) == "done"
    finally:
        signal.signal(signal.SIGINT, before)


def test_it_runs_in_another_thread_too() -> None:
    async def seven() -> int:
        return 7

    out: list[int] = []
    thread = threading.Thread(target=lambda: out.append(event_loop.run(seven())))
    thread.start()
    thread.join()
    assert out == [7]


def test_the_second_interrupt_ends_the_process_though_a_task_does_not_end() -> None:
    program = """
import asyncio, signal
from evalspec.runtime import event_loop

async def stubborn():
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            print("cancelled", flush=True)

async def main():
    asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    print("begun", flush=True)
    await asyncio.sleep(60)

event_loop.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "cancelled\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
