"""The command line: what commands there are, and how a program of ours ends."""

import gc
import os
import sys
from importlib import import_module
from itertools import pairwise
from typing import Annotated

import typer

COMMANDS = {
    "quickstart": "quickstart",
    "init": "init",
    "compile": "compile_spec",
    "diff": "diff",
    "explain": "explain",
    "scrape": "scrape",
    "doctor": "doctor",
    "run": "run",
    "assemble": "assemble",
    "check": "check",
    "review": "review",
    "card": "card",
    "bench": "app",
}
"""Each command, in the order in which they are shown, and its function or group in the module of its name."""


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"evalspec {version('evalspec-compiler')}")
        raise typer.Exit


def _evalspec(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    del version


def make_app(named: str = "") -> typer.Typer:
    """The command line with the command that is `named` alone, or with all of them where none of them is."""
    app = typer.Typer(
        name="evalspec",
        help="Compile evaluation datasets: YAML in, a typed plan, a filled and proven dataset out.",
        epilog="Exit codes: 0 clean · 1 findings · 2 cannot run · 130 interrupted, resumable.",
        no_args_is_help=True,
        rich_markup_mode=None,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_evalspec)
    for name in [named] if named in COMMANDS else COMMANDS:
        found = getattr(import_module(f"evalspec.cli.{name}"), COMMANDS[name])
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
    return app


def main() -> None:
    """Run the command line; a fault of ours is one line unless EVALSPEC_TRACEBACK asks for more."""
    from evalspec.cli.interrupt import heed_interrupts, interrupted, no_longer
    from evalspec.cli.streams import open_stream

    try:
        heed_interrupts()
        sys.stdout, sys.stderr = open_stream(sys.stdout), open_stream(sys.stderr, OSError)  # progress may be lost
        _run(make_app("".join(sys.argv[1:2])))
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        if interrupted():
            sys.exit(130)
        if os.environ.get("EVALSPEC_TRACEBACK"):
            raise
        from evalspec.cli.render.text import visible

        where = visible(str(error.filename)) if error.filename else ""
        said = f"cannot read or write{': ' * bool(where)}{where}: {error.strerror or 'the system refused'}"
        typer.echo(f"evalspec: {said}", err=True)
        _say_as_json(said, where or "command line")
        sys.exit(2)
    except Exception as error:
        if interrupted():
            sys.exit(130)
        if os.environ.get("EVALSPEC_TRACEBACK"):
            raise
        where = f"{type(error).__name__} in {_innermost(error)}"
        typer.echo(f"evalspec: internal error ({where}). Set EVALSPEC_TRACEBACK=1 to see it whole.", err=True)
        sys.exit(2)
    finally:
        no_longer()
        gc.freeze()  # Python's last collections would walk the whole plan, and free nothing that ends otherwise


def _run(app: typer.Typer) -> None:
    """Run what the arguments say; where they are wrong and JSON is asked for, that is a document too."""
    try:
        code = app(standalone_mode=False)
    except typer.Abort:  # Ctrl-C or Ctrl-D where something was asked
        typer.echo("Aborted!", err=True)
        code = 130
    except Exception as error:
        if not hasattr(error, "format_message"):  # none of typer's
            raise
        error.show()  # type: ignore[attr-defined] # UsageError, which typer does not export
        _say_as_json(error.format_message(), "command line")
        code = 2
    sys.exit(code)


def _say_as_json(message: str, where: str) -> None:
    """Why nothing was done, as a document too, where JSON is asked for."""
    arguments = sys.argv[1:]
    if "--format=json" in arguments or ("--format", "json") in pairwise(arguments):
        from evalspec.cli.render.json import document
        from evalspec.cli.shared import usage

        command = arguments[0] if arguments[0] in COMMANDS else ""
        typer.echo(document(command, 2, [usage(message, where)]))


def _innermost(error: BaseException) -> str:
    """The module and line that raised; never the message, which may hold data."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "?"
    return f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"
