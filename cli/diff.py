"""evalspec diff: what a change of the spec does to the plan, and what would be bought again."""

from pathlib import Path
from typing import Annotated

import typer

from evalspec.cli.shared import Exit, Format, stdout
from evalspec.cli.workspace import open_plan


def diff(
    old: Annotated[Path, typer.Argument(help="A plan.", metavar="OLD")],
    new: Annotated[Path, typer.Argument(help="Another plan.", metavar="NEW")],
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Show which slots appear, vanish or change between two plans, and what would be bought again.

    Example: evalspec diff plan.json new.json
    """
    from evalspec.compiler import difference

    before, after = open_plan("diff", old, form), open_plan("diff", new, form)
    found = difference.diff(before.plan, after.plan)
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("diff", Exit.CLEAN, [], difference=found))
        return
    from evalspec.cli.render.previews import print_difference

    print_difference(stdout(), found)
