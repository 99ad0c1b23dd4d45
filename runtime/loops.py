"""The event loop of a run: uvloop where it is installed, which takes a third of the time of Python's own for HTTP."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_quickly(main: Coroutine[Any, Any, T], networked: bool = True) -> T:
    """Run `main` to its end; what is not `networked` gains nothing, and is spared the import."""
    factory: Callable[[], asyncio.AbstractEventLoop] | None = None
    if networked:
        try:
            from uvloop import new_event_loop as factory
        except ImportError:
            factory = None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(main)
