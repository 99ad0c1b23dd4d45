"""Ctrl-C outside of a fill: heard at once, but while a module or a model is being made only at its end.

An exception that comes up within an import can leave its lock held (Python 3.11) and half a module in `sys.modules`.
On its way through the compiled code of pydantic it is dropped, or becomes another, which is taken for a fault of ours.
"""

import os
import signal
import sys
import threading
from types import FrameType

AGAIN = 0.002
"""Seconds until it is looked again whether what is made is ready."""
_MAKING = ("<frozen importlib._bootstrap>", os.path.join("pydantic", "_internal", "_"))  # noqa: PTH118 # a part of one
"""What the file names of the code hold that makes modules and models."""


class _Heard:
    """What came of Ctrl-C so far."""

    interrupted = False
    waiting = False


def heed_interrupts() -> None:
    """Hear Ctrl-C from here on; nothing where it is ignored, heard otherwise, or the system has no timer (Windows)."""
    if sys.platform != "win32" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGALRM, _again)
        signal.signal(signal.SIGINT, _heard)


def no_longer() -> None:
    """Let Ctrl-C end the process there and then: the command is through, and Python's own end is not to fail of it."""
    if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(130))


def interrupted() -> bool:
    """Whether Ctrl-C was heard, so that an exception of any kind may have come of it."""
    return _Heard.interrupted


def _heard(_number: int, frame: FrameType | None) -> None:
    if _Heard.waiting:  # the second one, during an import that takes long
        os._exit(130)
    if _makes(frame):
        _Heard.waiting = True
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
        return
    _Heard.interrupted = True
    raise KeyboardInterrupt


def _again(_number: int, frame: FrameType | None) -> None:
    if _makes(frame):
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
        return
    _Heard.waiting = False
    signal.raise_signal(signal.SIGINT)  # to whoever hears it now


def _makes(frame: FrameType | None) -> bool:
    while frame is not None:
        if any(part in frame.f_code.co_filename for part in _MAKING):
            return True
        frame = frame.f_back
    return False
