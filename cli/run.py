"""evalspec run: fill the slots of a plan, assemble the release, and never lose or buy again what was paid for."""

import time
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, cast

import typer

from evalspec.cli.paying import Caps, look_ahead, refuse_caps, unready, words_of
from evalspec.cli.refresh import begin_refresh, begun, end_refresh
from evalspec.cli.shared import Exit, Format, counted, exit_code, fail, show_findings, stderr, stdout, usage
from evalspec.cli.verdicts import reopen_rejected
from evalspec.cli.workspace import PLAN_NAME, PlanFile, is_plan, open_plan, require_folder, spec_folder
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, Severity, in_order
from evalspec.spec.source import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalspec.cli.loop import LoopResult
    from evalspec.runtime.events import SourceUse
    from evalspec.spec.generation import ProviderName

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
    caps: Caps = field(default_factory=Caps)


def run(
    target: Annotated[
        Path | None,
        typer.Argument(help="A plan to fill, or a spec to compile, fill and check.", metavar="[PLAN|SPEC]"),
    ] = None,
    provider: Annotated[str | None, typer.Option(help="Who fills, in place of the config's provider.")] = None,
    mode: Annotated[str | None, typer.Option(help="full_refresh or incremental, in place of the plan's.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Fill at most N open groups, then stop.")] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, max=1024, help="Calls in flight at most.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Fill and validate; write no release.")] = False,
    scrape: Annotated[bool | None, typer.Option("--scrape/--no-scrape", help="Whether to fetch sources first.")] = None,
    max_calls: Annotated[int | None, typer.Option(min=1, help="Stop before more than N calls.")] = None,
    max_cost: Annotated[float | None, typer.Option(min=0, help="Stop before more is spent.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before a run that costs money.")] = False,
    domain: Annotated[str | None, typer.Option(help="With SPEC: only this domain.")] = None,
    dimension: Annotated[str | None, typer.Option(help="With SPEC: only this dimension.")] = None,
    version: Annotated[str | None, typer.Option(help="With SPEC: dataset version.")] = None,
    stale: Annotated[bool, typer.Option("--stale", help="Use the plan although the spec changed since.")] = False,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Fill a plan's slots and assemble the release; given a spec, compile it first and check after.

    A run that was stopped goes on where it was. With nothing named, plan.json of this folder is filled; where there
    is none, the spec of this folder is compiled, filled and checked.

    Examples: evalspec run --provider embedded · evalspec run my-eval · evalspec run plan.json --limit 20 --dry-run
    """
    caps = Caps(max_calls, max_cost, yes)
    options = RunOptions(provider, mode, limit, concurrency, dry_run, scrape, stale, caps)
    _refuse_bad(options, form)
    target = target or (Path(PLAN_NAME) if Path(PLAN_NAME).exists() else Path())
    whole = not is_plan(target)
    if whole and stale:
        fail("run", [usage("--stale goes with a plan: a spec is compiled anew", "--stale", "name plan.json")], form)
    if whole:
        filters = {"domain": domain, "dimension": dimension, "version": version, "mode": mode}
        opened = compiled_plan(spec_folder(target), form, filters, write=not dry_run)
    else:
        _no_filters(domain, dimension, version, form)
        opened = _in_mode(open_plan("run", target, form, stale=stale), mode, form)
    code, found, data = fill_plan(opened, options, form)
    if whole and not dry_run and code in (Exit.CLEAN, Exit.FINDINGS) and data.get("release"):
        from evalspec.cli.check import judge, show_verdict

        report = judge(opened.release, opened.plan, opened.folder, quiet=form != Format.TEXT)
        found = [d for d in found if d.code != "ES513"] + list(report.diagnostics)
        code = max(code, exit_code(found))
        data["criteria"] = list(report.rows)
        if form == Format.TEXT:
            show_findings(found, form, opened.folder)
            show_verdict(report)
    elif form == Format.TEXT:
        show_findings(found, form, opened.folder)
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("run", code, in_order(found), **data))
    elif form == Format.GITHUB:
        show_findings(found, form, opened.folder)
    raise typer.Exit(code)


def _refuse_bad(options: RunOptions, form: str) -> None:
    wrong = []
    if options.provider is not None and options.provider not in PROVIDERS:
        wrong.append(
            usage(f"there is no provider {options.provider!r}", "--provider", f"one of: {', '.join(PROVIDERS)}")
        )
    if options.mode is not None and options.mode not in ("full_refresh", "incremental"):
        wrong.append(usage(f"there is no mode {options.mode!r}", "--mode", "full_refresh or incremental"))
    if options.dry_run and options.mode == "full_refresh":
        hint = "leave out one of them: a full refresh moves what was made to data/previous/"
        wrong.append(usage("a dry run writes nothing, and a full refresh begins by moving data", "--dry-run", hint))
    if wrong:
        fail("run", wrong, form)


def _no_filters(domain: str | None, dimension: str | None, version: str | None, form: str) -> None:
    for name, value in (("--domain", domain), ("--dimension", dimension), ("--version", version)):
        if value is not None:
            hint = f"compile a partial plan: evalspec compile {name} {value}"
            fail("run", [usage(f"{name} filters a spec, and a plan is already decided", name, hint)], form)


def _in_mode(opened: PlanFile, mode: str | None, form: str) -> PlanFile:
    """The plan with the mode that was asked for, as `evalspec compile --mode` writes it: `check` judges by it too."""
    if mode is None or mode == opened.plan.dataset.mode:
        return opened
    from evalspec.spec.planfile import write

    dataset = opened.plan.dataset.model_copy(update={"mode": mode})
    plan = opened.plan.model_copy(update={"dataset": dataset})
    try:
        write(plan, opened.path)
    except OSError as error:
        fail("run", [usage(f"cannot write {opened.path}: {error.strerror}", str(opened.path))], form)
    return PlanFile(plan, opened.path)


def compiled_plan(
    folder: Path, form: str, filters: "Mapping[str, str | None]" = MappingProxyType({}), *, write: bool = True
) -> PlanFile:
    """Compile the spec in `folder`, and write its plan there; ends the command where the spec has errors."""
    from evalspec.compiler.compile import Options, compile_spec
    from evalspec.spec import planfile

    require_folder("run", folder, form)
    domain, dimension, version, mode = (filters.get(n) for n in ("domain", "dimension", "version", "mode"))
    compiled = compile_spec(folder, Options(domain=domain, dimension=dimension, version=version, mode=mode))
    if compiled.plan is None:
        fail("run", compiled.diagnostics, form, folder)
    path = folder / PLAN_NAME
    try:
        if write:
            planfile.write(compiled.plan, path)
    except OSError as error:
        fail("run", [usage(f"cannot write {path}: {error.strerror}", str(path))], form)
    return PlanFile(compiled.plan, path)


def fill_plan(opened: PlanFile, options: RunOptions, form: str) -> tuple[Exit, list[Diagnostic], dict[str, object]]:
    """Run the loop on a plan; gives the exit code, the findings, and figures for programs."""
    from evalspec.runtime.journaling import JournalError, held

    try:
        with held(opened.folder, stderr().print):
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
    scrape = options.scrape if options.scrape is not None else provider != "embedded"
    refused = refuse_caps(opened, options.provider, options.caps)
    if refused is not None:
        return exit_code([refused]), [refused], {}
    anew = options.mode == "full_refresh" and not begun(opened)
    reopened = 0 if anew else reopen_rejected(opened, provider)
    if isinstance(reopened, Diagnostic):
        return exit_code([reopened]), [reopened], {}
    if reopened and form == Format.TEXT:
        stderr().print(f"{counted(reopened, 'rejected group')} opened again, as review.yaml says")
    ahead = look_ahead(opened, options.provider, limit=options.limit, anew=anew, caps=options.caps)
    set_aside: list[Diagnostic] = []
    if anew:
        refused = unready(opened, options.provider) or begin_refresh(opened, keep_raw=not scrape)
        if refused is not None and refused.severity is Severity.ERROR:
            return exit_code([refused]), [refused], {}
        set_aside = [refused] if refused is not None else []
    fill_options = FillOptions(
        provider=cast("ProviderName | None", options.provider),
        limit=options.limit,
        scrape=scrape,
        concurrency=options.concurrency,
        max_calls=options.caps.calls,
        max_cost=options.caps.cost,
    )
    began = time.monotonic()
    with showing(stderr(), quiet=form != Format.TEXT) as events:
        result = run_loop(opened.plan, opened.folder, fill_options, events, write=not options.dry_run)
    found = _shown([*set_aside, *ahead.notes, *result.diagnostics], options, result)
    code = _ended(result, found)
    if code == Exit.CLEAN and result.assembled is not None:
        end_refresh(opened.folder)
    data = _figures(result, provider, time.monotonic() - began) | ahead.spent(result.usage)
    data["groups_reopened"] = reopened
    if form == Format.JSON:
        data["usage_by_group"] = None if result.fill.by_group is None else list(result.fill.by_group)
    if form == Format.TEXT:
        _summary(data, code, options)
    return code, found, data


def _ended(result: "LoopResult", found: list[Diagnostic]) -> Exit:
    """The exit code: a provider that could not be used at all is no finding about the data."""
    if result.fill.stopped == "interrupted":
        return Exit.INTERRUPTED
    stopped = result.fill.stopped
    return Exit.CANNOT_RUN if stopped is not None and stopped.code == "ES406" else exit_code(found)


def _shown(found: list[Diagnostic], options: RunOptions, result: "LoopResult") -> list[Diagnostic]:
    """The findings of a run; where --limit stopped it, one line for all that is open."""
    open_groups = len(result.fill.open)
    if options.limit is None or not open_groups:
        return found
    from evalspec.spec.diagnostic import found as make

    rest = [d for d in found if d.code != "ES501"]
    if result.fill.stopped is not None:  # something else did, and is among the rest
        return rest
    message = f"stopped at --limit {options.limit}: {open_groups:,} groups are open"
    failed = [group for group in result.fill.open if group.reason.startswith("given up")]
    hint = "run again without --limit to fill them"
    if failed:
        message += f", {len(failed):,} of them tried; {failed[0].group_id} was {failed[0].reason}"
        hint = "mend what the tried ones failed for, then run again without --limit"
    return [*rest, make("ES501", message, Place(PLAN_NAME), hint=hint)]


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
        "sources": result.fill.sources if result else (),
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
            f"dry run: {counted(data['records'], 'record')} filled and valid, no release written"
            f" ({counted(data['calls'], 'call')})"
        )
    said = words_of(data)
    if said:
        console.print(said)
    sources = cast("tuple[SourceUse, ...]", data["sources"])
    for use in sources if len(sources) > 1 else ():
        console.print(f"{use.source}: {counted(use.chunks, 'chunk')}, {counted(use.groups, 'group')} filled from it")
