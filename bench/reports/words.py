"""How the figures of a report are written: rates with their intervals, latencies, metrics beside their bars."""

from typing import TYPE_CHECKING, Any

from evalspec.bench.report import Interval, MetricScore, Rate

if TYPE_CHECKING:
    from evalspec.bench.comparison import Bounds, Change

VERDICTS = {"met": "met", "missed": "missed", "undecided": "undecided", None: "no bar"}
"""What came of a bar, as it is written."""


def percent(value: float | None) -> str:
    """A share as `96.4 %`; whole and exact ends without a fraction, and nothing rounded to 0 or 100 that is neither."""
    if value is None:
        return "–"
    shown = f"{100 * value:.1f}"
    if shown in ("0.0", "100.0"):
        if value in (0.0, 1.0):
            return f"{value:.0%}".replace("%", " %")
        return "< 0.1 %" if value < 0.5 else "> 99.9 %"
    return f"{shown} %"


def bar(value: float | None) -> str:
    """A bar as it was set: `95 %`, `0.25 %`."""
    return "–" if value is None else f"{100 * value:.6g} %"


def interval(found: Interval | None) -> str:
    """`94.4 to 97.7 %`; empty without one."""
    if found is None:
        return ""
    return f"{100 * found.low:.1f} to {100 * found.high:.1f} %"


def rate(found: Rate) -> str:
    """`96.4 % (94.4 to 97.7 %)`."""
    between = interval(found.interval)
    return f"{percent(found.value)} ({between})" if between and found.value is not None else percent(found.value)


def counts(found: Rate) -> str:
    """`482 of 500`, and what is not among them: `57 of 58, 1 unscored, 1 error`."""
    out = f"{found.scored:,} scored of {found.attempted:,}" if found.scored != found.attempted else f"{found.scored:,}"
    unscored = [f"{found.unscored:,} unscored"] if found.unscored else []
    errored = [f"{found.errored:,} errors" if found.errored > 1 else "1 error"] if found.errored else []
    return ", ".join([out, *unscored, *errored])


def against(score: MetricScore) -> str:
    """The bar of a metric with its direction: `at least 95 %`; empty without one."""
    if score.bar is None:
        return ""
    return f"{'at most' if score.direction == 'at_most' else 'at least'} {bar(score.bar)}"


def verdict(score: MetricScore) -> str:
    """`met`, `missed`, `undecided`, and whether the interval holds the bar: both are said."""
    out = VERDICTS[score.verdict]
    if score.verdict in ("met", "missed") and score.separated is False:
        out += ", not separated from the bar"
    return out


def because(score: MetricScore) -> str:
    """The reason of a verdict, without the verdict where it begins with it."""
    return score.reason.removeprefix(f"{verdict(score)}: ")


def metric_line(score: MetricScore) -> str:
    """A metric in a line: `96.4 % (94.4 to 97.7 %), at least 95 %: met, not separated from the bar`."""
    beside = f", {against(score)}" if score.bar is not None else ""
    return f"{rate(score)}{beside}: {verdict(score)}" + (f" ({because(score)})" if score.reason else "")


def points(value: float | None) -> str:
    """A difference of two shares in points: `+1.2`, `-0.4`; what is not 0 is not written as 0."""
    if value is None:
        return "–"
    shown = f"{100 * value:+.1f}"
    if shown in ("+0.0", "-0.0"):
        return "0" if value == 0 else f"{100 * value:+.1g}"
    return shown


def between(found: "Bounds | None") -> str:
    """`-6.1 to +0.4`; empty without one."""
    return f"{points(found.low)} to {points(found.high)}" if found else ""


def change(found: "Change") -> str:
    """`72.9 % to 66.1 %: -6.8 points (-13.2 to -1.7)`."""
    beside = between(found.interval)
    moved = f"{percent(found.base)} to {percent(found.candidate)}: {points(found.difference)} points"
    return f"{moved} ({beside})" if beside else moved


def lower_is_better(found: "Change") -> str:
    """What stands behind the name of a rate that is to be low; empty for one that is to be high."""
    return " (lower is better)" if found.direction == "at_most" else ""


def milliseconds(value: float | None) -> str:
    """`850 ms`, `2.61 s`, `0.4 ms`."""
    if value is None:
        return "–"
    if 0 < value < 10:
        return f"{value:.2g} ms"
    return f"{value:,.0f} ms" if value < 1000 else f"{value / 1000:,.2f} s"


def figure(value: Any) -> str:
    """A setting or count as text; empty where there is none."""
    match value:
        case None:
            return ""
        case float():
            return f"{value:g}"
    return str(value)
