"""Answers taken apart in processes of their own, so that no page takes more time or memory than it may.

A page that is over its time holds the interpreter in which it is read, and cannot be told to stop: its process is
killed, and the next page gets another. The processes end with the pool, and with the command where that is killed.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from typing import Any

from evalspec.runtime.sources.apart import Answer, Parts
from evalspec.runtime.sources.links import Links
from evalspec.spec.dataclass import dataclass

WORKER = "evalspec.runtime.sources.reader"
"""The module that a process runs."""


@dataclass(frozen=True, slots=True)
class ReadBounds:
    """What the reading of one page may take."""

    seconds: float = 20.0
    """From the moment at which a process begins with it."""
    megabytes: int = 1000
    """Of memory, where the system bounds it."""
    at_once: int = 2
    """Processes."""
    starting: float = 60.0
    """Seconds in which a process must be ready."""


class ReadError(Exception):
    """A page that was not read within its bounds; the message says which."""


class _LostError(Exception):
    """A process that ended without an answer."""


class _Reader:
    """A process that takes one answer apart at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process = process
        self._into, self._out = process.stdin, process.stdout

    async def heard(self) -> dict[str, Any]:
        """The next thing that it says. Raises _LostError."""
        try:
            size = int.from_bytes(await self._out.readexactly(4), "big")
            found: dict[str, Any] = json.loads(await self._out.readexactly(size))
        except (asyncio.IncompleteReadError, OSError, ValueError) as error:
            raise _LostError from error
        return found

    async def ask(self, answer: Answer) -> dict[str, Any]:
        """Have an answer taken apart. Raises _LostError."""
        head = json.dumps({name: value for name, value in asdict(answer).items() if name != "data"}).encode("ascii")
        try:
            self._into.write(len(head).to_bytes(4, "big") + len(answer.data).to_bytes(4, "big") + head)
            self._into.write(answer.data)
            await self._into.drain()
        except OSError as error:
            raise _LostError from error
        return await self.heard()

    async def end(self) -> None:
        """Kill it, and wait until it is gone."""
        with suppress(ProcessLookupError):
            self._process.kill()
        self._into.close()
        await self._process.wait()


class Readers:
    """The processes; use it within `open_readers`."""

    def __init__(self, bounds: ReadBounds) -> None:
        self.bounds = bounds
        self._places = asyncio.Semaphore(bounds.at_once)
        self._idle: list[_Reader] = []

    async def read(self, answer: Answer) -> Parts:
        """Take an answer apart. Raises ReadError where that is not done within the bounds."""
        async with self._places:
            reader = self._idle.pop() if self._idle else await self._started()
            try:
                async with asyncio.timeout(self.bounds.seconds):
                    found = await reader.ask(answer)
            except TimeoutError:
                await reader.end()
                raise ReadError(f"it takes over {self.bounds.seconds:g} s to take apart") from None
            except _LostError:
                await reader.end()
                raise ReadError(f"it cannot be taken apart with {self.bounds.megabytes} MB of memory") from None
            except BaseException:
                await asyncio.shield(reader.end())
                raise
            self._idle.append(reader)
        links = found["links"]
        leads = Links(tuple(links["text"]), tuple(links["menu"]), links["licence"])
        return Parts(found["title"], found["text"], leads, found["reason"])

    async def _started(self) -> _Reader:
        """A process that is ready. Raises ReadError."""
        reader = None
        try:
            async with asyncio.timeout(self.bounds.starting):
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-P", "-m", WORKER),
                    *(str(os.getpid()), str(self.bounds.seconds), str(self.bounds.megabytes)),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.DEVNULL,
                )
                reader = _Reader(process)
                await reader.heard()
        except (OSError, TimeoutError, _LostError):
            if reader is not None:
                await reader.end()
            raise ReadError("no process could be started to take it apart") from None
        except BaseException:
            if reader is not None:
                await asyncio.shield(reader.end())
            raise
        return reader

    async def close(self) -> None:
        """End every process that is idle; one that is at work is ended by whoever waits for it."""
        while self._idle:
            await self._idle.pop().end()


@asynccontextmanager
async def open_readers(bounds: ReadBounds | None = None) -> AsyncIterator[Readers]:
    """Readers whose processes start when they are needed, and end with the block."""
    readers = Readers(bounds or ReadBounds())
    try:
        yield readers
    finally:
        await readers.close()
