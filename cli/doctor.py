"""evalspec doctor: see before a run whether the provider can be asked, with one small call."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from evalspec.cli.run import PROVIDERS
from evalspec.cli.shared import Format, exit_code, fail, show_findings, stdout, usage
from evalspec.cli.workspace import is_plan, open_plan, require_folder, spec_folder
from evalspec.spec.diagnostic import in_order

if TYPE_CHECKING:
    from evalspec.runtime.checkup import Checkup
    from evalspec.spec.generation import ProviderName
    from evalspec.spec.plan import Plan


def doctor(
    target: Annotated[
        Path, typer.Argument(help="A plan, or a spec to compile in memory.", metavar="[SPEC|PLAN]")
    ] = Path(),
    provider: Annotated[str | None, typer.Option(help="Whom to ask, in place of the config's provider.")] = None,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Check config, key, endpoint, model, structured output and limits with one small call, and say what it cost.

    Nothing is written, and a key is never shown.

    Examples: evalspec doctor · evalspec doctor my-eval --provider anthropic · evalspec doctor plan.json --format json
    """
    from evalspec.runtime.checkup import check_up

    if provider is not None and provider not in PROVIDERS:
        hint = f"one of: {', '.join(PROVIDERS)}"
        fail("doctor", [usage(f"there is no provider {provider!r}", "--provider", hint)], form)
    plan, folder = _plan_of(target, form)
    result = check_up(plan, folder, cast("ProviderName | None", provider))
    code = exit_code(result.diagnostics)
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        found = in_order(result.diagnostics)
        data = {"checks": result.checks, "usage": result.usage, "cost": result.cost}
        typer.echo(document("doctor", code, found, **data))
    else:
        if form == Format.TEXT:
            _show(result, plan)
        show_findings(result.diagnostics, form)
    raise typer.Exit(code)


def _plan_of(target: Path, form: str) -> "tuple[Plan, Path]":
    """The plan, and the folder that it is relative to."""
    if is_plan(target):
        opened = open_plan("doctor", target, form)
        return opened.plan, opened.folder
    from evalspec.compiler.compile import Options, compile_spec

    folder = spec_folder(target)
    require_folder("doctor", folder, form)
    options = Options(domain=None, dimension=None, limit=None, version=None, mode=None, strict=False)
    compiled = compile_spec(folder, options)
    if compiled.plan is None:
        fail("doctor", compiled.diagnostics, form)
    return compiled.plan, folder


def _show(result: "Checkup", plan: "Plan") -> None:
    from evalspec.cli.render.text import table

    words = {"passed": "passed", "failed": "FAILED", "note": "note", "skipped": "skipped"}
    rows = [(check.name, words[check.verdict], check.found) for check in result.checks]
    stdout().print(table("Provider", ("check", "verdict", "found"), rows))
    used = result.usage
    if used.input_tokens or used.output_tokens:
        prices = plan.generation_model.prices
        price = f", {result.cost:.6f} {prices.currency}" if prices and result.cost is not None else ""
        stdout().print(f"\nthe call used {used.input_tokens:,} tokens in and {used.output_tokens:,} out{price}")
