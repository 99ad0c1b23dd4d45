"""evalspec bench calibrate: how far a judge agrees with people."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalspec.cli.shared import Exit, Format, counted, show_findings, stderr, stdout
from evalspec.spec.diagnostic import Diagnostic, in_order

if TYPE_CHECKING:
    from evalspec.bench.calibrating import Calibration
    from evalspec.bench.judging import Judge
    from evalspec.bench.judging.agreement import Figure

SHOWN = 10
"""So many disagreements are shown; the JSON has them all."""


def calibrate(
    labels: Annotated[Path, typer.Argument(help="Answers that people labelled, JSONL.", metavar="LABELS")],
    judge: Annotated[str, typer.Option(help="The judge: a file, or provider:model.")],
    repeats: Annotated[int, typer.Option(min=1, max=25, help="How often each answer is judged.")] = 3,
    work: Annotated[Path | None, typer.Option(help="The folder of the journal, in place of eval/runs/...")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the calibration to a JSON file, too.")] = None,
    form: Annotated[Format, typer.Option("--format", help="How to show the result.")] = Format.TEXT,
) -> None:
    """Ask a judge about answers that people labelled, and say how far it can be trusted.

    Gives kappa, how many of the passing answers it passes and of the failing ones it fails, with intervals, and how
    often it says the same twice. Replies are kept: the same command asks nothing again.

    Example: evalspec bench calibrate labels.jsonl --judge judge.yaml
    """
    code, found, calibration = _calibrate(labels, judge, repeats, work)
    if calibration is not None and out is not None:
        from evalspec.runtime.journaling import not_writable
        from evalspec.spec.writing import write_atomically

        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(out, f"{calibration.model_dump_json(indent=2)}\n".encode())
        except OSError as error:
            code, found = Exit.CANNOT_RUN, (*found, not_writable(out, error))
    if form == Format.JSON:
        from evalspec.cli.render.json import document

        typer.echo(document("bench calibrate", code, in_order(found), calibration=calibration))
        raise typer.Exit(code)
    show_findings(found, form)
    if calibration is not None and form == Format.TEXT:
        _show(calibration)
    raise typer.Exit(code)


def _calibrate(
    labels: Path, given: str, repeats: int, work: Path | None
) -> "tuple[Exit, tuple[Diagnostic, ...], Calibration | None]":
    from evalspec.bench.calibrating import calibrate as calibrated
    from evalspec.bench.journal import opened
    from evalspec.bench.judging import make_judge, read_judge
    from evalspec.runtime import event_loop
    from evalspec.runtime.environment import environment
    from evalspec.runtime.journaling import JournalError
    from evalspec.runtime.providers import SetupError

    here = Path()
    config, found = read_judge(given, here)
    if config is None:
        return Exit.CANNOT_RUN, found, None
    try:
        judge = make_judge(config, environment(here), here)
        folder = work or Path("eval") / "runs" / f"{labels.stem[:40]}-{judge.digest[:12]}"
        with opened(folder) as journal:
            calibration, more = event_loop.run(_closing(calibrated(labels, judge, journal, repeats), judge))
    except SetupError as error:
        return Exit.CANNOT_RUN, (*found, error.diagnostic), None
    except JournalError as error:
        return Exit.CANNOT_RUN, (*found, error.diagnostic), None
    except KeyboardInterrupt:
        stderr().print("stopped: replies are in the journal, and the same command goes on from there")
        return Exit.INTERRUPTED, found, None
    return Exit.CANNOT_RUN if calibration is None else Exit.CLEAN, (*found, *more), calibration


async def _closing(work: Any, judge: "Judge") -> Any:
    try:
        return await work
    finally:
        await judge.close()


def _show(found: "Calibration") -> None:
    from evalspec.cli.render.text import say, table

    console = stdout()
    said = f"{found.labels}: {counted(found.items, 'answer')}, each judged {found.repeats} times"
    say(console, f"{said}, {found.scored:,} scored")
    counts = found.confusion
    sides = [("pass", counts.pass_pass, counts.pass_fail), ("fail", counts.fail_pass, counts.fail_fail)]
    console.print(table("\nPeople and the judge", ("people say", "judge passes", "judge fails"), sides))
    rows = []
    for name, figure in (
        ("kappa", found.kappa),
        ("agreement", found.agreement),
        ("true positive rate", found.tpr),
        ("true negative rate", found.tnr),
        ("self-consistency", found.self_consistency),
    ):
        rows.append((name, *_cells(figure, share=name != "kappa"), figure.of, figure.reason))
    console.print(table("\nHow far it can be trusted", ("figure", "value", "95 %", "of", "note"), rows))
    for item in found.disagreements[:SHOWN]:
        said = f"people say {item.label}, the judge {item.verdict}: {item.reason}"
        say(console, f"{item.id} (line {item.line}): {said}")
    if found.unscored:
        say(console, f"not scored: {counted(found.unscored, 'answer')}, such as {found.unscored_items[0].id}")


def _cells(figure: "Figure", *, share: bool) -> tuple[str, str]:
    """A figure and its interval, as shares or as plain numbers."""
    from evalspec.bench.reports.words import percent

    def shown(value: float) -> str:
        return percent(value) if share else f"{value:.2f}"

    between = (
        f"{shown(figure.low)} to {shown(figure.high)}" if figure.low is not None and figure.high is not None else ""
    )
    return ("" if figure.value is None else shown(figure.value)), between
