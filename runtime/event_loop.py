"""An event loop to the end of one coroutine, where Ctrl-C cancels it and comes up nowhere else."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Coroutine
from types import FrameType
from typing import Any, TypeVar

from evalspec.runtime.guard import guard

Result = TypeVar("Result")
SAME_SIGNAL = 0.5
"""Seconds within which a second SIGINT is the first one again, sent to the worker and passed on by its guard."""


def run(main: Coroutine[Any, Any, Result]) -> Result:
    """What `asyncio.run` does, but that the first Ctrl-C cancels `main` and the second ends the process.

    asyncio's own handler raises at the second one, in whatever task or callback runs at the moment; where that is one
    that wakes another, the loop waits for it forever.

    Raises KeyboardInterrupt where `main` was cancelled by Ctrl-C, and what `main` raises.
    """
    if threading.current_thread() is not threading.main_thread() or not callable(signal.getsignal(signal.SIGINT)):
        return asyncio.run(main)  # ignored, or not Python's
    task: asyncio.Task[Any] | None = None
    first: float | None = None

    async def cancellable() -> Result:
        nonlocal task
        task = asyncio.current_task()
        if first is not None:
            raise asyncio.CancelledError
        return await main

    def heard(_number: int, _frame: FrameType | None) -> None:
        nonlocal first
        if first is None:
            first = time.monotonic()
            if task is not None:
                loop.call_soon_threadsafe(task.cancel)
        elif time.monotonic() - first > (SAME_SIGNAL if guard() else 0):
            os._exit(130)

    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        before = signal.signal(signal.SIGINT, heard)
        try:
            return runner.run(cancellable())
        except asyncio.CancelledError:
            if first is None:
                raise
            raise KeyboardInterrupt from None
        finally:
            main.close()
            runner.close()  # what else runs is cancelled and waited for
            signal.signal(signal.SIGINT, before)
