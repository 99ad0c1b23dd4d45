"""Where the program begins: before anything is imported, so that the many objects of imports are not walked."""

import gc


def main() -> None:
    """Set what holds for the whole process, then run the command line."""
    # a command makes many objects and drops few: fewer collections save a tenth of a compile, and of the imports
    gc.set_threshold(500_000, 20, 20)
    from evalspec.cli.main import main as run

    run()
