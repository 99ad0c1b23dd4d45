"""How many records each value of each axis must have, in exact arithmetic.

Domain, difficulty and geography are shares of the dataset's own total; dimensions are counts. A tolerance is
relative to the target and its bounds belong to it. A partial plan is judged by its own planned numbers.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, floor

from evalspec.spec.config import SizeRange
from evalspec.spec.dataclass import dataclass
from evalspec.spec.plan import Plan, Quota


@dataclass(frozen=True, slots=True)
class Target:
    """One value of one axis. `low` and `high` are records, inclusive; `share` is None where a count was asked."""

    axis: str
    name: str
    share: float | None
    target: float
    tolerance: float
    low: int
    high: int
    strict_low: int
    strict_high: int
    allowed: str
    origin: str


def percent(fraction: float) -> str:
    """A tolerance as a reader writes it: `5 %`, `2.5 %`."""
    return f"{100 * fraction:.10g} %"


def size_range(plan: Plan) -> SizeRange:
    """The accepted number of records, both ends included; a partial plan's own total with five per cent around it."""
    if plan.acceptance.size is not None and not plan.filters.partial:
        return plan.acceptance.size
    total = len(plan.slots()) if plan.filters.partial else plan.dataset.target_total
    return SizeRange(min=max(1, ceil(total * Fraction(95, 100))), max=max(1, floor(total * Fraction(105, 100))))


def make_targets(plan: Plan, total: int) -> Iterator[Target]:
    """The targets of a dataset of `total` records."""
    table, accept = plan.allocation, plan.acceptance
    largest = max((len(group.slots) for group in plan.groups), default=1)
    slots = plan.slots()
    axes: tuple[tuple[str, str, Sequence[Quota], float], ...] = (
        ("dimension", "dimension", table.dimensions, accept.dimension_tolerance),
        ("domain", "source_domain", table.domains, accept.domain_tolerance),
        ("difficulty", "difficulty", table.difficulties, accept.difficulty_tolerance),
        ("geography", "geography", table.geographies, accept.geography_tolerance),
    )
    for axis, field, quotas, tolerance in axes:
        slotted = Counter(getattr(slot, field) for slot in slots)
        asked = {
            quota.name: Fraction(slotted[quota.name] if plan.filters.partial else repr(quota.asked)) for quota in quotas
        }
        whole = sum(asked.values()) or Fraction(1)
        for quota in quotas:
            share = None if axis == "dimension" else (asked[quota.name] / whole).limit_denominator(10**9)
            target = asked[quota.name] if share is None else share * total
            near = abs(slotted[quota.name] - target) < largest
            planned = slotted[quota.name] if near and total == len(slots) else None
            yield _target(axis, quota, share, target, tolerance, planned)


def _target(
    axis: str, quota: Quota, share: Fraction | None, target: Fraction, tolerance: float, planned: int | None
) -> Target:
    """Whole records and whole groups cannot meet every share: what rounds to the target, or was planned, is
    accepted.
    """
    reach = target * Fraction(repr(tolerance))
    strict_low, strict_high = ceil(target - reach), floor(target + reach)
    near = [floor(target), ceil(target), *([] if planned is None else [planned])]
    return Target(
        axis=axis,
        name=quota.name,
        share=None if share is None else float(share),
        target=float(target),
        tolerance=tolerance,
        low=max(0, min(strict_low, *near)),
        high=max(strict_high, *near),
        strict_low=strict_low,
        strict_high=strict_high,
        allowed=percent(tolerance),
        origin=quota.origin,
    )
