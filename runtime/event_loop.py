"""An event loop to the end of one coroutine, where Ctrl-C cancels it and comes up nowhere else."""

import asyncio
import signal
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def run(main: Coroutine[Any, Any, Result]) -> Result:
    """What `asyncio.run` does, with its handling of Ctrl-C even where the process has a handler of its own.

    asyncio cancels `main` only where Python's own handler stands. With another one the exception would come up in
    whatever task runs at the moment, and be grouped, logged or dropped there.

    Raises KeyboardInterrupt where `main` was cancelled by Ctrl-C, and what `main` raises.
    """
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(main)
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):  # ignored, or not Python's
        return asyncio.run(main)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return asyncio.run(main)
    finally:
        signal.signal(signal.SIGINT, before)
