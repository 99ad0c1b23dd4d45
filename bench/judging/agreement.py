"""How far a judge agrees with people over the same answers: kappa, rates and their intervals. Pure functions."""

import math
from collections.abc import Sequence

from evalspec.bench.stats import Z, kappa, wilson
from evalspec.spec.model import Model

Pair = tuple[bool, bool]
"""What the people and what the judge say of one answer: whether it passes."""


class Figure(Model):
    """A figure with its 95 % interval; None with the reason where there is nothing to say."""

    value: float | None
    of: int
    """How many answers it is taken over."""
    low: float | None = None
    high: float | None = None
    method: str = ""
    """`wilson`, or `asymptotic` (Fleiss, Cohen and Everitt 1969)."""
    reason: str = ""


class Confusion(Model):
    """Answers by what the people say (first word) and what the judge says (second)."""

    pass_pass: int
    pass_fail: int
    fail_pass: int
    fail_fail: int


def confusion(pairs: Sequence[Pair]) -> Confusion:
    """Count the pairs."""
    listed = list(pairs)
    return Confusion(
        pass_pass=listed.count((True, True)),
        pass_fail=listed.count((True, False)),
        fail_pass=listed.count((False, True)),
        fail_fail=listed.count((False, False)),
    )


def rate(hits: int, of: int, nothing: str) -> Figure:
    """A rate with its Wilson interval; `nothing` is said where it is a rate of none."""
    interval = wilson(hits, of)
    if interval is None:
        return Figure(value=None, of=0, reason=nothing)
    return Figure(value=hits / of, of=of, low=interval.low, high=interval.high, method="wilson")


def kappa_of(pairs: Sequence[Pair]) -> Figure:
    """Cohen's kappa with its asymptotic interval, cut to -1 and 1.

    The standard error is formula 13 of Fleiss, Cohen and Everitt (Psychol. Bull. 72 (1969) 323-327). Where all pairs
    agree it is 0, so no interval is given.
    """
    value = kappa([people for people, _ in pairs], [judge for _, judge in pairs])
    if value is None:
        return Figure(value=None, of=len(pairs), reason="all labels and all verdicts are the same")
    error = _error(confusion(pairs), value)
    if error < 1e-9:
        reason = "no interval: by this method a perfect agreement has none; see the intervals of the rates"
        return Figure(value=value, of=len(pairs), reason=reason)
    low, high = max(-1.0, value - Z * error), min(1.0, value + Z * error)
    return Figure(value=value, of=len(pairs), low=low, high=high, method="asymptotic")


def _error(counts: Confusion, value: float) -> float:
    table = ((counts.pass_pass, counts.pass_fail), (counts.fail_pass, counts.fail_fail))
    n = sum(map(sum, table))
    cells = [[cell / n for cell in row] for row in table]
    people = [sum(row) for row in cells]
    judge = [cells[0][side] + cells[1][side] for side in (0, 1)]
    chance = sum(people[side] * judge[side] for side in (0, 1))
    agreeing = sum(cells[side][side] * (1 - (people[side] + judge[side]) * (1 - value)) ** 2 for side in (0, 1))
    differing = sum(cells[one][1 - one] * (judge[one] + people[1 - one]) ** 2 for one in (0, 1))
    middle = (value - chance * (1 - value)) ** 2
    variance = (agreeing + (1 - value) ** 2 * differing - middle) / (n * (1 - chance) ** 2)
    return math.sqrt(max(0.0, variance))
