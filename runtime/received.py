"""Replies as they come, before they are judged: a kill between the two loses none that came.

The file holds what the journal does not hold yet, and is empty or gone when a run has ended. It is written without
being brought to the disk, since it is for a process that is killed, not for a machine.
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from zlib import crc32

from evalspec.runtime.journaling import FOLDER
from evalspec.runtime.providers import Reply
from evalspec.spec.journal import AttemptLine, Line, Usage
from evalspec.spec.planfile import write_atomically

NAME = "received.jsonl"
_MOST_BYTES = 1_000_000
"""A longer file is emptied as soon as the journal holds all of it."""


@contextmanager
def receiving(folder: Path, journalled: Iterable[Line], *, wanted: bool) -> "Iterator[Received | None]":
    """The replies of a folder while a run lasts; None where they are not `wanted`."""
    if not wanted:
        yield None
        return
    received = Received(folder, journalled)
    try:
        yield received
    finally:
        received.close()


def key_of(group: str, attempt: int, prompt: str, *settings: object) -> str:
    """What a reply is found by: its group and attempt, and what was asked."""
    mark = crc32(prompt.encode("utf-8", "replace"), crc32(repr(settings).encode("utf-8", "replace")))
    return f"{group}/{attempt}/{mark:08x}"


class Received:
    """The replies of a folder that is held; those that an earlier run received and did not journal come first."""

    def __init__(self, folder: Path, journalled: Iterable[Line]) -> None:
        self._path = folder / FOLDER / NAME
        self._kept = self._read(journalled)
        self._unsettled = 0
        self._size = 0
        self._file = -1
        with suppress(OSError):
            write_atomically(self._path, b"".join(self._kept.values()))
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND)

    def _read(self, journalled: Iterable[Line]) -> dict[str, bytes]:
        try:
            lines = self._path.read_bytes().splitlines(keepends=True)
        except OSError:
            return {}
        done = {
            f"{line.group}/{line.attempt}"
            for line in journalled
            if isinstance(line, AttemptLine) and line.outcome != "unreachable"
        }
        out: dict[str, bytes] = {}
        for line in lines:
            with suppress(ValueError, LookupError, TypeError):  # a line that was torn
                key = json.loads(line)["key"]
                if line.endswith(b"\n") and key.rpartition("/")[0] not in done:
                    out[key] = line
        return out

    def take(self, key: str) -> Reply | None:
        """The reply that an earlier run received and did not journal."""
        line = self._kept.pop(key, None) if self._kept else None
        if line is None:
            return None
        with suppress(ValueError, LookupError, TypeError):
            given = json.loads(line)
            self._unsettled += 1
            return Reply(given["text"], Usage(**given["usage"]), given["finish"], given["model"])
        return None

    def note(self, key: str, reply: Reply) -> None:
        """Keep a reply until it is settled. A disk that does not take it is the journal's to tell of."""
        usage = {"input_tokens": reply.usage.input_tokens, "output_tokens": reply.usage.output_tokens}
        given = {"key": key, "text": reply.text, "usage": usage, "finish": reply.finish, "model": reply.model}
        self._unsettled += 1
        with suppress(OSError):
            self._size += os.write(self._file, json.dumps(given).encode("ascii") + b"\n")

    def settled(self) -> None:
        """The journal holds one of the replies."""
        self._unsettled -= 1
        if not self._unsettled and not self._kept and self._size > _MOST_BYTES:
            with suppress(OSError):
                os.ftruncate(self._file, 0)
                self._size = 0

    def close(self) -> None:
        """Close the file; it goes where nothing is left in it."""
        with suppress(OSError):
            os.close(self._file)
            if not self._unsettled and not self._kept:
                self._path.unlink()
