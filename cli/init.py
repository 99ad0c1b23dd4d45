"""evalspec init: write the shipped spec to a folder, to edit."""

from importlib.resources import as_file, files
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from evalspec.cli.shared import Exit, Format, fail, stdout, usage
from evalspec.spec.writing import write_folder

SHIPPED = ("bfsi",)
_IGNORE = "# keys and everything that a run makes\n.env\ndata/\n"
_ENVIRONMENT = """\
# Copy to .env and fill in. `generation_model.api_key_env` in generation_config.yaml names the variable.
GENERATION_API_KEY=
# An address that sites can reach you at; sources that ask for one are skipped without it.
EVALSPEC_CONTACT=
"""


def init(
    directory: Annotated[Path, typer.Argument(help="The folder to make.", metavar="DIR")],
    origin: Annotated[str, typer.Option("--from", help="Which shipped spec to copy.", metavar="NAME")] = "bfsi",
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Write the shipped spec to a new folder, to edit.

    Example: evalspec init my-eval
    """
    written = write_spec(directory, origin, form)
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("init", Exit.CLEAN, [], folder=str(directory), files=written))
    else:
        stdout().print(
            f"{directory}: {len(written)} files of the spec {origin}. Next: evalspec compile {quote(str(directory))}"
        )


def write_spec(directory: Path, origin: str, form: str) -> list[str]:
    """Copy a shipped spec, with a .gitignore and .env.example; ends the command where that cannot be done."""
    if origin not in SHIPPED:
        fail("init", [usage(f"there is no shipped spec {origin!r}", origin, f"shipped: {', '.join(SHIPPED)}")], form)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        is_spec = (directory / "generation_config.yaml").is_file()
        hint = f"it holds a spec: evalspec run {quote(str(directory))}" if is_spec else "name a new folder"
        fail("init", [usage(f"{directory} exists and is not empty", str(directory), hint)], form)
    written: dict[str, bytes] = {}
    try:
        with as_file(files("evalspec.spec").joinpath(origin)) as source:
            for path in sorted(source.rglob("*")):
                if path.is_file() and path.suffix in {".yaml", ".md"}:
                    written[path.relative_to(source).as_posix()] = path.read_bytes()
        written |= {".gitignore": _IGNORE.encode(), ".env.example": _ENVIRONMENT.encode()}
        write_folder(directory, written)
    except OSError as error:
        fail("init", [usage(f"cannot write to {directory}: {error.strerror}", str(directory))], form)
    return list(written)
