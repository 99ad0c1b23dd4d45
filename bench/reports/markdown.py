"""A report as Markdown, short enough for a comment on a pull request: the gate first, then what led to it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evalspec.bench.report import Rate, Report
from evalspec.bench.reports import words
from evalspec.bench.reports.failing import NotPassed, not_passed
from evalspec.bench.reports.figures import HEAD, figure_rows

LIMIT = 60_000
"""Characters of a report; a comment on GitHub holds 65,536."""
FAILURES, ROWS, AXES = 25, 15, 8
"""Failures that are listed, rows of a table, and tables of slices."""

_MARKUP = re.compile(r"([\\`*\[\]#!|~$]|(?<![^\W_])_|_(?![^\W_]))")
_FIRST = re.compile(r"^(\d*)([-+=.)])(?=[\s=-]|$)")
"""What makes a list or a heading of a line that begins with it."""
_LIVE = re.compile(r"((?<![^\W_])@|:(?=//)|www(?=\.))")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def text(report: Report) -> str:
    """The report as Markdown of at most LIMIT characters; what was left out is counted."""
    return bounded(
        [
            *_head(report),
            *_metrics(report),
            *_summary(report),
            *_failures(report),
            *_checks(report),
            *_slices(report),
            *_spread(report),
            *figures(report.extra),
        ]
    )


def escaped(said: str, most: int = 200) -> str:
    """A text on one line as itself: markup, HTML, names and addresses in it do nothing."""
    line = _BLANK.sub(" ", said).strip().encode("utf-8", "replace").decode("utf-8")
    cut = line if len(line) <= most else f"{line[: most - 1]}…"
    plain = cut.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # a zero-width space after it, so that nobody is called and nothing is linked
    return _LIVE.sub("\\1\u200b", _FIRST.sub(r"\1\\\2", _MARKUP.sub(r"\\\1", plain)))


def table(head: Sequence[str], rows: Iterable[Sequence[str]], most: int = ROWS) -> Iterator[str]:
    """The lines of a table; cells are Markdown already. What is over `most` is counted under it."""
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    listed = list(rows)
    yield from (f"| {' | '.join(cells)} |" for cells in listed[:most])
    if len(listed) > most:
        yield ""
        yield f"{len(listed) - most:,} more rows are not shown."
    yield ""


def bounded(lines: Iterable[str], limit: int = LIMIT) -> str:
    """The lines as long as there is room, and then how many were left out."""
    kept: list[str] = []
    used, left = 200, 0
    for line in lines:
        used += len(line) + 1
        if left or used > limit:
            left += bool(line)
        else:
            kept.append(line)
    if left:
        kept += ["", f"{left:,} lines were left out: the JSON and HTML reports have all of it."]
    return "\n".join(kept).rstrip("\n") + "\n"


def _head(report: Report) -> Iterator[str]:
    gate = report.gate
    name = " / ".join(escaped(part) for part in (report.module, report.set) if part)
    yield f"## {name}: {gate.verdict}"
    yield ""
    if report.draft or gate.verdict == "draft":
        yield "> **DRAFT, not a result.** " + ("; ".join(escaped(reason, 400) for reason in report.draft[:ROWS]) or "")
        yield ""
    yield from (f"- {escaped(reason, 600)}" for reason in gate.reasons[:ROWS])
    if len(gate.reasons) > ROWS:
        yield f"- {len(gate.reasons) - ROWS:,} more reasons"
    if gate.reasons:
        yield ""
    if gate.notes:
        yield from (f"- note: {escaped(note, 400)}" for note in gate.notes[:ROWS])
        yield ""
    runs = f", {report.settings.runs} runs each" if report.settings.runs > 1 else ""
    prompt = f" with prompt {escaped(report.prompt_version)}" if report.prompt_version else ""
    strict = ", strict (`--ci`)" if gate.ci else ""
    model = escaped(report.model or "no model")
    yield f"Run of {model}{prompt}, {report.size:,} cases{runs}, {escaped(report.at)}{strict}."
    yield ""


def _metrics(report: Report) -> Iterator[str]:
    if not report.metrics:
        return
    rows = [
        (
            escaped(name),
            words.percent(score.value),
            words.interval(score.interval) or "–",
            words.against(score) or "–",
            f"**{words.verdict(score)}**" + (f": {escaped(words.because(score))}" if score.reason else ""),
            words.counts(score),
        )
        for name, score in report.metrics.items()
    ]
    yield from table(("metric", "value", "95 % interval", "bar", "verdict", "cases"), rows, 40)


def _summary(report: Report) -> Iterator[str]:
    summary = report.summary
    limit = f" (limit {words.milliseconds(report.latency_bar_ms)})" if report.latency_bar_ms is not None else ""
    tokens = f"{summary.mean_tokens:,.0f}" if summary.mean_tokens is not None else "–"
    yield (
        f"Pass rate **{words.rate(summary.passed)}**, cases: {words.counts(summary.passed)}"
        f" · p95 latency {words.milliseconds(report.latency_p95_ms)}{limit}"
        f" · {tokens} tokens a case · {report.validator_rejections:,} validator rejections."
    )
    yield ""
    if summary.for_people:
        yield f"{len(summary.for_people):,} cases wait for the ratings of people."
        yield ""


def _failures(report: Report) -> Iterator[str]:
    found = not_passed(report)
    if not found:
        return
    yield f"### Not passed: {len(found):,}"
    yield ""
    yield from (_failure(case, report.settings.runs) for case in found[:FAILURES])
    if len(found) > FAILURES:
        yield f"- and {len(found) - FAILURES:,} more, which the JSON and HTML reports list"
    yield ""


def _failure(case: NotPassed, runs: int) -> str:
    """A case that did not pass: what came of the worst of its runs, and in how many it was so."""
    found = case.checks
    said = [f"{escaped(c.check, 60)}: {escaped(c.reason)}" if c.reason else escaped(c.check, 60) for c in found[:3]]
    if case.row.error:
        said = [escaped(case.row.error)]
    more = f"; {len(found) - 3} more checks" if len(found) > 3 else ""
    return f"- **{escaped(case.row.case_id, 120)}** ({', '.join(case.marks(runs))}): {'; '.join(said)}{more}"


def _checks(report: Report) -> Iterator[str]:
    if report.summary.by_check:
        yield "### Checks"
        yield ""
        yield from table(("check", "passed", "95 % interval", "cases"), _rates(report.summary.by_check))


def _slices(report: Report) -> Iterator[str]:
    axes = {axis: found for axis, found in report.summary.by_slice.items() if len(found) > 1}
    for axis, found in list(axes.items())[:AXES]:
        yield f"### By {escaped(axis, 60)}"
        yield ""
        yield from table((escaped(axis, 60), "passed", "95 % interval", "cases"), _rates(found))
    if len(axes) > AXES:
        yield f"{len(axes) - AXES} more ways to slice are in the JSON and HTML reports."
        yield ""


def _rates(found: Mapping[str, Rate]) -> list[tuple[str, str, str, str]]:
    """Rows of rates, the lowest first and those without a value last."""
    worst = sorted(found.items(), key=lambda item: (item[1].value is None, item[1].value or 0.0))
    return [
        (escaped(name, 80), words.percent(rate.value), words.interval(rate.interval) or "–", words.counts(rate))
        for name, rate in worst
    ]


def _spread(report: Report) -> Iterator[str]:
    spread = report.spread
    if spread is None:
        return
    yield "### Between runs"
    yield ""
    deviation = spread.standard_deviation
    beside = f", standard deviation {100 * deviation:.1f} points" if deviation is not None else ""
    rates = ", ".join(words.percent(value) for value in spread.pass_rates)
    at = "".join(f", {escaped(name)} {words.percent(value)}" for name, value in spread.pass_at.items())
    yield f"Pass rates {rates}{beside}{at}."
    if spread.flips:
        shown = ", ".join(escaped(name, 120) for name in spread.flips[:FAILURES])
        more = f" and {len(spread.flips) - FAILURES:,} more" if len(spread.flips) > FAILURES else ""
        yield f"{len(spread.flips):,} cases came out both ways: {shown}{more}."
    yield ""


def figures(extra: Mapping[str, Any]) -> Iterator[str]:
    """The figures of a release as a table; nothing where there are none."""
    rows = figure_rows(extra)
    if rows:
        yield "### Figures of the release"
        yield ""
        yield from table(HEAD, [tuple(escaped(cell) for cell in row) for row in rows])
