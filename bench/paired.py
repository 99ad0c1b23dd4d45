"""The statistics of pairs: the same cases under two systems, or the same task in two forms. Pure functions of numbers.

A difference is the second value less the first. What depends on chance takes a seed.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import Literal

from evalspec.bench.stats import Z, clustered_error, wilson
from evalspec.spec.dataclass import dataclass

RESAMPLES = 10_000
SEED = 42
POWER = 0.8
Z_POWER = NormalDist().inv_cdf(POWER)
Standing = Literal["non-inferior", "inferior", "undecided"]


@dataclass(frozen=True, slots=True)
class Limits:
    """A 95 % interval of a difference, from -1 to 1."""

    low: float
    high: float


def bootstrap(
    differences: Sequence[float],
    clusters: Sequence[Hashable],
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Limits | None:
    """The percentile interval of the mean of `differences`, drawn by whole clusters.

    None where there are fewer than two clusters, or no two that differ: then resampling shows nothing. Clusters of one
    size and sum are drawn together, from a multinomial: the same draw, and no longer for more cases (Davison and
    Hinkley, Bootstrap Methods and their Application, 1997, 3.8).
    """
    import numpy as np

    sums: dict[Hashable, tuple[int, float]] = {}
    for difference, cluster in zip(differences, clusters, strict=True):
        size, total = sums.get(cluster, (0, 0.0))
        sums[cluster] = size + 1, total + difference
    kinds = Counter((size, round(total, 9)) for size, total in sums.values())
    if len({total / size for size, total in kinds}) < 2:
        return None
    ordered = sorted(kinds)
    shares = np.array([kinds[kind] for kind in ordered], dtype=float) / len(sums)
    drawn = np.random.default_rng(seed).multinomial(len(sums), shares, size=_affordable(resamples, len(ordered)))
    sizes, totals = (np.array(column, dtype=float) for column in zip(*ordered, strict=True))
    means = (drawn @ totals) / (drawn @ sizes)
    low, high = np.quantile(means, [0.025, 0.975])
    return Limits(float(low), float(high))


def _affordable(resamples: int, kinds: int) -> int:
    """As many resamples as asked for, and fewer, but 1,000, where the kinds of clusters are many."""
    return max(min(resamples, 1_000), min(resamples, 20_000_000 // kinds))


def score_limits(worse: int, better: int, n: int) -> Limits | None:
    """Tango's score interval of the difference of paired proportions: (`better` - `worse`) / `n`; None without pairs.

    It holds where few pairs differ or none does, as a bootstrap cannot (Tango, Statistics in Medicine 17 (1998)
    891-908). Raises ValueError where the counts do not fit.
    """
    if min(worse, better) < 0 or worse + better > n:
        raise ValueError(f"{worse} and {better} of {n} pairs cannot differ")
    if n == 0:
        return None
    estimate = (better - worse) / n
    return Limits(
        _crossing(worse, better, n, -1.0, estimate, Z),
        _crossing(worse, better, n, 1.0, estimate, -Z),
    )


def _crossing(worse: int, better: int, n: int, outer: float, inner: float, target: float) -> float:
    """The difference between `outer` and `inner` at which the score statistic is `target`, by bisection."""
    for _ in range(60):
        middle = (outer + inner) / 2
        if abs(_tango(worse, better, n, middle)) > abs(target):
            outer = middle
        else:
            inner = middle
    return inner


def _tango(worse: int, better: int, n: int, difference: float) -> float:
    a = 2 * n
    b = -better - worse + (2 * n - better + worse) * difference
    c = -worse * difference * (1 - difference)
    share = (math.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
    variance = n * (2 * share + difference * (1 - difference))
    distance = better - worse - n * difference
    if variance <= 0:
        return 0.0 if abs(distance) < 1e-12 else math.copysign(math.inf, distance)
    return distance / math.sqrt(variance)


def standing(limits: Limits | None, margin: float) -> Standing:
    """Non-inferior: the whole interval lies over -`margin`; inferior: all under it. Raises ValueError for no margin."""
    if not 0 < margin < 1:
        raise ValueError("a margin is a share between 0 and 1")
    if limits is None:
        return "undecided"
    if limits.low > -margin:
        return "non-inferior"
    return "inferior" if limits.high < -margin else "undecided"


def detectable(n: int, differing: int) -> float | None:
    """The smallest change of a rate that `n` pairs, `differing` of which differ, show at 5 % in 80 of 100 tries.

    The difference d that solves n d^2 = (z sqrt(s) + z' sqrt(s - d^2))^2 for a share s of pairs that differ (Connor,
    Biometrics 43 (1987) 207-211), at s as it was seen, or at d where that is more. Where no pair differed, s is the
    upper Wilson limit of none in n. None where even a change of every pair would not show.
    """
    if n <= 0:
        return None
    limits = wilson(differing, n)
    seen = differing / n if differing or limits is None else limits.high

    def shows(change: float) -> bool:
        share = max(seen, change)
        return change * math.sqrt(n) >= Z * math.sqrt(share) + Z_POWER * math.sqrt(max(share - change * change, 0.0))

    if not shows(1.0):
        return None
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


def detectable_by_error(differences: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """The smallest change of a mean that shows at 5 % in 80 of 100 tries: (z + z') times the clustered standard error.

    None where the error is unknown or 0 (Miller, arXiv 2411.00640, 5).
    """
    error = clustered_error(differences, clusters) if differences else None
    return (Z + Z_POWER) * error if error else None
