"""evalspec bench compare: two reports side by side, case by case."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from evalspec.cli.bench_files import FORMS, refuse_ending
from evalspec.cli.shared import Exit, Format, fail, show_findings, stdout
from evalspec.spec.diagnostic import Diagnostic, in_order
from evalspec.spec.source import Place

if TYPE_CHECKING:
    from evalspec.bench.comparison import Change, Comparison
    from evalspec.bench.report import Report
    from evalspec.bench.reports import ComparisonForm as ComparisonKind

WORST = 12
"""So many slices are shown, the largest loss first; the comparison has them all."""


class ComparisonForm(StrEnum):
    """What a comparison is written as."""

    JSON = "json"
    MD = "md"
    HTML = "html"


def compare(
    base: Annotated[Path, typer.Argument(help="The JSON report of what is in use.", metavar="BASE")],
    candidate: Annotated[Path, typer.Argument(help="The JSON report of what may replace it.", metavar="CANDIDATE")],
    margin: Annotated[float, typer.Option(help="How much worse it may be, as a share of the cases.")] = 0.02,
    allow: Annotated[
        list[str] | None, typer.Option(help="suite, judge, judge_prompt or settings: what may differ.")
    ] = None,
    report_form: Annotated[
        ComparisonForm | None, typer.Option("--report-format", help="What --out is; by default by its ending.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the comparison to a file, too.")] = None,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Say whether a candidate is as good as the base, over the cases that both scored.

    Exits with 0 where it is not worse by more than the margin, with 1 where it is or that is open, and where a blocking
    case newly fails.

    Examples: evalspec bench compare baseline.json candidate.json · evalspec bench compare a.json b.json --out diff.html
    """
    from evalspec.bench.comparing import CompareOptions
    from evalspec.bench.comparing import compare as compared

    refuse_ending("bench compare", out, report_form, form, without="junit")
    ours, theirs = (_report(path, form) for path in (base, candidate))
    options = CompareOptions(
        tuple(allow or ()), margin, base_place=Place(str(base)), candidate_place=Place(str(candidate))
    )
    found = compared(ours, theirs, options)
    if isinstance(found, tuple):
        code = _refused(found, form)
        raise typer.Exit(code)
    if out is not None:
        _write(found, (ours, theirs), out, report_form, form)
    code = Exit.CLEAN if found.verdict == "non-inferior" and not found.newly_failing_blocking else Exit.FINDINGS
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("bench compare", code, [], comparison=found))
    elif form == Format.TEXT:
        show_comparison(found)
    raise typer.Exit(code)


def _report(path: Path, form: str) -> "Report":
    from evalspec.bench.reports import ReportError, read_report

    try:
        return read_report(path)
    except ReportError as error:
        raise typer.Exit(_refused((error.diagnostic,), form)) from None


def _refused(found: tuple[Diagnostic, ...], form: str) -> Exit:
    """Say why there is no comparison."""
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("bench compare", Exit.CANNOT_RUN, in_order(found), comparison=None))
    else:
        show_findings(found, form)
    return Exit.CANNOT_RUN


def _write(
    found: "Comparison", reports: "tuple[Report, Report]", out: Path, report_form: ComparisonForm | None, form: str
) -> None:
    """Write the comparison; the page shows the cases of both reports side by side, too."""
    from evalspec.bench.reports import render_comparison
    from evalspec.runtime.journaling import not_writable
    from evalspec.spec.writing import write_atomically

    kind = cast("ComparisonKind", report_form.value if report_form else FORMS.get(out.suffix.lower(), "json"))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        text = render_comparison(found, kind, reports)
        write_atomically(out, text.encode("utf-8"))
    except OSError as error:
        fail("bench compare", [not_writable(out, error)], form)


def show_comparison(found: "Comparison") -> None:
    """Print a comparison on standard output."""
    from evalspec.bench.reports.figures import HEAD, figure_rows
    from evalspec.bench.reports.words import lower_is_better
    from evalspec.cli.render.text import say, table

    console = stdout()
    for name, side in (("base", found.base), ("candidate", found.candidate)):
        version = f", prompt {side.prompt_version}" if side.prompt_version else ""
        say(console, f"{name}: {side.model}{version}, {side.at}")
    rows = [("all cases", *_cells(found.overall))]
    rows += [(name + lower_is_better(change), *_cells(change)) for name, change in found.by_metric.items()]
    rows += [(name, *_cells(change)) for name, change in found.by_check.items() if name not in found.by_metric]
    head = ("", "base", "candidate", "difference", "95 %", "cases")
    console.print(table("\nWhat changed, in points", head, rows))
    slices = [(f"{axis} {name}", change) for axis, part in found.by_slice.items() for name, change in part.items()]
    moved = [(name, change) for name, change in slices if change.difference and change.cases < found.cases]
    if moved:
        worst = sorted(moved, key=lambda item: item[1].difference or 0.0)[:WORST]
        console.print(table("\nSlices that changed", head, [(name, *_cells(change)) for name, change in worst]))
    if figures := figure_rows(found.extra):
        console.print(table("\nOver two temperatures", HEAD, figures))
    for line in _lines(found):
        say(console, line)
    colour = {"non-inferior": "bold green", "inferior": "bold red", "undecided": "bold yellow"}[found.verdict]
    say(console, f"\n{found.verdict.upper()}: {found.reason}", colour)


def _cells(change: "Change") -> tuple[str, ...]:
    from evalspec.bench.reports.words import percent

    between = change.interval
    span = f"{100 * between.low:+.1f} to {100 * between.high:+.1f}" if between else ""
    moved = "" if change.difference is None else f"{100 * change.difference:+.1f}"
    return percent(change.base), percent(change.candidate), moved, span, f"{change.cases:,}"


def _lines(found: "Comparison") -> list[str]:
    """What there is to say besides the rates."""
    out = [""]
    if found.mcnemar is not None:
        test = found.mcnemar
        out.append(f"{test.worse} newly fail, {test.better} newly pass; exact McNemar test p = {test.p:.3g}")
    if found.smallest_detectable is not None:
        out.append(f"the smallest change that this could have shown: {100 * found.smallest_detectable:.1f} points")
    for what, cases in (
        ("newly failing and blocking", found.newly_failing_blocking),
        ("newly failing", found.newly_failing),
        ("newly passing", found.newly_passing),
    ):
        if cases:
            out.append(f"{what}: {', '.join(cases[:WORST])}{' ...' if len(cases) > WORST else ''}")
    left = found.left_out
    lost = len({*left.only_base, *left.only_candidate, *left.changed, *left.unscored_base, *left.unscored_candidate})
    if lost:
        out.append(f"not compared: {lost:,} cases that are not scored in both, or not the same in both")
    out += [f"allowed to differ: {difference.what}" for difference in found.allowed]
    return out + [f"note: {note}" for note in found.notes]
