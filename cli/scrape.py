"""evalspec scrape: fetch the sources of the network into data/raw/, and say what they gave."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalspec.cli.shared import Exit, Format, exit_code, fail, show_findings, stderr, stdout, usage
from evalspec.cli.workspace import PlanFile, is_plan, open_plan, require_folder, spec_folder
from evalspec.spec.diagnostic import Diagnostic, in_order

if TYPE_CHECKING:
    from evalspec.runtime.events import SourceProgress
    from evalspec.runtime.sources import Document, Skipped
    from evalspec.spec.plan import Plan


def scrape(
    target: Annotated[
        Path, typer.Argument(help="A plan, or a spec, whose sources are fetched.", metavar="[PLAN|SPEC]")
    ] = Path(),
    anew: Annotated[bool, typer.Option("--anew", help="Fetch again what data/raw/ holds.")] = False,
    stale: Annotated[bool, typer.Option("--stale", help="Use the plan although the spec changed since.")] = False,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Fetch the text of web pages and interfaces into data/raw/; what is there already is not fetched again.

    `evalspec run` does the same before it fills, unless --no-scrape is given.

    Examples: evalspec scrape · evalspec scrape my-eval · evalspec scrape plan.json --anew
    """
    from evalspec.runtime.journaling import JournalError, held

    plan, folder = _target(target, form, stale=stale)
    counts: dict[str, SourceProgress] = {}
    documents: list[Document] = []
    skipped: list[Skipped] = []
    try:
        with held(folder, stderr().print), _showing(counts, quiet=form != Format.TEXT) as report:
            _fetch(plan, folder, anew, report, documents, skipped)
    except JournalError as error:
        fail("scrape", [error.diagnostic], form)
    except KeyboardInterrupt:
        if form == Format.TEXT:
            stdout().print("stopped: what was fetched is in data/raw, and the same command goes on from there")
        elif form == Format.JSON:
            _echo_json(Exit.INTERRUPTED, [], counts, documents, [])
        raise typer.Exit(Exit.INTERRUPTED) from None
    found = _findings(plan, documents, skipped)
    code = exit_code(found)
    rows = _chunk_rows(plan, documents)
    if form == Format.JSON:
        _echo_json(code, found, counts, documents, rows)
    else:
        show_findings(found, form)
        if form == Format.TEXT:
            _tables(counts, rows)
    raise typer.Exit(code)


def _target(target: Path, form: str, *, stale: bool) -> tuple["Plan", Path]:
    """The plan that is named, or the one that a spec compiles to; the latter is not written."""
    if is_plan(target):
        opened: PlanFile = open_plan("scrape", target, form, stale=stale)
        return opened.plan, opened.folder
    from evalspec.compiler.compile import Options, compile_spec

    folder = spec_folder(target)
    require_folder("scrape", folder, form)
    options = Options(domain=None, dimension=None, limit=None, version=None, mode=None, strict=False)
    compiled = compile_spec(folder, options)
    if compiled.plan is None:
        fail("scrape", compiled.diagnostics, form)
    return compiled.plan, folder


def _fetch(
    plan: "Plan",
    folder: Path,
    anew: bool,
    report: Callable[["SourceProgress"], None],
    documents: list["Document"],
    skipped: list["Skipped"],
) -> None:
    from evalspec.runtime.sources import Document
    from evalspec.runtime.sources.live import LiveSource

    for item in LiveSource(plan, folder, True, anew=anew, report=report).documents():
        if isinstance(item, Document):
            documents.append(item)
        else:
            skipped.append(item)


@contextmanager
def _showing(counts: dict[str, "SourceProgress"], *, quiet: bool) -> Iterator[Callable[["SourceProgress"], None]]:
    """Give a function that keeps the counts of each source and shows them until the block ends."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from evalspec.cli.progress import SourceLines, SourceRows

    shown: Callable[[SourceProgress], None] | None = None

    def take(event: "SourceProgress") -> None:
        counts[event.source] = event
        if shown is not None:
            shown(event)

    console = stderr()
    if quiet:
        yield take
    elif console.is_terminal:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description:<18}"),
            TextColumn("{task.fields[said]}"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=console, transient=True) as progress:
            shown = SourceRows(progress).take
            yield take
    else:
        shown = SourceLines(console).take
        yield take


def _findings(plan: "Plan", documents: Sequence["Document"], skipped: Sequence["Skipped"]) -> list[Diagnostic]:
    from evalspec.runtime.findings import nothing_fetched
    from evalspec.runtime.findings import skipped as of_skipped
    from evalspec.runtime.sources.live import enabled

    if not enabled(plan):
        hint = "enable wikipedia, web_sources or apis in source_config.yaml; a corpus is read from disk as it is"
        return [usage("the spec has no source to fetch", "source_config.yaml", hint)]
    found = of_skipped(plan, skipped)
    return found if documents else [*found, nothing_fetched()]


def _echo_json(
    code: Exit,
    found: list[Diagnostic],
    counts: "dict[str, SourceProgress]",
    documents: Sequence["Document"],
    rows: list[dict[str, object]],
) -> None:
    from evalspec.cli.render.json import document

    data = {"sources": list(counts.values()), "documents": len(documents), "chunks": rows}
    typer.echo(document("scrape", code, in_order(found), **data))


def _chunk_rows(plan: "Plan", documents: Sequence["Document"]) -> list[dict[str, object]]:
    """How many chunks there are for each domain and geography of the plan."""
    from evalspec.runtime.chunks import chunks_of

    domains = [quota.name for quota in plan.allocation.domains]
    geographies = [quota.name for quota in plan.allocation.geographies]
    count: Counter[tuple[str, str]] = Counter()
    for chunk in chunks_of(documents):
        count.update(
            {
                (d, g)
                for cells in chunk.serves
                for d in cells.domains or domains
                for g in cells.geographies or geographies
            }
        )
    return [{"domain": domain, **{g: count[domain, g] for g in geographies}} for domain in domains]


def _tables(counts: dict[str, "SourceProgress"], rows: Sequence[dict[str, object]]) -> None:
    from evalspec.cli.render.text import table

    if not counts:
        return
    columns = ("source", "fetched", "failed", "from data/raw", "of use")
    lines = [
        (name, row.fetched, row.failed, row.kept, row.fetched + row.kept - row.skipped) for name, row in counts.items()
    ]
    stdout().print(table("Sources", columns, lines))
    stdout().print()
    stdout().print(table("Chunks", list(rows[0]), [list(row.values()) for row in rows]))
