"""Asks the person at the terminal, where there is one, before something that costs money."""

import sys

import typer

from evalspec.runtime.guard import stop_in_background


def agreed(*, yes: bool) -> bool:
    """Whether to go on: what the person says, or yes where nobody can be asked or `yes` was given."""
    if yes or not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        return True
    stop_in_background()
    return typer.confirm("Go on?", err=True)
