"""Where the program begins: before anything is imported, so that the many objects of imports are not walked."""

import gc
import os
import sys

from evalspec.runtime.guard import stand_guard

GUARDED = ("run", "bench")
"""The commands that pay for replies."""


def main() -> None:
    """Set what holds for the whole process, then run the command line."""
    # a command makes many objects and drops few: fewer collections save a tenth of a compile, and of the imports
    gc.set_threshold(500_000, 20, 20)
    if sys.argv[1:2] and sys.argv[1] in GUARDED and "--help" not in sys.argv:
        stand_guard()
    try:
        from evalspec.cli.main import main as run
    except KeyboardInterrupt:
        os._exit(130)  # nothing has begun, and an import that was cut short is not to be gone on with

    run()
