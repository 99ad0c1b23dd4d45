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
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

NAME = "eval-worker"
"""What the system calls the worker: a kill by the name of the command is not meant for it."""
_PDEATHSIG = 1
"""The option of prctl(2) that has a signal sent when the parent ends."""


class _Stands:
    """What the worker knows of its guard; nothing in a process that has none."""

    guard: int | None = None
    gone = False
    told: Callable[[], object] | None = None


def guard() -> int | None:
    """The process id of this worker's guard; None where there is none."""
    return _Stands.guard


def guard_gone() -> bool:
    """Whether there was a guard and it has ended: then nothing new is to be begun."""
    return _Stands.gone


@contextmanager
def told_of_end(told: Callable[[], object]) -> Iterator[None]:
    """Call `told` as soon as the guard has ended, from a thread of its own, before whoever waits for the output knows.

    What it raises is dropped. SIGTERM follows in any case.
    """
    _Stands.told = told
    try:
        yield
    finally:
        _Stands.told = None


def stand_guard() -> None:
    """Fork: the caller goes on as the worker, and this process guards it to its end and never returns.

    Called before any thread is started. Only on Linux: elsewhere a fork is unsafe (macOS) or unknown, and this process
    goes on unguarded, as it does where the system gives no further process.
    """
    if sys.platform != "linux":
        return
    passed = {signal.SIGINT, signal.SIGTERM}
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup
        passed.add(signal.SIGHUP)
    own, mask = os.getpid(), signal.pthread_sigmask(signal.SIG_BLOCK, passed)
    children = signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, the end of the worker could not be waited for
    try:
        read_end, write_end = os.pipe()
        worker = os.fork()
    except OSError:
        worker, own = 0, 0
    if worker:
        os.close(read_end)
        _wait_for(worker, passed, mask)
    signal.signal(signal.SIGCHLD, children)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if own:
        os.close(write_end)
        os.setsid()
        _become_worker(own, read_end)


def _wait_for(worker: int, passed: set[signal.Signals], mask: Iterable[int]) -> None:
    """Pass on what is heard until the worker ends, and end as it did: with its code, or by its signal."""
    hung_up = False

    def pass_on(number: int, _frame: FrameType | None) -> None:
        nonlocal hung_up
        hung_up |= number == signal.SIGHUP
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGINT if number == signal.SIGINT else signal.SIGTERM)

    def suspend(number: int, _frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGSTOP)
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)  # a shell that controls jobs stops it here, and continues it
            signal.signal(number, suspend)
            os.kill(worker, signal.SIGCONT)

    for number in passed:
        signal.signal(number, pass_on)
    for number in (signal.SIGTSTP, signal.SIGTTIN):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, suspend)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    code = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    if code >= 0:
        os._exit(code)
    _die_of(signal.SIGHUP if hung_up and -code == signal.SIGTERM else -code)


def _die_of(number: int) -> None:
    """End by a signal, without a second core file; by its number where the system does not let it."""
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):  # SIGKILL has no handler that could be set
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    os._exit(128 + number)


def _become_worker(guard_id: int, read_end: int) -> None:
    """Go on as the worker of a guard: watch for its end, and be continued by it where both were suspended."""
    from threading import Thread

    def watch() -> None:
        os.read(read_end, 1)  # returns once nobody holds the other end of the pipe
        _Stands.gone = True
        if _Stands.told is not None:
            with suppress(Exception):
                _Stands.told()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):  # whoever reads the output of the process that was killed waits no longer
            os.dup2(nowhere, stream)
        if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:
            os._exit(128 + signal.SIGTERM)  # nothing is on its way: while something is, SIGTERM is heard
        os.kill(os.getpid(), signal.SIGTERM)

    try:
        Thread(target=watch, name="guard", daemon=True).start()
    except RuntimeError:  # no further thread
        return
    _Stands.guard = guard_id
    with suppress(OSError):
        Path("/proc/self/comm").write_text(NAME, encoding="ascii")
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(_PDEATHSIG, int(signal.SIGCONT), 0, 0, 0)


def stop_in_background() -> None:
    """Suspend guard and worker while a shell has them in the background, as reading from the terminal would.

    The worker has no controlling terminal, so the system does not see to it, and it would take the shell's input.
    """
    if _Stands.guard is None:
        return
    while (found := _stat(_Stands.guard)) is not None:
        group, terminal, foreground = int(found[2]), int(found[4]), int(found[5])
        if terminal == 0 or foreground in (group, -1):
            return
        os.kill(_Stands.guard, signal.SIGTTIN)
        time.sleep(0.1)


def worker_identity() -> dict[str, int | str]:
    """What tells this worker from every other process, for `outlived`; empty where no guard stands before it."""
    own = _stat(os.getpid()) if _Stands.guard is not None else None
    if own is None or _Stands.guard is None:
        return {}
    return {"guard": _Stands.guard, "started": int(own[19]), "space": _space()}


def outlived(holder: Mapping[str, Any]) -> bool:
    """Whether the worker that left its `pid` and identity is still there, and its guard is not."""
    if "guard" not in holder or holder.get("space") != _space():
        return False
    found = _stat(int(holder["pid"]))
    return found is not None and int(found[19]) == holder["started"] and int(found[1]) != holder["guard"]


def _stat(process: int) -> list[str] | None:
    """The fields of /proc/PID/stat from the state on (proc(5)); None where there is no such process."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()


def _space() -> str:
    """Where a process id means the same: this boot of the system, and the namespace in it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""
