"""How figures are written."""

from typing import Any

import pytest

from evalspec.bench.report import Interval, MetricScore, Rate
from evalspec.bench.reports import words


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.964, "96.4 %"),
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.0004, "< 0.1 %"),
        (0.9996, "> 99.9 %"),
        (0.95, "95.0 %"),
        (None, "–"),
    ],
)
def test_a_share_is_never_rounded_to_none_or_all(value: float | None, said: str) -> None:
    assert words.percent(value) == said


@pytest.mark.parametrize(("value", "said"), [(0.95, "95 %"), (0.0, "0 %"), (0.0025, "0.25 %"), (None, "–")])
def test_a_bar_is_written_as_it_was_set(value: float | None, said: str) -> None:
    assert words.bar(value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(0.0723, "0.072 ms"), (850.4, "850 ms"), (2614.0, "2.61 s"), (0.0, "0 ms"), (None, "–")]
)
def test_a_latency_is_written_in_the_unit_that_fits(value: float | None, said: str) -> None:
    assert words.milliseconds(value) == said


def test_counts_say_what_was_not_scored() -> None:
    assert words.counts(Rate(value=1.0, attempted=60, scored=60, unscored=0, errored=0)) == "60"
    said = words.counts(Rate(value=1.0, attempted=60, scored=56, unscored=1, errored=3))
    assert said == "56 scored of 60, 1 unscored, 3 errors"


def _score(**changed: Any) -> MetricScore:
    given: dict[str, Any] = {"value": 0.964, "attempted": 500, "scored": 500, "unscored": 0, "errored": 0}
    interval = Interval(low=0.944, high=0.977, method="wilson")
    return MetricScore(**{**given, "interval": interval, "bar": 0.95, "direction": "at_least", **changed})


def test_met_and_not_separated_are_both_said_once() -> None:
    score = _score(verdict="met", separated=False, reason="met, not separated from the bar: the interval holds it")
    assert words.metric_line(score) == (
        "96.4 % (94.4 to 97.7 %), at least 95 %: met, not separated from the bar (the interval holds it)"
    )


def test_a_metric_without_a_bar_says_so() -> None:
    assert words.metric_line(_score(bar=None, direction=None)) == "96.4 % (94.4 to 97.7 %): no bar"
