"""evalspec bench lint: what is wrong with a suite, before anything is asked."""

from pathlib import Path
from typing import Annotated

import typer

from evalspec.cli.shared import Exit, Format, counted, exit_code, show_findings, stdout
from evalspec.spec.diagnostic import Severity, in_order

_UNREAD = frozenset({"ES701", "ES705", "ES744"})
"""Findings after which no suite was linted: none is there, none of its cases is asked for, settings are unusable."""


def lint(
    suite: Annotated[Path, typer.Argument(help="A suite: a file, or a folder of them.", metavar="SUITE")],
    policies: Annotated[Path | None, typer.Option(help="The policies of a support suite.")] = None,
    filters: Annotated[list[str] | None, typer.Option("--filter", help="KEY=VALUE: only cases that have it.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Make warnings errors.")] = False,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Read a suite and say everything that is wrong with it, with places; ask nothing.

    Examples: evalspec bench lint suite.yaml · evalspec bench lint eval/triage/tickets.jsonl --strict
    """
    from evalspec.bench.preparing import Wanted, read
    from evalspec.cli.render.text import say

    read_in, found = read(Wanted(suite=suite, policies=policies, filters=tuple(filters or ())), Path())
    if strict:
        from evalspec.spec.diagnostic import strict as stricter

        found = tuple(stricter(found))
    unread = any(d.code in _UNREAD for d in found if d.severity is Severity.ERROR)
    code = Exit.CANNOT_RUN if unread else exit_code(found)
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        shown = None
        if read_in is not None:
            names = {"name": read_in.name, "format": read_in.format, "module": read_in.module}
            shown = {**names, "cases": len(read_in.cases), "draft": list(read_in.draft), "digest": read_in.digest}
        typer.echo(document("bench lint", code, in_order(found), suite=shown))
        raise typer.Exit(code)
    show_findings(found, form)
    if read_in is not None and form == Format.TEXT:
        checks = sum(len(turn.checks) for case in read_in.cases for turn in case.turns)
        said = f"{read_in.name} ({read_in.format}): {counted(len(read_in.cases), 'case')}, {counted(checks, 'check')}"
        say(stdout(), said)
        for reason in read_in.draft:
            say(stdout(), f"draft: {reason}")
    raise typer.Exit(code)
