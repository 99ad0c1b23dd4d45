"""The result of a bench run as tables: metrics beside bars, checks, what failed, slices, the gate, the files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evalspec.bench.reports import words
from evalspec.cli.bench_failures import show_failures
from evalspec.cli.render.text import say, table
from evalspec.cli.shared import counted, stdout

if TYPE_CHECKING:
    from evalspec.bench.report import Rate, Report

SLICES = 6
"""So many slices of an axis are shown, the worst first; the report has them all."""


def show_report(report: "Report", files: Sequence[Path], people: Path | None = None) -> None:
    """Print the result on standard output; `people` is the list of answers that wait for their ratings."""
    console = stdout()
    say(console, _head(report))
    if report.metrics:
        rows = [
            (name, *_rate(score), words.against(score), words.verdict(score), score.signed_by)
            for name, score in report.metrics.items()
        ]
        console.print(table("\nMetrics", ("metric", "value", "95 %", "scored", "bar", "verdict", "signed by"), rows))
    _rates("Checks", "check", report.summary.by_check)
    show_failures(report)
    for axis, rates in report.summary.by_slice.items():
        if len(rates) > 1:
            _slices(axis, rates)
    if report.extra:
        from evalspec.bench.reports.figures import HEAD, figure_rows

        if figures := figure_rows(report.extra):
            console.print(table("\nFigures of the release", HEAD, figures))
    for line in _figures(report):
        say(console, line)
    _gate(report)
    for path in files:
        say(console, f"report: {path}", whole=True)
    if people is not None:
        said = f"for people: rate the answers in {people}, then run the same command with --ratings {people}"
        say(console, said, whole=True)


def _head(report: "Report") -> str:
    name = f"{report.module}/{report.set}" if report.module else report.set
    version = f", prompt {report.prompt_version}" if report.prompt_version else ""
    runs = f" in {report.settings.runs} runs" if report.settings.runs > 1 else ""
    return f"{name}: {counted(report.size, 'case')}{runs}, {report.model}{version}"


def _rates(title: str, what: str, rates: "Mapping[str, Rate]") -> None:
    if rates:
        rows = [(name, *_rate(rate)) for name, rate in rates.items()]
        stdout().print(table(f"\n{title}", (what, "passed", "95 %", "scored"), rows))


def _slices(axis: str, rates: "Mapping[str, Rate]") -> None:
    """The worst slices of an axis; a line where all are alike."""
    if {(rate.value, rate.unscored, rate.errored) for rate in rates.values()} == {(1.0, 0, 0)}:
        say(stdout(), f"\nBy {axis}: all {len(rates):,} at 100 %")
        return
    worst = sorted(rates.items(), key=lambda item: (-1.0 if item[1].value is None else item[1].value, item[0]))
    _rates(f"By {axis}", axis, dict(worst[:SLICES]))
    if len(worst) > SLICES:
        stdout().print(f"... and {len(worst) - SLICES:,} more, none worse")


def _rate(rate: "Rate") -> tuple[str, str, str]:
    return words.percent(rate.value), words.interval(rate.interval), words.counts(rate)


def _figures(report: "Report") -> list[str]:
    """Lines of what is no rate."""
    summary = report.summary
    latency = (
        f"latency p50 {words.milliseconds(summary.p50_latency_ms)}, p95 {words.milliseconds(report.latency_p95_ms)}"
    )
    if report.latency_bar_ms is not None:
        latency += f" (under {words.milliseconds(report.latency_bar_ms)})"
    reported = f"{summary.total_tokens:,}" if summary.mean_tokens is not None else "–"
    tokens = f"{reported} tokens" + (f" and {summary.judge_tokens:,} of the judge" if summary.judge_tokens else "")
    out = [f"\npassed {words.rate(summary.passed)} of {words.counts(summary.passed)} · {latency} · {tokens}"]
    if report.validator_rejections:
        out.append(f"rejected by the validator: {report.validator_rejections:,} of {report.size:,}")
    if report.spread is not None:
        rates = ", ".join(words.percent(value) for value in report.spread.pass_rates)
        flips = len(report.spread.flips)
        out.append(f"runs: {rates} · {counted(flips, 'case')} came out both ways")
    return out


def _gate(report: "Report") -> None:
    console = stdout()
    colours = {"green": "bold green", "red": "bold red", "draft": "bold yellow"}
    console.print(f"\n{report.gate.verdict.upper()}", style=colours[report.gate.verdict], markup=False)
    for reason in report.gate.reasons:
        say(console, f"  {reason}")
    for note in report.gate.notes:
        say(console, f"  note: {note}", "dim")
