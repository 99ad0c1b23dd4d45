"""The figures of a release as rows of a table: flip rates, groups that came out alike, what a phrasing costs."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from evalspec.bench.comparison import Bounds
from evalspec.bench.release_figures import Figure
from evalspec.bench.report import Interval
from evalspec.bench.reports import words

HEAD = ("figure", "value", "95 % interval", "over", "")
_WHAT = {
    "repeat_stability": "flip rate over repeats",
    "temperature_sensitivity": "flip rate over temperatures",
    "refusal_stability": "flip rate of refusals",
    "position_coherence": "pairs that came out alike",
    "self_contradiction": "triples that came out alike",
    "phrasing_robustness": "groups that passed in every phrasing",
    "worst_phrasing_drop": "drop to the worst phrasing",
    "few_shot_gain": "gain by examples",
}
_POINTS = ("worst_phrasing_drop", "few_shot_gain")
"""Differences of two rates, which are written in points."""


class FigureRow(NamedTuple):
    """One figure in words; what there is not is a dash."""

    name: str
    value: str
    interval: str
    over: str
    beside: str


def figure_rows(extra: Mapping[str, Any]) -> list[FigureRow]:
    """The figures of a report or of a comparison, in their order; what is no figure is left out."""
    found = ((name, _figure(value)) for name, value in extra.items())
    return [_row(name, figure) for name, figure in found if figure is not None]


def _figure(value: Any) -> Figure | None:
    try:
        return Figure.model_validate(value)
    except ValidationError:  # a report that was edited by hand, or of a later version
        return None


def _row(name: str, figure: Figure) -> FigureRow:
    apart = name in _POINTS
    shown = (
        f"{words.points(figure.value)} points" if apart and figure.value is not None else words.percent(figure.value)
    )
    return FigureRow(
        _WHAT.get(name, name.replace("_", " ")),
        shown,
        _interval(figure.interval) or "–",
        f"{figure.n:,} {figure.of}",
        "; ".join(_beside(figure)),
    )


def _interval(found: Interval | Bounds | None) -> str:
    match found:
        case Interval():
            return words.interval(found)
        case Bounds():
            return words.between(found)
        case None:
            return ""


def _beside(figure: Figure) -> list[str]:
    """The rates that a difference is made of, why there is no value, and what could not be counted."""
    rates = [f"{name} {words.percent(value)}" for name, value in figure.detail.items() if name != "p"]
    out = [", ".join(rates)] if rates else []
    if "p" in figure.detail:
        out.append(f"p = {figure.detail['p']:.3g}")
    out += [figure.reason] if figure.reason else []
    return out + ([f"{figure.left_out:,} not counted"] if figure.left_out else [])
