"""A comparison of two reports as JSON and Markdown, and what its page shows."""

import json
from collections.abc import Iterator
from typing import Any

from evalspec.bench.comparison import Change, Comparison
from evalspec.bench.reports import charts, words
from evalspec.bench.reports.figures import figure_rows
from evalspec.bench.reports.json import dumped
from evalspec.bench.reports.markdown import bounded, escaped, figures, table

SLICES = 20
"""Slices that are shown, those that changed most."""
CASES = 40


def json_text(comparison: Comparison) -> str:
    """The comparison as JSON, two spaces of indent and a newline at the end."""
    return dumped(comparison.model_dump(), indent=2) + "\n"


def markdown(comparison: Comparison) -> str:
    """The comparison as Markdown, short enough for a comment on a pull request."""
    return bounded([*_head(comparison), *_changes(comparison), *figures(comparison.extra), *_cases(comparison)])


def shown(comparison: Comparison) -> dict[str, Any]:
    """What the template of a comparison takes besides the comparison."""
    rows = _rows(comparison)
    slices = _slices(comparison)
    width = charts.widest([change for _, change in rows], comparison.margin)
    wide = charts.widest([change for _, change in slices[:SLICES]])
    return {
        "width": width,
        "wide": wide,
        "changed": [
            (name, change, charts.difference(name, change, width, None if at else comparison.margin))
            for at, (name, change) in enumerate(rows)
        ],
        "turned": [(name, change, charts.difference(name, change, wide)) for name, change in slices[:SLICES]],
        "more_turned": max(0, len(slices) - SLICES),
        "sides": list(_sides(comparison)),
        "temperatures": figure_rows(comparison.extra),
        "turned_cases": [(title, names) for title, names in _named(comparison) if names],
    }


def _rows(comparison: Comparison) -> list[tuple[str, Change]]:
    """The whole, then each metric, then each check."""
    metrics = [
        (f"metric {name}{words.lower_is_better(change)}", change) for name, change in comparison.by_metric.items()
    ]
    checks = [(f"check {name}", change) for name, change in comparison.by_check.items()]
    return [("all cases", comparison.overall), *metrics, *checks]


def _slices(comparison: Comparison) -> list[tuple[str, Change]]:
    """The slices that changed, those that fell furthest first."""
    found = [
        (f"{axis} {value}", change)
        for axis, of in comparison.by_slice.items()
        for value, change in of.items()
        if change.difference and change.cases < comparison.cases
    ]
    return sorted(found, key=lambda item: item[1].difference or 0.0)


def _sides(comparison: Comparison) -> Iterator[tuple[str, str, str]]:
    """What each report says of itself: name, base, candidate."""
    base, candidate = comparison.base, comparison.candidate
    yield "model", base.model or "–", candidate.model or "–"
    yield "prompt", base.prompt_version or "–", candidate.prompt_version or "–"
    yield "passed, all cases", words.rate(base.passed), words.rate(candidate.passed)
    yield "gate", base.gate, candidate.gate
    yield "p95 latency", words.milliseconds(base.p95_latency_ms), words.milliseconds(candidate.p95_latency_ms)
    yield "tokens a case", _tokens(base.mean_tokens), _tokens(candidate.mean_tokens)
    yield "validator rejections", f"{base.validator_rejections:,}", f"{candidate.validator_rejections:,}"
    yield "runs", str(base.runs), str(candidate.runs)
    yield "ended", base.at, candidate.at
    for difference in comparison.allowed:
        yield difference.what.replace("_", " "), _plain(difference.base), _plain(difference.candidate)


def _tokens(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(item)}" for name, item in value.items()) or "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _named(comparison: Comparison) -> Iterator[tuple[str, tuple[str, ...]]]:
    left = comparison.left_out
    yield "Newly failing, blocking or critical", comparison.newly_failing_blocking
    yield "Newly failing", comparison.newly_failing
    yield "Newly passing", comparison.newly_passing
    yield "Only in the base", left.only_base
    yield "Only in the candidate", left.only_candidate
    yield "Not compared: their content is not the same", left.changed
    yield "Not scored in the base", left.unscored_base
    yield "Not scored in the candidate", left.unscored_candidate


def _head(comparison: Comparison) -> Iterator[str]:
    name = " / ".join(escaped(part) for part in (comparison.candidate.module, comparison.candidate.set) if part)
    yield f"## {name}: {comparison.verdict}"
    yield ""
    yield f"- {escaped(comparison.reason, 600)}"
    if comparison.mcnemar is not None:
        test = comparison.mcnemar
        yield f"- {test.worse:,} newly failing, {test.better:,} newly passing; exact McNemar test p = {test.p:.3g}"
    if comparison.smallest_detectable is not None:
        smallest = 100 * comparison.smallest_detectable
        yield f"- the smallest change that this could have shown: {smallest:.1f} points"
    yield from (f"- {escaped(note, 400)}" for note in comparison.notes)
    yield ""
    yield from table(("", "base", "candidate"), [tuple(escaped(cell) for cell in row) for row in _sides(comparison)])


def _changes(comparison: Comparison) -> Iterator[str]:
    head = ("", "base", "candidate", "difference, points", "95 % interval", "cases")
    yield from table(head, [_cells(name, change) for name, change in _rows(comparison)], 30)
    slices = _slices(comparison)
    if slices:
        yield "### Slices that changed"
        yield ""
        yield from table(head, [_cells(name, change) for name, change in slices], SLICES)


def _cells(name: str, change: Change) -> tuple[str, ...]:
    return (
        escaped(name, 80),
        words.percent(change.base),
        words.percent(change.candidate),
        words.points(change.difference),
        words.between(change.interval) or "–",
        f"{change.cases:,}",
    )


def _cases(comparison: Comparison) -> Iterator[str]:
    for title, names in _named(comparison):
        if names:
            more = f" and {len(names) - CASES:,} more" if len(names) > CASES else ""
            yield f"{title} ({len(names):,}): {', '.join(escaped(name, 120) for name in names[:CASES])}{more}."
            yield ""
