"""The command line: what commands there are, and how a program of ours ends."""

import gc
import os
import sys
from typing import Annotated

import typer

from evalspec.cli.assemble import assemble
from evalspec.cli.bench import app as bench
from evalspec.cli.card import card
from evalspec.cli.check import check
from evalspec.cli.compile import compile_spec
from evalspec.cli.diff import diff
from evalspec.cli.doctor import doctor
from evalspec.cli.explain import explain
from evalspec.cli.init import init
from evalspec.cli.quickstart import quickstart
from evalspec.cli.review import review
from evalspec.cli.run import run
from evalspec.cli.scrape import scrape
from evalspec.cli.streams import open_stream

app = typer.Typer(
    name="evalspec",
    help="Compile evaluation datasets: YAML in, a typed plan, a filled and proven dataset out.",
    epilog="Exit codes: 0 clean · 1 findings · 2 cannot run · 130 interrupted, resumable.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for name, command in (
    ("quickstart", quickstart),
    ("init", init),
    ("compile", compile_spec),
    ("diff", diff),
    ("explain", explain),
    ("scrape", scrape),
    ("doctor", doctor),
    ("run", run),
    ("assemble", assemble),
    ("check", check),
    ("review", review),
    ("card", card),
):
    app.command(name)(command)
app.add_typer(bench, name="bench")


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"evalspec {version('evalspec-compiler')}")
        raise typer.Exit


@app.callback()
def _evalspec(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    del version


def main() -> None:
    """Run the command line; a fault of ours is one line unless EVALSPEC_TRACEBACK asks for more."""
    sys.stdout, sys.stderr = open_stream(sys.stdout), open_stream(sys.stderr, OSError)  # progress may be lost
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        if os.environ.get("EVALSPEC_TRACEBACK"):
            raise
        from evalspec.cli.render.text import visible

        where = f"{visible(str(error.filename))}: " if error.filename else ""
        typer.echo(f"evalspec: cannot read or write: {where}{error.strerror or 'the system refused'}", err=True)
        sys.exit(2)
    except Exception as error:
        if os.environ.get("EVALSPEC_TRACEBACK"):
            raise
        where = f"{type(error).__name__} in {_innermost(error)}"
        typer.echo(f"evalspec: internal error ({where}). Set EVALSPEC_TRACEBACK=1 to see it whole.", err=True)
        sys.exit(2)
    finally:
        gc.freeze()  # Python's last collections would walk the whole plan, and free nothing that ends otherwise


def _innermost(error: BaseException) -> str:
    """The module and line that raised; never the message, which may hold data."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "?"
    return f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"
