"""The process in which answers are taken apart: answers on its input, their parts on its output.

Started as `python -m evalspec.runtime.sources.reader PARENT SECONDS MEGABYTES`. An answer is the length of a head and
of a body, four bytes each, a head of JSON and the body; its parts are four bytes of length and JSON. It ends when its
input does, when its parent does, and when an answer takes more processor time or memory than it may.
"""

import json
import os
import signal
import sys
from contextlib import suppress
from dataclasses import asdict
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO

from evalspec.runtime.sources.apart import Answer, take_apart

_PDEATHSIG = 1
"""The option of prctl(2) that has a signal sent when the parent ends."""


def main(parent: int, seconds: float, megabytes: int) -> None:
    """Serve until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command, which ends this process
    _die_with(parent)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is no answer
    _load()
    _bound_memory(megabytes)
    asked: SimpleQueue[Answer] = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
    _say(out, {})
    while True:
        answer = asked.get()
        _bound_time(seconds)
        _say(out, asdict(take_apart(answer)))


def _listen(stream: BinaryIO, asked: "SimpleQueue[Answer]") -> None:
    """Take in answers; at the end of the input there is nobody left to tell, whatever is under way."""
    while True:
        sizes = stream.read(8)
        if len(sizes) < 8:
            os._exit(0)
        head = stream.read(int.from_bytes(sizes[:4], "big"))
        data = stream.read(int.from_bytes(sizes[4:], "big"))
        try:
            asked.put(Answer(data=data, **json.loads(head)))
        except ValueError:  # it was cut off
            os._exit(0)


def _say(out: BinaryIO, value: dict[str, Any]) -> None:
    packed = json.dumps(value).encode("ascii")
    out.write(len(packed).to_bytes(4, "big") + packed)
    out.flush()


def _load() -> None:
    """Import what taking apart needs, before the memory is bounded and the first answer's time runs."""
    import httpx  # noqa: F401
    import trafilatura  # noqa: F401

    from evalspec.runtime.sources import markup  # noqa: F401


def _die_with(parent: int) -> None:
    """Have the system end this process when its parent ends, where it can."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(0)


def _bound_memory(megabytes: int) -> None:
    """Let this process take so much more than it has, where the system bounds it; and leave no core file."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        pages = 0
        with suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            pages = int(file.read().split()[0])
        most = pages * resource.getpagesize() + megabytes * 1_000_000
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _bound_time(seconds: float) -> None:
    """Let this process compute for so many seconds from here: it ends then, though nobody is left to kill it."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 2, hard))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
