"""Writes the journal: one holder at a time, each line whole and on its way to the disk when `append` returns."""

import errno
import json
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from evalspec.runtime.guard import outlived, worker_identity
from evalspec.runtime.spending import Spending
from evalspec.spec import journal
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.journal import AttemptLine, FellLine, Journal, JournalCorruptError, Line
from evalspec.spec.source import Place

FOLDER = Path("data") / "generated"
ERRORS_NAME = "validation_errors.jsonl"
DRAIN_POLL = 0.5
SYNC_SECONDS = 0.05
SYNC_SHARE = 0.05
"""Of the time, at most so much is spent on bringing lines to a slow disk, while they are less than a second old."""


class JournalError(Exception):
    """The journal cannot be used; `diagnostic` is an ES503, ES510 or ES511."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def journal_path(folder: Path) -> Path:
    """Where the journal of a plan in `folder` lies."""
    return folder / FOLDER / journal.JOURNAL_NAME


@contextmanager
def held(folder: Path, waiting: Callable[[str], None] = lambda _why: None) -> Iterator[None]:
    """Hold the folder for this process alone; it may hold it more than once. Raises JournalError (ES503, ES510).

    The lock is the operating system's and ends with the process, however it ends. It lies beside the folders that a
    full refresh moves. `waiting` is told why, where a run that was killed is waited for.
    """
    with locked(folder / "data", folder / FOLDER, _place(folder), waiting):
        yield


@contextmanager
def locked(home: Path, inner: Path, place: Place, waiting: Callable[[str], None] = lambda _why: None) -> Iterator[None]:
    """Hold `home` by a lock in it, having made `inner`, the folder of the lines. Raises JournalError (ES503, ES510).

    A run whose guard was killed is waited for: it only takes in the replies that were on their way to it.
    """
    from filelock import FileLock, Timeout

    holder = home / "holder.json"
    try:
        inner.mkdir(parents=True, exist_ok=True)
        lock = FileLock(home / "run.lock", timeout=0, is_singleton=True)
        try:
            lock.acquire()
        except Timeout:
            if not _draining(holder):
                raise
            waiting(
                f"a run that was killed takes in the replies that were on their way: waiting for it{_holder(holder)}"
            )
            while _draining(holder):
                with suppress(Timeout):
                    lock.acquire(timeout=DRAIN_POLL)
                    break
            else:
                lock.acquire()
    except Timeout:
        message = f"another run holds {home}{_holder(holder)}"
        hint = "wait until it ends, or stop it; what it has filled stays"
        raise JournalError(found("ES503", message, place, hint=hint)) from None
    except OSError as error:
        raise JournalError(not_writable(home, error)) from None
    try:
        _write_holder(holder, home)
        yield
    finally:
        lock.release()


def _draining(holder: Path) -> bool:
    """Whether the holder goes on without the guard that was before it."""
    try:
        data = json.loads(holder.read_text(encoding="utf-8"))
        return bool(data["host"] == socket.gethostname() and outlived(data))
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return False


def _write_holder(holder: Path, home: Path) -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    data = {"pid": os.getpid(), "host": socket.gethostname(), "since": now, **worker_identity()}
    try:
        holder.write_text(json.dumps(data) + "\n", encoding="utf-8")
    except OSError as error:
        raise JournalError(not_writable(home, error)) from None


def _holder(path: Path) -> str:
    """Who holds the folder, in words; empty where it cannot be told."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return f": process {data['pid']} on {data['host']}, since {data['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


_REMEDY = {
    errno.ENOSPC: "free some space or choose another folder",
    errno.EDQUOT: "free some space or choose another folder",
    errno.EACCES: "make it writable, or choose another folder",
    errno.EPERM: "make it writable, or choose another folder",
    errno.EROFS: "choose a folder that can be written in",
    errno.EISDIR: "name a file: there is a folder of that name",
    errno.ENOTDIR: "choose another folder: a part of this path is a file",
    errno.EEXIST: "choose another folder: there is a file of that name",
}
"""What helps, by what the system says."""


def not_writable(path: Path, error: OSError) -> Diagnostic:
    """An ES510 for a folder or disk that does not take what is written."""
    reason = error.strerror or str(error)
    hint = f"{_REMEDY.get(error.errno or 0, 'choose another place')}, then run again: what was filled stays"
    return found("ES510", f"cannot write in {path}: {reason}", Place(path.as_posix()), hint=hint)


def _place(folder: Path) -> Place:
    return Place(journal_path(folder).as_posix())


def read_journal(folder: Path, keep: Callable[[AttemptLine], AttemptLine] | None = None) -> Journal:
    """The journal as it is on disk, each attempt as `keep` makes it. Raises JournalError with ES511 or ES510."""
    path = journal_path(folder)
    try:
        return journal.read(path, keep)
    except JournalCorruptError as error:
        hint = "restore the file from a copy, or cut that line out: its group is then filled again"
        place = Place(path.as_posix(), error.line, 1, error.line, 1)
        raise JournalError(found("ES511", f"{path}: {error}", place, hint=hint)) from None
    except OSError as error:
        raise JournalError(not_writable(path, error)) from None


class LineFile:
    """A file of lines that only grows, in a folder that is held; opening it cuts off what follows its `good` bytes."""

    def __init__(self, path: Path, good: int, torn: int, every: float = SYNC_SECONDS) -> None:
        """Lines are brought to the disk `every` so many seconds, or more seldom where it is slow."""
        self.path = path
        self._good = good
        self._synced = time.monotonic()
        self._every = self._pause = every
        self._dirty = False
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            if torn:
                os.ftruncate(self._file, good)
        except OSError as error:
            raise JournalError(not_writable(path.parent, error)) from None

    def append(self, data: bytes) -> None:
        """Write one line whole. Raises JournalError with ES510, and then leaves the file as it was."""
        try:
            _write_all(self._file, data)
        except OSError as error:
            self._restore()
            raise JournalError(not_writable(self.path.parent, error)) from None
        self._good += len(data)
        self._dirty = True
        if time.monotonic() - self._synced >= self._pause:
            self.sync()

    def sync(self) -> None:
        """Bring what was appended to the disk. Raises JournalError with ES510."""
        began = time.monotonic()
        if self._dirty:
            try:
                os.fsync(self._file)
            except OSError as error:
                raise JournalError(not_writable(self.path.parent, error)) from None
        self._dirty = False
        self._synced = time.monotonic()
        self._pause = min(max(self._every, (self._synced - began) / SYNC_SHARE), 1.0)

    def close(self) -> None:
        """Sync and close. Raises JournalError with ES510."""
        try:
            self.sync()
        finally:
            os.close(self._file)

    def _restore(self) -> None:
        try:
            os.ftruncate(self._file, self._good)
        except OSError:
            return  # a torn line stays; the next opening cuts it off


def torn_line(path: Path, number: int, size: int) -> Diagnostic:
    """An ES502: the line of that number, of so many bytes, was torn and is cut off."""
    message = f"the last line of the journal was torn and is cut off ({size} bytes)"
    hint = "what it held was in flight when the run ended, and is asked again"
    return found("ES502", message, Place(path.as_posix(), number, 1, number, 1), hint=hint)


def _told(line: AttemptLine) -> AttemptLine:
    """An attempt as a fill needs it: what came of it, and the reply only where it may be judged again."""
    return line if line.outcome == "invalid" else line.model_copy(update={"reply": None, "slots": ()})


class JournalWriter:
    """Appends to the journal of a folder that is `held`; opening it cuts off a torn last line.

    Of what `before` holds, replies stand only where they were refused as invalid, and slots nowhere.
    """

    def __init__(self, folder: Path) -> None:
        self.before = read_journal(folder, _told)
        self.spending = Spending(self.before.lines)
        self._path = journal_path(folder)
        self._file = LineFile(self._path, self.before.good_bytes, self.before.torn_bytes)
        try:
            self._errors = _open_errors(self._path.with_name(ERRORS_NAME))
        except OSError as error:
            raise JournalError(not_writable(self._path.parent, error)) from None

    def torn(self) -> Diagnostic | None:
        """An ES502 where a torn last line was cut off."""
        if not self.before.torn_bytes:
            return None
        return torn_line(self._path, len(self.before.lines) + 1, self.before.torn_bytes)

    def append(self, line: Line) -> None:
        """Write one line whole. Raises JournalError with ES510, and then leaves the file as it was."""
        self._file.append(journal.encode(line))
        self.spending.add(line)

    def note_errors(self, entry: dict[str, Any]) -> None:
        """Add an entry to validation_errors.jsonl. Raises JournalError with ES510."""
        data = json.dumps(entry, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
        try:
            _write_all(self._errors, data)
        except OSError as error:
            raise JournalError(not_writable(self._path.parent, error)) from None

    def sync(self) -> None:
        """Bring what was appended to the disk. Raises JournalError with ES510."""
        self._file.sync()

    def close(self) -> None:
        """Sync and close. Raises JournalError with ES510."""
        try:
            self._file.close()
        finally:
            os.close(self._errors)


def _open_errors(path: Path) -> int:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    size = os.fstat(handle).st_size
    if size and os.pread(handle, 1, size - 1) != b"\n":
        _write_all(handle, b"\n")
    return handle


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def mark_fallen(
    folder: Path, reason: Literal["duplicate", "rejected"], groups: Sequence[str], details: Sequence[str] = ()
) -> None:
    """Append one line that makes the accepted replies of `groups` count no longer. Raises JournalError."""
    with held(folder):
        writer = JournalWriter(folder)
        try:
            writer.append(FellLine(reason=reason, groups=tuple(groups), details=tuple(details)))
        finally:
            writer.close()
