"""A time that runs only while the loop is free: what is imported or computed meanwhile takes little of it."""

import asyncio
from collections.abc import Callable

_STEPS = 4


class Grace:
    """Calls back after some seconds, unless it is ended before; made in a running loop.

    The seconds go in steps. Where an import or a computation holds the loop for longer than a step, that counts as one.
    """

    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self._step = seconds / _STEPS
        self._call = call
        self._left = _STEPS
        self._timer = self._next()

    def end(self) -> None:
        """Call back no more."""
        self._timer.cancel()

    def _next(self) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(self._step, self._tick)

    def _tick(self) -> None:
        self._left -= 1
        if self._left:
            self._timer = self._next()
        else:
            self._call()
