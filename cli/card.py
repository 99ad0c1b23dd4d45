"""evalspec card: the card of a release again, without touching its data."""

from pathlib import Path
from typing import Annotated

import typer

from evalspec.cli.assemble import PlanArgument, provider_of
from evalspec.cli.shared import Exit, Format, counted, exit_code, fail, show_findings, stdout
from evalspec.cli.workspace import open_plan


def card(
    plan: PlanArgument = Path(),
    provider: Annotated[
        str | None, typer.Option(help="Whose replies the release holds; by default the provider that ran last.")
    ] = None,
    stale: Annotated[bool, typer.Option("--stale", help="Use the plan although the spec changed since.")] = False,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Make README.md and its figures again from the release as it is; the data are not touched.

    What `card` in generation_config.yaml says is compiled into the plan: compile first where it changed.

    Example: evalspec card my-eval
    """
    from evalspec.outputs.recard import make_card
    from evalspec.runtime.journaling import JournalError, held

    opened = open_plan("card", plan, form, stale=stale)
    try:
        with held(opened.folder):
            of = provider_of("card", opened.folder, provider, form)
            made = make_card(opened.plan, opened.folder, of)
    except JournalError as error:
        fail("card", [error.diagnostic], form)
    code = exit_code(made.diagnostics)
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("card", code, made.diagnostics, card=str(made.card or ""), records=made.records))
    else:
        show_findings(made.diagnostics, form)
        if code != Exit.CANNOT_RUN:
            stdout().print(f"{made.card} of {counted(made.records, 'record')}")
    raise typer.Exit(code)
