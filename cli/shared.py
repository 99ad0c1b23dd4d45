"""What all commands share: formats, exit codes, the two consoles, and the way a result is shown."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum, StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

import typer

from evalspec.cli.render.text import print_diagnostics
from evalspec.spec.diagnostic import Diagnostic, Severity, found, in_order
from evalspec.spec.source import Place

if TYPE_CHECKING:
    from rich.console import Console


class Exit(IntEnum):
    """How a command ends."""

    CLEAN = 0
    FINDINGS = 1
    CANNOT_RUN = 2
    INTERRUPTED = 130


class Format(StrEnum):
    """How a result is shown."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


class CheckFormat(StrEnum):
    """How the verdict of the gate is shown."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    GITHUB = "github"


@lru_cache(maxsize=1)
def stdout() -> "Console":
    """Where results go."""
    from rich.console import Console

    return Console(soft_wrap=False, highlight=False, width=_width(sys.stdout))


@lru_cache(maxsize=1)
def stderr() -> "Console":
    """Where progress and findings that accompany a result go."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, width=_width(sys.stderr))


def _width(stream: TextIO) -> int | None:
    """The terminal's own width; elsewhere what COLUMNS says, and wide enough for a table by default."""
    for name in ("COLUMNS", "LINES"):  # rich takes ² for a number
        if not os.environ.get(name, "0").isdecimal():
            del os.environ[name]
    if stream.isatty() or os.environ.get("COLUMNS", "").isdigit():
        return None
    return 160


def from_here(diagnostics: Sequence[Diagnostic], folder: Path) -> list[Diagnostic]:
    """The findings with files of `folder` named from the working folder, as a terminal or a code host opens them."""

    def named(diagnostic: Diagnostic) -> Diagnostic:
        file = diagnostic.place.file
        if Path(file).exists() or not (folder / file).exists():
            return diagnostic
        there = Path(os.path.relpath(folder / file)).as_posix()
        return replace(diagnostic, place=replace(diagnostic.place, file=there))

    return [named(diagnostic) for diagnostic in diagnostics]


def show_findings(diagnostics: Sequence[Diagnostic], form: str, folder: Path | None = None) -> None:
    """Show findings in order on standard output, as text or as annotations; JSON is shown with its result.

    Their places are in `folder`, the spec's, where it is given.
    """
    ordered = in_order(diagnostics)
    if folder is not None:
        ordered = from_here(ordered, folder)
    if form == Format.GITHUB:
        from evalspec.cli.render.github import annotation

        for diagnostic in ordered:
            typer.echo(annotation(diagnostic))
    elif form == Format.TEXT:
        print_diagnostics(stdout(), ordered)


def exit_code(diagnostics: Sequence[Diagnostic]) -> Exit:
    """What the findings make of the exit code: those that keep a command from running at all come first."""
    errors = [d for d in diagnostics if d.severity is Severity.ERROR]
    if any(d.code in CANNOT_RUN_CODES for d in errors):
        return Exit.CANNOT_RUN
    return Exit.FINDINGS if errors else Exit.CLEAN


CANNOT_RUN_CODES = frozenset(
    {"ES001", "ES009", "ES503", "ES504", "ES505", "ES506", "ES507", "ES508", "ES510", "ES511", "ES515", "ES521"}
)
"""Findings after which nothing could be judged: unreadable files, no key, a held folder, bad usage."""


def fail(command: str, diagnostics: Sequence[Diagnostic], form: str, folder: Path | None = None) -> NoReturn:
    """Show why a command ends here, and end it; `folder` is the spec's, where the findings are in it."""
    code = exit_code(diagnostics)
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document(command, code, in_order(diagnostics)))
    else:
        show_findings(diagnostics, form if form != CheckFormat.JUNIT else Format.TEXT, folder)
    raise typer.Exit(code)


def counted(number: object, noun: str) -> str:
    """A number with its noun: `1 record`, `2,910 records`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def usage(message: str, where: str, hint: str = "") -> Diagnostic:
    """A finding about what was asked on the command line."""
    return found("ES515", message, Place(where if Path(where).exists() else "command line"), hint=hint)
