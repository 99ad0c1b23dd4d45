"""A guard before the process that works: whatever ends the guard lets the worker take in what was paid for.

Between the moment in which a service sends a reply and that in which it is read and journalled, a kill would lose it,
and the next run would buy it again. So the process that a shell starts, and that people and schedulers kill, only
waits: its fork does the work, in a session of its own. The guard passes signals on and ends as the worker ends. Where
it is gone, by SIGKILL too, the worker asks nothing more, journals the replies that are on their way, and ends; the
next run waits for it. What kills the worker itself, as a power cut does, loses replies that were not read yet.
"""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
_STANDS: list[int] = []


def guard() -> int | None:
    """The process id of this worker's guard; None where there is none."""
    return _STANDS[0] if _STANDS else None


def stand_guard() -> None:
    """Fork: the caller goes on as the worker, and this process guards it to its end and never returns.

    Called before any thread is started. Only on Linux: elsewhere a fork is unsafe (macOS) or unknown, and this process
    goes on unguarded, as it does where the system gives no further process.
    """
    if sys.platform != "linux":
        return
    own = os.getpid()
    heard = [number for name in ENDING if signal.getsignal(number := signal.Signals[name]) is not signal.SIG_IGN]
    read_end, write_end = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    try:
        worker = os.fork()
    except OSError:
        worker = None
    if worker:
        os.close(read_end)
        _wait_for(worker, heard)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, heard)
    os.close(write_end)
    if worker is None:
        os.close(read_end)
        return
    os.setsid()
    _STANDS.append(own)
    _watch(read_end)


def _wait_for(worker: int, heard: list[signal.Signals]) -> None:
    """Pass on what is heard until the worker ends, and end as it did: with its code, or 128 and its signal."""

    def pass_on(number: int, _frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGINT if number == signal.SIGINT else signal.SIGTERM)

    def suspend(_number: int, _frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGSTOP)  # the shell continues it from here
            os.kill(worker, signal.SIGCONT)

    for number in heard:
        signal.signal(number, pass_on)
    if signal.getsignal(signal.SIGTSTP) is not signal.SIG_IGN:
        signal.signal(signal.SIGTSTP, suspend)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, heard)
    code = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


def _watch(read_end: int) -> None:
    """Once nobody holds the other end of the pipe, let go of the guard's streams and end this process by SIGTERM."""
    from threading import Thread

    def watch() -> None:
        os.read(read_end, 1)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):  # whoever reads the output of the process that was killed waits no longer
            os.dup2(nowhere, stream)
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=watch, name="guard", daemon=True).start()


def outlived(worker: int, guard_id: int) -> bool:
    """Whether a worker goes on although its guard is gone; it is continued where it was suspended with the guard."""
    try:
        stat = Path(f"/proc/{worker}/stat").read_text(encoding="utf-8", errors="replace")
        parent = int(stat.rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return False
    if parent == guard_id:
        return False
    with suppress(OSError):
        os.kill(worker, signal.SIGCONT)
    return True
