"""evalspec run: fill the slots of a plan, assemble the release, and never lose or buy again what was paid for."""

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from evalspec.cli.shared import Exit, Format, exit_code, fail, show_findings, stderr, stdout, usage
from evalspec.cli.workspace import PlanFile, is_plan, open_plan, require_folder, spec_folder
from evalspec.spec.diagnostic import Diagnostic, in_order

if TYPE_CHECKING:
    from evalspec.cli.loop import LoopResult
    from evalspec.spec.config import ProviderName

PROVIDERS = ("openai", "anthropic", "mistral", "custom", "local", "embedded", "replay")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a user asked of a run."""

    provider: str | None = None
    mode: str | None = None
    limit: int | None = None
    concurrency: int | None = None
    dry_run: bool = False
    scrape: bool | None = None
    stale: bool = False


def run(
    target: Annotated[
        Path, typer.Argument(help="A plan to fill, or a spec to compile, fill and check.", metavar="[PLAN|SPEC]")
    ] = Path(),
    provider: Annotated[str | None, typer.Option(help="Who fills, in place of the config's provider.")] = None,
    mode: Annotated[str | None, typer.Option(help="full_refresh or incremental, in place of the plan's.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Fill at most N open groups, then stop.")] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, max=1024, help="Calls in flight at most.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Fill and validate; write no release.")] = False,
    scrape: Annotated[bool | None, typer.Option("--scrape/--no-scrape", help="Whether to fetch sources first.")] = None,
    domain: Annotated[str | None, typer.Option(help="With SPEC: only this domain.")] = None,
    dimension: Annotated[str | None, typer.Option(help="With SPEC: only this dimension.")] = None,
    version: Annotated[str | None, typer.Option(help="With SPEC: dataset version.")] = None,
    stale: Annotated[bool, typer.Option("--stale", help="Use the plan although the spec changed since.")] = False,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Fill a plan's slots and assemble the release; given a spec, compile it first and check after.

    A run that was stopped goes on where it was. With nothing named, the spec of this folder is compiled, filled and
    checked.

    Examples: evalspec run --provider embedded · evalspec run my-eval · evalspec run plan.json --limit 20 --dry-run
    """
    options = RunOptions(provider, mode, limit, concurrency, dry_run, scrape, stale)
    _refuse_bad(options, form)
    whole = not is_plan(target)
    if whole:
        plan_path = compiled_plan(spec_folder(target), form, domain=domain, dimension=dimension, version=version)
        opened = open_plan("run", plan_path, form)
    else:
        _no_filters(domain, dimension, version, form)
        opened = open_plan("run", target, form, stale=stale)
    code, found, data = fill_plan(opened, options, form)
    if whole and not dry_run and code in (Exit.CLEAN, Exit.FINDINGS) and data.get("release"):
        from evalspec.cli.check import judge, show_verdict

        report = judge(opened.release, opened.plan, opened.folder)
        found += report.diagnostics
        code = max(code, exit_code(found))
        data["criteria"] = list(report.rows)
        if form == Format.TEXT:
            show_findings(found, form)
            show_verdict(report)
    elif form == Format.TEXT:
        show_findings(found, form)
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("run", code, in_order(found), **data))
    elif form == Format.GITHUB:
        show_findings(found, form)
    raise typer.Exit(code)


def _refuse_bad(options: RunOptions, form: str) -> None:
    wrong = []
    if options.provider is not None and options.provider not in PROVIDERS:
        wrong.append(
            usage(f"there is no provider {options.provider!r}", "--provider", f"one of: {', '.join(PROVIDERS)}")
        )
    if options.mode is not None and options.mode not in ("full_refresh", "incremental"):
        wrong.append(usage(f"there is no mode {options.mode!r}", "--mode", "full_refresh or incremental"))
    if wrong:
        fail("run", wrong, form)


def _no_filters(domain: str | None, dimension: str | None, version: str | None, form: str) -> None:
    for name, value in (("--domain", domain), ("--dimension", dimension), ("--version", version)):
        if value is not None:
            hint = f"compile a partial plan: evalspec compile {name} {value}"
            fail("run", [usage(f"{name} filters a spec, and a plan is already decided", name, hint)], form)


def compiled_plan(
    folder: Path, form: str, *, domain: str | None = None, dimension: str | None = None, version: str | None = None
) -> Path:
    """Compile the spec in `folder` and write its plan there; ends the command where the spec has errors."""
    from evalspec.compiler.compile import Options, compile_spec
    from evalspec.spec.planfile import PLAN_NAME, write

    require_folder("run", folder, form)
    options = Options(domain=domain, dimension=dimension, limit=None, version=version, mode=None, strict=False)
    compiled = compile_spec(folder, options)
    if compiled.plan is None:
        fail("run", compiled.diagnostics, form)
    path = folder / PLAN_NAME
    try:
        write(compiled.plan, path)
    except OSError as error:
        fail("run", [usage(f"cannot write {path}: {error.strerror}", str(path))], form)
    return path


def fill_plan(opened: PlanFile, options: RunOptions, form: str) -> tuple[Exit, list[Diagnostic], dict[str, object]]:
    """Run the loop on a plan; gives the exit code, the findings, and figures for programs."""
    from evalspec.runtime.journaling import JournalError, held

    try:
        with held(opened.folder):
            return _fill_held(opened, options, form)
    except JournalError as error:
        return exit_code([error.diagnostic]), [error.diagnostic], {}
    except KeyboardInterrupt:
        if form == Format.TEXT:
            _summary({}, Exit.INTERRUPTED, options)
        return Exit.INTERRUPTED, [], _figures(None, options.provider or "", 0.0)


def _fill_held(opened: PlanFile, options: RunOptions, form: str) -> tuple[Exit, list[Diagnostic], dict[str, object]]:
    from evalspec.cli.loop import run_loop
    from evalspec.cli.progress import showing
    from evalspec.runtime.events import FillOptions

    provider = options.provider or opened.plan.generation_model.provider
    if options.mode == "full_refresh":
        refused = _set_aside(opened, keep_raw=options.scrape is False or provider == "embedded")
        if refused is not None:
            return exit_code([refused]), [refused], {}
    fill_options = FillOptions(
        provider=cast("ProviderName | None", options.provider),
        limit=options.limit,
        scrape=options.scrape if options.scrape is not None else provider != "embedded",
        concurrency=options.concurrency,
    )
    began = time.monotonic()
    with showing(stderr(), quiet=form != Format.TEXT) as events:
        result = run_loop(opened.plan, opened.folder, fill_options, events, write=not options.dry_run)
    found = list(result.diagnostics)
    code = Exit.INTERRUPTED if result.fill.stopped == "interrupted" else exit_code(found)
    data = _figures(result, provider, time.monotonic() - began)
    if form == Format.TEXT:
        _summary(data, code, options)
    return code, found, data


def _figures(result: "LoopResult | None", provider: str, seconds: float) -> dict[str, object]:
    """What a run came to, for programs."""
    assembled = result.assembled if result else None
    return {
        "provider": provider,
        "groups_filled": result.fill.filled if result else 0,
        "calls": result.calls if result else 0,
        "usage": result.usage if result else None,
        "rounds": result.rounds if result else 0,
        "groups_refilled": result.fallen if result else 0,
        "records": assembled.records if assembled else 0,
        "open_cells": assembled.open_cells if assembled else (),
        "seconds": round(seconds, 2),
        "release": str(assembled.release_dir) if assembled and assembled.release_dir else None,
    }


def _summary(data: dict[str, object], code: Exit, options: RunOptions) -> None:
    console = stdout()
    if code == Exit.INTERRUPTED:
        console.print("stopped: what was filled is in the journal, and the same command goes on from there")
        return
    if data["release"]:
        console.print(
            f"{data['records']:,} records in {data['release']} ({data['calls']:,} calls, {data['seconds']} s)"
        )
    elif options.dry_run:
        console.print(
            f"dry run: {data['records']:,} records filled and valid, nothing written ({data['calls']:,} calls)"
        )


def _set_aside(opened: PlanFile, *, keep_raw: bool) -> Diagnostic | None:
    """Move data/ to data/previous/, replacing an older one; scraped text stays where it is with `keep_raw`."""
    data = opened.folder / "data"
    previous = data / "previous"
    try:
        if previous.exists():
            shutil.rmtree(previous)
        names = ("generated", "final") if keep_raw else ("generated", "final", "raw")
        for name in names:
            if (data / name).exists():
                previous.mkdir(parents=True, exist_ok=True)
                (data / name).rename(previous / name)
    except OSError as error:
        from evalspec.spec.diagnostic import found
        from evalspec.spec.source import Place

        return found("ES510", f"cannot move {data} aside: {error.strerror}", Place(str(data)))
    return None
