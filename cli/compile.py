"""evalspec compile: lint a spec folder and write its plan."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalspec.cli.shared import Format, exit_code, fail, show_findings, stderr, stdout, usage
from evalspec.cli.workspace import PLAN_NAME, spec_folder
from evalspec.spec.diagnostic import in_order

if TYPE_CHECKING:
    from evalspec.spec.plan import Plan

SpecArgument = Annotated[Path, typer.Argument(help="A spec folder, or its generation_config.yaml.", metavar="[SPEC]")]


def compile_spec(
    spec: SpecArgument = Path(),
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where to write the plan.")] = None,
    domain: Annotated[str | None, typer.Option(help="Keep only this domain; ids stay what they are.")] = None,
    dimension: Annotated[str | None, typer.Option(help="Keep only this dimension.")] = None,
    version: Annotated[str | None, typer.Option(help="Dataset version, in place of the config's.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Keep the first N linkage groups.")] = None,
    mode: Annotated[str | None, typer.Option(help="full_refresh or incremental, in place of the config's.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Make warnings errors.")] = False,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Lint a spec folder and write plan.json: every record-slot of the dataset.

    Examples: evalspec compile · evalspec compile my-eval --strict · evalspec compile --domain banking -o bank.json
    """
    from evalspec.compiler import compile as compiling
    from evalspec.compiler.preview import preview
    from evalspec.spec.planfile import write

    folder = spec_folder(spec)
    options = compiling.Options(
        domain=domain, dimension=dimension, limit=limit, version=version, mode=mode, strict=strict
    )
    compiled = compiling.compile_spec(folder, options)
    if compiled.plan is None:
        fail("compile", compiled.diagnostics, form, folder)
    path = output or folder / PLAN_NAME
    path = path / PLAN_NAME if path.is_dir() else path
    try:
        write(compiled.plan, path)
    except OSError as error:
        fail("compile", [usage(f"cannot write {path}: {error.strerror}", str(path))], form)
    code = exit_code(compiled.diagnostics)
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        body = document("compile", code, in_order(compiled.diagnostics), plan=str(path), preview=preview(compiled.plan))
        typer.echo(body)
    else:
        show_findings(compiled.diagnostics, form, folder)
        show_preview(compiled.plan, path, form)
    raise typer.Exit(code)


def show_preview(plan: "Plan", path: Path, form: str) -> None:
    """The tables of the preview, and where the plan was written."""
    from evalspec.cli.render.previews import print_preview
    from evalspec.compiler.preview import preview

    console = stdout() if form == Format.TEXT else stderr()
    print_preview(console, preview(plan))
    console.print(f"wrote {path}")
