"""One request at a time to a host, and a pause between two."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic


class Lane:
    """The turns of one host."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._ended: float | None = None
        self._held_until = 0.0

    @asynccontextmanager
    async def turn(self, delay: float) -> AsyncIterator[None]:
        """Wait until no other request is under way, and until `delay` seconds after the last one ended."""
        async with self._lock:
            free = self._held_until if self._ended is None else max(self._held_until, self._ended + delay)
            while (wait := free - monotonic()) > 0:
                await asyncio.sleep(wait)
            try:
                yield
            finally:
                self._ended = monotonic()

    def hold(self, seconds: float) -> None:
        """Let no turn begin for so long, as the host asked."""
        self._held_until = max(self._held_until, monotonic() + seconds)


class Lanes:
    """A lane for each host."""

    def __init__(self) -> None:
        self._lanes: dict[str, Lane] = {}

    def of(self, host: str) -> Lane:
        """The lane of a host, by its name without the final dot."""
        return self._lanes.setdefault(host.rstrip(".").lower(), Lane())
