"""What a metric comes to beside its bar: met, missed or undecided, and whether the interval tells it from the bar."""

import math
from collections.abc import Sequence

from evalspec.bench.report import BarVerdict, Interval, MetricScore, Rate
from evalspec.bench.suite import Bar, Metric
from evalspec.bench.tally import Counted

SLACK = 1e-9
"""What a rate may lack to be at its bar: 190 of 200 is at 0.95, whatever the last bit says."""


def metric_scores(
    metrics: Sequence[Metric], bars: Sequence[Bar], counted: dict[str, Counted]
) -> dict[str, MetricScore]:
    """The score of each metric that is declared, has a bar, or is carried by a check; in this order."""
    declared = {metric.name: metric for metric in metrics}
    barred: dict[str, Bar] = {}
    for bar in bars:
        barred.setdefault(bar.metric, bar)
    names = dict.fromkeys((*declared, *barred, *counted))
    return {name: metric_score(declared.get(name, Metric(name)), barred.get(name), counted.get(name)) for name in names}


def metric_score(metric: Metric, bar: Bar | None, counted: Counted | None) -> MetricScore:
    """The score of one metric; without cases that carry it, its bar is undecided."""
    nothing = Counted(Rate(value=None, attempted=0, scored=0, unscored=0, errored=0))
    counted = counted or nothing
    turned = _failures(counted) if metric.counts == "failures" else counted
    rate = turned.rate.model_dump()
    if bar is None:
        return MetricScore(**rate, counts=metric.counts)
    verdict, reason = verdict_of(bar, turned)
    separated = _separated(bar, turned.rate)
    if verdict == "met" and separated is False and turned.rate.interval is not None:
        interval = turned.rate.interval
        reason = f"met, not separated from the bar: the interval, {interval.low:.3f} to {interval.high:.3f}, holds it"
    return MetricScore(
        **rate,
        counts=metric.counts,
        bar=bar.value,
        direction=bar.direction,
        signed_by=bar.signed_by,
        verdict=verdict,
        separated=separated,
        reason=reason,
    )


def verdict_of(bar: Bar, counted: Counted) -> tuple[BarVerdict, str]:
    """The verdict on a bar, and why where it is not plainly met.

    Trials that were not scored (errors among them) are counted for and against: what holds either way is decided,
    whatever their number, and nothing else is. A rate that meets its bar over fewer cases than can show such a rate at
    all (`least_cases`) is undecided, too.
    """
    rate = counted.rate
    if rate.value is None or counted.lowest is None or counted.highest is None:
        return "undecided", "no case was scored"
    for_it = counted.highest if bar.direction == "at_least" else counted.lowest
    against = counted.lowest if bar.direction == "at_least" else counted.highest
    sign = "under" if bar.direction == "at_least" else "over"
    if not meets(bar, for_it):
        return "missed", f"{rate.value:.6g} is {sign} the bar of {bar.value:g}"
    if not meets(bar, against):
        share = f"{counted.open_trials} of {counted.trials} trials were not scored"
        return "undecided", f"{share}: the metric lies from {counted.lowest:.4f} to {counted.highest:.4f}"
    if rate.scored < (least := least_cases(bar)):
        return "undecided", f"{rate.scored} cases cannot show a rate of {bar.value:g}: that takes {least}"
    return "met", ""


def meets(bar: Bar, value: float) -> bool:
    """Whether the value is on the right side of the bar, or at it."""
    return value >= bar.value - SLACK if bar.direction == "at_least" else value <= bar.value + SLACK


def least_cases(bar: Bar) -> int:
    """The fewest cases of which one may go wrong at this bar: 20 at 0.95; 1 where none may."""
    room = 1 - bar.value if bar.direction == "at_least" else bar.value
    return 1 if room <= SLACK or room >= 1 else math.ceil(1 / room - SLACK)


def _separated(bar: Bar, rate: Rate) -> bool | None:
    """Whether the interval lies on one side of the bar; None at a bar of 0 or 1 that is met: nothing lies beyond it."""
    if rate.value is None or rate.interval is None:
        return None
    if bar.value in (0.0, 1.0) and meets(bar, rate.value):
        return None
    return not rate.interval.low - SLACK <= bar.value <= rate.interval.high + SLACK


def _failures(counted: Counted) -> Counted:
    """The rate of failures, from that of passes."""
    rate = counted.rate
    turned = Rate(
        value=None if rate.value is None else _less(rate.value),
        attempted=rate.attempted,
        scored=rate.scored,
        unscored=rate.unscored,
        errored=rate.errored,
        interval=rate.interval and _turned(rate.interval),
    )
    lowest = None if counted.highest is None else _less(counted.highest)
    highest = None if counted.lowest is None else _less(counted.lowest)
    return Counted(turned, lowest, highest, counted.trials, counted.open_trials)


def _turned(interval: Interval) -> Interval:
    return Interval(low=_less(interval.high), high=_less(interval.low), method=interval.method)


def _less(value: float) -> float:
    return round(1 - value, 12)
