"""evalspec check: the acceptance gate."""

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalspec.cli.shared import CheckFormat, Exit, exit_code, fail, from_here, show_findings, stderr, stdout, usage
from evalspec.cli.verdicts import tally_of, words_of
from evalspec.cli.workspace import PLAN_NAME, PlanFile, changed_spec, is_plan, open_plan, spec_folder
from evalspec.spec.diagnostic import Diagnostic, in_order

if TYPE_CHECKING:
    from evalspec.outputs.checks import CheckReport
    from evalspec.outputs.review.decisions import Tally
    from evalspec.spec.plan import Plan


def check(
    target: Annotated[
        Path, typer.Argument(help="A spec folder, or a folder with a release.", metavar="[DIR]")
    ] = Path(),
    plan: Annotated[
        Path | None, typer.Option(help="The plan to judge by; by default the one in the spec folder.")
    ] = None,
    stale: Annotated[bool, typer.Option("--stale", help="Judge by the plan although the spec changed since.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Make warnings errors.")] = False,
    explain: Annotated[
        str | None, typer.Option(help="Say what a criterion asks, by name or code, and judge nothing.", metavar="NAME")
    ] = None,
    form: Annotated[CheckFormat, typer.Option("--format", help="How to show the verdict.")] = CheckFormat.TEXT,
) -> None:
    """Prove a release against its plan, or any dataset with the record's fields on its own.

    Examples: evalspec check · evalspec check my-eval · evalspec check some-dataset --plan plan.json --format junit
    """
    if explain is not None:
        _explain(explain, target, form)
        return
    release, opened = _what_to_judge(target, plan, stale, form)
    quiet = form != CheckFormat.TEXT
    report = judge(release, opened.plan if opened else None, opened.folder if opened else None, quiet=quiet)
    tally = tally_of(opened) if opened else None
    unread = [tally] if isinstance(tally, Diagnostic) else []
    found = [*report.diagnostics, *unread]
    if strict:
        from evalspec.spec.diagnostic import strict as stricter

        found = stricter(found)
    code = exit_code(found)
    shown = from_here(found, opened.folder) if opened and form != CheckFormat.JSON else found
    _show(report, shown, code, form, None if isinstance(tally, Diagnostic) else tally)
    raise typer.Exit(code)


def _explain(name: str, target: Path, form: str) -> None:
    """The page of one criterion, shipped or of the spec's own."""
    from evalspec.outputs import checks

    folder = target.parent if is_plan(target) else spec_folder(target)
    page = checks.explained(name, folder)
    if page is None:
        near = get_close_matches(name, checks.names(folder), 1)
        hint = f"did you mean {near[0]}?" if near else "evalspec explain codes lists the shipped ones"
        fail("check", [usage(f"there is no criterion {name!r}", "--explain", hint)], form)
    if form == CheckFormat.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("check", Exit.CLEAN, [], explain=name, page=page))
        return
    typer.echo(page)


def judge(release: Path, plan: "Plan | None", folder: Path | None, *, quiet: bool) -> "CheckReport":
    """Run the gate on a release, and show how far a model is that it asks, unless told to be quiet."""
    from evalspec.cli.embedding import embedding
    from evalspec.outputs import checks

    with embedding(stderr(), quiet=quiet) as watch:
        return checks.check(release, plan, folder=folder, watch=watch)


def _what_to_judge(target: Path, plan: Path | None, stale: bool, form: str) -> tuple[Path, PlanFile | None]:
    """The folder of the release, and the plan that it is judged by."""
    target = spec_folder(target)
    if is_plan(target):
        target, plan = target.parent, plan or target
    if not target.is_dir():
        fail("check", [usage(f"there is no folder {target}", str(target), "name a spec folder or a release")], form)
    if plan is None and (target / PLAN_NAME).is_file():
        plan = target / PLAN_NAME
    if plan is None:
        _require_release(target, form)
        return target, None
    opened = open_plan("check", plan, form)
    changed = None if stale else changed_spec(opened)
    if changed is not None:
        fail("check", [changed], form)
    # cases of a suite may lie beside a spec, and are no release
    own = target.resolve() == opened.folder.resolve() and _holds_records(opened.release)
    release = target if _holds_records(target) and not own else opened.release
    _require_release(release, form)
    return release, opened


def _holds_records(folder: Path) -> bool:
    return folder.is_dir() and any(path.suffix in {".parquet", ".jsonl"} for path in folder.iterdir())


def _require_release(folder: Path, form: str) -> None:
    """End the command where there is no record to judge."""
    if not _holds_records(folder):
        hint = "fill the plan first (evalspec run), or name a folder with a Parquet or JSONL file"
        fail("check", [usage(f"there is no release in {folder}", str(folder), hint)], form)


def _show(report: "CheckReport", found: list[Diagnostic], code: Exit, form: str, tally: "Tally | None") -> None:
    match form:
        case CheckFormat.JSON:
            from evalspec.cli.render.json import document

            data = {"criteria": list(report.rows), "partial": report.partial, "review": tally}
            typer.echo(document("check", code, in_order(found), **data))
        case CheckFormat.JUNIT:
            from evalspec.cli.render.junit import JUnitCase
            from evalspec.cli.render.junit import report as junit

            cases = [
                JUnitCase(
                    row.name,
                    row.code,
                    (row.note or "not judged") if row.verdict == "not_judged" else "",
                    [d for d in found if d.code == row.code and d.severity == "error"],
                )
                for row in report.rows
            ]
            typer.echo(junit("evalspec check", cases), nl=False)
        case CheckFormat.GITHUB:
            show_findings(found, form)
        case _:
            show_findings(found, form)
            show_verdict(report)
            if tally is not None:
                stdout().print(words_of(tally))


_VERDICTS = {"passed": "passed", "failed": "FAILED", "not_judged": "not judged", "note": "note"}


def show_verdict(report: "CheckReport") -> None:
    """The table of criteria, and how many passed."""
    from evalspec.cli.render.text import table

    rows = [(r.code, r.name, r.required, r.found, _VERDICTS[r.verdict], r.note) for r in report.rows]
    stdout().print(table("Criteria", ("code", "criterion", "required", "found", "verdict", "note"), rows))
    counts = {verdict: sum(row.verdict == verdict for row in report.rows) for verdict in _VERDICTS}
    said = f"\n{counts['passed']} passed, {counts['failed']} failed, {counts['not_judged']} not judged"
    partial = f" (partial plan, {report.partial}: judged against its own targets)" if report.partial else ""
    stdout().print(said + partial)
