"""evalspec assemble: the release again from the journal, without a call."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from evalspec.cli.refresh import keep_larger
from evalspec.cli.shared import Exit, Format, counted, exit_code, fail, show_findings, stderr, stdout, usage
from evalspec.cli.workspace import open_plan

PlanArgument = Annotated[Path, typer.Argument(help="A plan, or the spec folder that it lies in.", metavar="[PLAN]")]


def assemble(
    plan: PlanArgument = Path(),
    provider: Annotated[
        str | None, typer.Option(help="Whose replies count; by default the provider that ran last.")
    ] = None,
    stale: Annotated[bool, typer.Option("--stale", help="Use the plan although the spec changed since.")] = False,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Make the release again from what the journal holds; no model is called.

    Example: evalspec assemble my-eval
    """
    from evalspec.cli.embedding import embedding
    from evalspec.outputs.assemble import AssembleOptions
    from evalspec.outputs.assemble import assemble as make
    from evalspec.runtime.journaling import JournalError, held

    opened = open_plan("assemble", plan, form, stale=stale)
    try:
        with held(opened.folder, stderr().print), embedding(stderr(), quiet=form != Format.TEXT) as watch:
            of = provider_of("assemble", opened.folder, provider, form)
            dry = make(opened.plan, opened.folder, AssembleOptions(write=False, provider=of, watch=watch))
            if not dry.records:
                hint = "fill the plan first: evalspec run plan.json"
                fail("assemble", [usage("the journal holds no record of this plan", str(opened.path), hint)], form)
            aside = keep_larger(opened.release, opened.folder, dry.records)
            made = make(opened.plan, opened.folder, AssembleOptions(final=True, provider=of, watch=watch))
    except JournalError as error:
        fail("assemble", [error.diagnostic], form)
    made = replace(made, diagnostics=(*made.diagnostics, *filter(None, [aside])))
    code = exit_code(made.diagnostics)
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(
            document("assemble", code, made.diagnostics, records=made.records, release=str(made.release_dir or ""))
        )
    else:
        show_findings(made.diagnostics, form, opened.folder)
        if code != Exit.CANNOT_RUN:
            stdout().print(f"{counted(made.records, 'record')} in {made.release_dir}")
    raise typer.Exit(code)


def provider_of(command: str, folder: Path, named: str | None, form: str) -> str | None:
    """Whose replies count: those of the provider that is `named`, or that filled last; None where nobody did.

    Ends the command where replies are there and none is of the one that is named. Raises JournalError.
    """
    from evalspec.runtime.journaling import read_journal
    from evalspec.spec.journal import AttemptLine, without_reply

    lines = reversed(read_journal(folder, without_reply).lines)
    filled = (x.provider for x in lines if isinstance(x, AttemptLine) and x.outcome == "accepted")
    there = list(dict.fromkeys(filled))
    if named is not None and there and named not in there:
        hint = f"those that are there are of {', '.join(there)}"
        fail(command, [usage(f"the journal holds no reply of {named}", "--provider", hint)], form)
    return named or next(iter(there), None)
