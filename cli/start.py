"""Where the program begins: before anything is imported, so that the many objects of imports are not walked."""

import atexit
import gc
import os
import sys

GUARDED = ("run", "bench")
"""The commands that pay for replies."""


def main() -> None:
    """Set what holds for the whole process, then run the command line."""
    # a command makes many objects and drops few: fewer collections save a tenth of a compile, and of the imports
    gc.set_threshold(500_000, 20, 20)
    ended: list[int] = []
    try:
        from evalspec.runtime.environment import without_plugins
        from evalspec.runtime.guard import stand_guard

        without_plugins()
        if sys.argv[1:2] and sys.argv[1] in GUARDED and "--help" not in sys.argv:
            stand_guard()
        atexit.register(_leave, ended)  # the first to be registered is the last to be called
        from evalspec.cli.main import main as run
    except KeyboardInterrupt:
        os._exit(130)  # nothing has begun, and an import that was cut short is not to be gone on with

    try:
        run()
    except KeyboardInterrupt:
        os._exit(130)  # before the command line hears it: nothing has begun
    except SystemExit as end:
        ended += [end.code or 0] if isinstance(end.code, int | None) else []
        raise


def _leave(ended: list[int]) -> None:
    """End the process with its code, once threads have ended and all is put away; nothing where there is no code.

    What Python does beyond that takes 20 ms: it takes objects apart one by one, for memory that goes back anyway.
    """
    if not ended or sys.gettrace() or sys.getprofile():  # who watches a program may have more to do at its end
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # Python says so itself
        return
    os._exit(ended[0])
