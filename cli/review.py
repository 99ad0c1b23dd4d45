"""evalspec review: a release as local pages, for the person who signs it."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from evalspec.cli.shared import Exit, Format, fail, usage
from evalspec.cli.workspace import PLAN_NAME, PlanFile, is_plan, open_plan, spec_folder

if TYPE_CHECKING:
    from evalspec.outputs.review.desk import Chunk, ChunkOf, Desk


def review(
    target: Annotated[
        Path, typer.Argument(help="A spec folder, or a folder with a release.", metavar="[DIR]")
    ] = Path(),
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open the page.")] = True,
    form: Annotated[Format, typer.Option("--format", help="How to say where the page is.")] = Format.TEXT,
) -> None:
    """Look at a release in the browser and accept, reject or note its groups; Ctrl-C ends it.

    The page is served to this machine only. Verdicts are kept in review.yaml beside the spec: the next run makes
    rejected groups again, and check counts them.

    Examples: evalspec review · evalspec review my-eval --no-browser · evalspec review some-dataset --port 8000
    """
    from evalspec.outputs.review import desk
    from evalspec.outputs.review.catalog import CatalogError
    from evalspec.outputs.review.decisions import ReviewError
    from evalspec.outputs.review.replies import RepliesError

    release, opened = _what_to_review(target, form)
    with ExitStack() as stack:
        try:
            plan, folder = (opened.plan, opened.folder) if opened else (None, None)
            shown = stack.enter_context(desk.opened(release, plan, folder, _chunks(opened)))
        except CatalogError as error:
            fail("review", [usage(str(error), str(release), "make it anew: evalspec assemble")], form)
        except (RepliesError, ReviewError) as error:
            fail("review", [error.diagnostic], form)
        _serve(shown, port, browser, form)


def _what_to_review(target: Path, form: str) -> tuple[Path, PlanFile | None]:
    """The folder of the release, and its plan where there is one."""
    from evalspec.outputs.writers import parquet

    folder = spec_folder(target)
    path = folder if is_plan(folder) else folder / PLAN_NAME
    opened = open_plan("review", path, form) if path.is_file() or is_plan(folder) else None
    release = opened.release if opened else folder
    if not (release / parquet.NAME).is_file():
        hint = "fill the plan first (evalspec run), or name a folder that holds it"
        fail("review", [usage(f"there is no {parquet.NAME} in {release}", str(release), hint)], form)
    return release, opened


def _chunks(opened: PlanFile | None) -> "ChunkOf":
    """Finds source texts by their digest; they are read when the first is asked for, and nothing is fetched."""
    from functools import lru_cache

    @lru_cache(maxsize=1)
    def all_chunks() -> "dict[str, Chunk]":
        from evalspec.outputs.review.desk import Chunk
        from evalspec.runtime.chunks import chunks_of
        from evalspec.runtime.sources import Document, make_sources

        if opened is None:
            return {}
        sources = make_sources(opened.plan, opened.folder, scrape=False)
        items = [item for source in sources for item in source.documents()]
        chunks = chunks_of(item for item in items if isinstance(item, Document))
        return {chunk.digest: Chunk(chunk.title, chunk.document, chunk.text) for chunk in chunks}

    return lambda digest: all_chunks().get(digest)


def _serve(shown: "Desk", port: int, browser: bool, form: str) -> NoReturn:
    """Serve until Ctrl-C."""
    from evalspec.outputs.review.server import Server

    try:
        server = Server(shown, port)
    except OSError as error:
        reason = f"cannot listen on port {port}: {error.strerror}"
        fail("review", [usage(reason, "--port", "leave it out: a free port is taken")], form)
    with server:
        try:
            _say(server.address, form)
            if browser:
                _open(server.address)
            server.serve_forever()
        except KeyboardInterrupt:
            pass
    raise typer.Exit(Exit.CLEAN)


def _say(address: str, form: str) -> None:
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("review", Exit.CLEAN, [], address=address))
    else:
        typer.echo(f"{address} (Ctrl-C ends it)")
    sys.stdout.flush()


def _open(address: str) -> None:
    """Open the page beside the server: some browsers hold the caller until they end."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
