"""evalspec bench example: the shipped suites, copied to start from."""

from pathlib import Path
from typing import Annotated

import typer

from evalspec.cli.shared import Exit, Format, counted, fail, stdout, usage


def example(
    name: Annotated[str | None, typer.Argument(help="Which one; without it they are listed.", metavar="[NAME]")] = None,
    directory: Annotated[Path | None, typer.Argument(help="The folder to make.", metavar="[DIR]")] = None,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Copy a shipped suite with its target into a folder, or list what there is.

    Examples: evalspec bench example · evalspec bench example support my-bot
    """
    from evalspec.bench import shipped

    known = dict(shipped.names())
    if name is None:
        _list(known, form)
        return
    if name not in known:
        fail("bench example", [usage(f"there is no example {name!r}", name, _near(name, known))], form)
    from evalspec.cli.render.text import say

    folder = directory or Path(name)
    try:
        files = shipped.copy(name, folder)
    except FileExistsError as error:
        hint = "name another folder: nothing is written over"
        fail("bench example", [usage(f"{error} is there already", str(folder), hint)], form)
    except OSError as error:
        from evalspec.runtime.journaling import not_writable

        fail("bench example", [not_writable(folder, error)], form)
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        shown = {"folder": str(folder), "files": [str(path) for path in files]}
        typer.echo(document("bench example", Exit.CLEAN, [], **shown))
        return
    say(stdout(), f"{counted(len(files), 'file')} written to {folder}", whole=True)
    if (folder / "README.md").is_file():
        say(stdout(), f"next: {folder / 'README.md'} says how it is run", whole=True)


def _near(name: str, known: dict[str, str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"


def _list(known: dict[str, str], form: str) -> None:
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("bench example", Exit.CLEAN, [], examples=known))
        return
    from evalspec.cli.render.text import table

    stdout().print(table("Examples", ("name", "what it is"), known.items()))
