"""evalspec assemble and evalspec card: the release again from the journal, without a call."""

from pathlib import Path
from typing import Annotated

import typer

from evalspec.cli.shared import Exit, Format, exit_code, show_findings, stdout
from evalspec.cli.workspace import open_plan

PlanArgument = Annotated[Path, typer.Argument(help="A plan, or the spec folder that it lies in.", metavar="[PLAN]")]


def assemble(
    plan: PlanArgument = Path(),
    stale: Annotated[bool, typer.Option("--stale", help="Use the plan although the spec changed since.")] = False,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Make the release again from what the journal holds; no model is called.

    Example: evalspec assemble my-eval
    """
    from evalspec.outputs.assemble import AssembleOptions
    from evalspec.outputs.assemble import assemble as make

    opened = open_plan("assemble", plan, form, stale=stale)
    made = make(opened.plan, opened.folder, AssembleOptions(write=True, final=True))
    code = exit_code(made.diagnostics)
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(
            document("assemble", code, made.diagnostics, records=made.records, release=str(made.release_dir or ""))
        )
    else:
        show_findings(made.diagnostics, form)
        if code != Exit.CANNOT_RUN:
            stdout().print(f"{made.records:,} records in {made.release_dir}")
    raise typer.Exit(code)
