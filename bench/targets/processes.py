"""Processes of targets: started in a group of their own, ended with all that they started, and heard within bounds."""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from evalspec.runtime.providers import SetupError
from evalspec.spec.diagnostic import found
from evalspec.spec.source import Place

MAX_LINE = 9 << 20
_TAIL = 4096
_MOST_FILES = 2000
PATIENCE = 2.0
"""Seconds that are waited for pipes to close after everything was killed."""


async def started(argv: Sequence[str], folder: Path, env: Mapping[str, str]) -> Process:
    """A process with three pipes, which leads a group and which no Ctrl-C of the terminal reaches. Raises OSError."""
    return await asyncio.create_subprocess_exec(
        *argv,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        cwd=folder,
        env=dict(env),
        start_new_session=True,
        limit=MAX_LINE,
    )


def kill_group(process: Process) -> None:
    """End a process and everything in its group, also what it left behind."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def let_go(process: Process) -> None:
    """Close the pipes of a process, whoever else still holds their other ends; asyncio has no public way to."""
    process._transport.close()  # type: ignore[attr-defined]


async def ended(process: Process) -> int | None:
    """Kill the group, and wait for the process; its code where it had ended by itself."""
    code = process.returncode
    kill_group(process)
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await process.wait()
    return code


async def exited(process: Process) -> int:
    """The code of a process that has ended, be its pipes still held open by what it left running.

    `wait` of asyncio waits for the pipes, too.
    """
    pause = 0.001
    while process.returncode is None:
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.05)
    return process.returncode


class Tail:
    """The last that a stream said, while all of it is read."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._kept = b""
        self._task = asyncio.create_task(self._listen(stream))

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        while part := await stream.read(65536):
            self._kept = (self._kept + part)[-_TAIL:]

    async def line(self) -> str:
        """The last line that says something, once the stream has ended."""
        await asyncio.wait([self._task], timeout=PATIENCE)
        lines = self._kept.decode("utf-8", "replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def stop(self) -> None:
        """Listen no more."""
        self._task.cancel()


def digest_of_files(folder: Path, patterns: Sequence[str], place: Place) -> list[list[str]]:
    """The relative name and SHA-256 of every file of the patterns. Raises SetupError with ES731."""
    out: dict[str, str] = {}
    for pattern in patterns:
        try:
            matches = sorted(path for path in folder.glob(pattern) if path.is_file())
            for path in matches[:_MOST_FILES]:
                out[path.relative_to(folder).as_posix()] = sha256(path.read_bytes()).hexdigest()
        except (OSError, ValueError, NotImplementedError) as error:
            raise SetupError(found("ES731", f"files cannot hold {pattern}: {error}", place)) from None
        if not matches or len(matches) > _MOST_FILES:
            message = f"{pattern} names {len(matches):,} files; at least 1 and at most {_MOST_FILES:,} are read"
            raise SetupError(found("ES731", message, place, hint="patterns are seen from the target's file"))
    return [[name, digest] for name, digest in sorted(out.items())]
