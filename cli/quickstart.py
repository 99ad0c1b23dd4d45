"""evalspec quickstart: from nothing to a checked dataset, with no key and no network."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from evalspec.cli.check import judge, show_verdict
from evalspec.cli.compile import show_preview
from evalspec.cli.init import write_spec
from evalspec.cli.run import RunOptions, compiled_plan, fill_plan
from evalspec.cli.shared import Exit, Format, exit_code, show_findings, stdout
from evalspec.spec.diagnostic import in_order


def quickstart(
    directory: Annotated[Path, typer.Argument(help="The folder to make.", metavar="DIR")],
    origin: Annotated[str, typer.Option("--from", help="Which shipped spec to copy.", metavar="NAME")] = "bfsi",
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Make a spec folder, compile it, fill it with the embedded provider, and check the result.

    Example: evalspec quickstart my-eval
    """
    text = form == Format.TEXT
    _say(text, f"evalspec init {directory} --from {origin}")
    written = write_spec(directory, origin, form)
    _say(text, f"evalspec compile {directory}", f"{len(written)} files written")
    opened = compiled_plan(directory, form)
    path = opened.path
    if text:
        show_preview(opened.plan, path, form)
    _say(text, f"evalspec run {path} --provider embedded")
    code, found, data = fill_plan(opened, RunOptions(provider="embedded"), form)
    if code in (Exit.CLEAN, Exit.FINDINGS):
        _say(text, f"evalspec check {directory}")
        report = judge(opened.release, opened.plan, opened.folder, quiet=form != Format.TEXT)
        found = [d for d in found if d.code != "ES513"] + list(report.diagnostics)
        code = max(code, exit_code(found))
        data["criteria"] = list(report.rows)
        if text:
            show_findings(found, form, directory)
            show_verdict(report)
            stdout().print(f"\nThe dataset is in {opened.release}; the spec to edit is {directory}.")
    elif text:
        show_findings(found, form, directory)
        stdout().print(f"\nTo go on: evalspec run {quote(str(path))} --provider embedded")
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("quickstart", code, in_order(found), folder=str(directory), **data))
    raise typer.Exit(code)


def _say(text: bool, command: str, result: str = "") -> None:
    if not text:
        return
    if result:
        stdout().print(result)
    stdout().print(f"\n$ {command}", style="bold")
