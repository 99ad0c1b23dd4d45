"""The statistics of rates: intervals, the exact test of McNemar, pass@k and pass^k, kappa. Pure functions of numbers.

Outcomes are numbers from 0 (failed) to 1 (passed), one a case; what is between is the mean of a case over its runs.
"""

import math
from collections.abc import Hashable, Sequence
from functools import lru_cache
from statistics import NormalDist

from evalspec.bench.report import Interval

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
"""The two-sided 95 % point of the normal distribution, 1.96."""
EXPANDED_FROM = 60
"""Degrees of freedom from which the expansion of t is right to seven digits."""


def wilson(passed: float, n: float, critical: float = Z) -> Interval | None:
    """The Wilson score interval of `passed` out of `n`, without continuity correction; None where n is 0.

    Wilson, JASA 22 (1927) 209-212. Raises ValueError where `passed` is not within 0 and `n`.
    """
    if not 0 <= passed <= n:
        raise ValueError(f"{passed} of {n} is no rate")
    if n == 0:
        return None
    return _score_limits(passed / n, n, critical, "wilson")


def _score_limits(rate: float, n: float, critical: float, method: str) -> Interval:
    square = critical * critical
    middle = (rate + square / (2 * n)) / (1 + square / n)
    half = critical / (1 + square / n) * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    low, high = max(0.0, min(middle - half, rate)), min(1.0, max(middle + half, rate))
    limits = {"low": 0.0 if rate <= 0 else low, "high": 1.0 if rate >= 1 else high}
    return Interval.model_validate({**limits, "method": method})


def clustered_error(outcomes: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """The standard error of the mean of `outcomes` where those of one cluster depend on one another.

    The sandwich estimator with the factor G / (G - 1) for G clusters (Liang and Zeger, Biometrika 73 (1986) 13-22;
    for evals Miller, arXiv 2411.00640, 2.2). None where there are fewer than two clusters.
    """
    n = len(outcomes)
    sums: dict[Hashable, float] = {}
    mean = math.fsum(outcomes) / n if n else 0.0
    for outcome, cluster in zip(outcomes, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + outcome - mean
    return error_of(n, len(sums), math.fsum(value * value for value in sums.values()))


def error_of(n: int, clusters: int, squares: float) -> float | None:
    """The clustered standard error from `squares`, the sum over clusters of their squared sums of residuals."""
    if clusters < 2:
        return None
    return math.sqrt(clusters / (clusters - 1) * squares) / n


def clustered(outcomes: Sequence[float], clusters: Sequence[Hashable]) -> Interval | None:
    """A 95 % interval of the mean of `outcomes` with clusters; None where there are fewer than two of them."""
    error = clustered_error(outcomes, clusters)
    n = len(outcomes)
    return clustered_interval(math.fsum(outcomes) / n, n, len(set(clusters)), error) if error is not None else None


def clustered_interval(rate: float, n: int, clusters: int, error: float | None) -> Interval | None:
    """The Wilson interval at the effective size, with t at `clusters` - 1 degrees of freedom in place of z.

    The effective size is rate (1 - rate) / error squared, and never more than the `n` cases (Franco and others, J.
    Survey Stat. Methodol. 7 (2019) 334-364; the limit as in the NCHS standards for proportions, 2017). At a rate of 0
    or 1 there is no error to go by: the clusters are counted. It holds the rate and lies within 0 and 1.
    """
    if clusters < 2 or error is None:
        return None
    spread = rate * (1 - rate)
    size = float(clusters)
    if spread > 1e-12:
        size = min(float(n), spread / (error * error)) if error > 1e-12 else float(n)
    return _score_limits(min(max(rate, 0.0), 1.0), size, t_point(clusters - 1), "clustered")


@lru_cache(maxsize=4096)
def t_point(freedom: int) -> float:
    """The two-sided 95 % point of Student's t: 12.706 at 1 degree of freedom, 2.228 at 10.

    By the finite series of Abramowitz and Stegun 26.7.3-4 and, from 60 degrees on, by their expansion 26.7.5.
    Raises ValueError under one degree of freedom.
    """
    if freedom < 1:
        raise ValueError("t has at least one degree of freedom")
    if freedom >= EXPANDED_FROM:
        first = (Z**3 + Z) / 4
        second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
        third = (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384
        return Z + first / freedom + second / freedom**2 + third / freedom**3
    low, high = 0.0, math.pi / 2
    for _ in range(80):
        angle = (low + high) / 2
        low, high = (angle, high) if _t_within(angle, freedom) < CONFIDENCE else (low, angle)
    return math.tan(low) * math.sqrt(freedom)


def _t_within(angle: float, freedom: int) -> float:
    """The probability that t lies within plus and minus tan(angle) sqrt(freedom)."""
    cosine = math.cos(angle)
    odd = freedom % 2 == 1
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(3 if odd else 2, freedom - 1, 2):
        term *= cosine * cosine * (step - 1) / step
        total += term
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


def mcnemar(worse: int, better: int) -> float:
    """The exact two-sided p of McNemar's test over pairs that differ: `worse` one way, `better` the other.

    Twice the smaller tail of a binomial at one half, at most 1 (McNemar, Psychometrika 12 (1947) 153-157).
    Raises ValueError for negative counts.
    """
    if worse < 0 or better < 0:
        raise ValueError("counts are not negative")
    n = worse + better
    tail = sum(math.comb(n, k) for k in range(min(worse, better) + 1))
    return min(1.0, 2 * tail / (1 << n)) if n else 1.0


def pass_at(n: int, passed: int, k: int) -> float | None:
    """pass@k: the chance that one of `k` runs passes, of `n` with `passed`; None where n is under k.

    Unbiased: 1 - C(n - passed, k) / C(n, k) (Chen and others, arXiv 2107.03374).
    """
    if not _drawable(n, passed, k):
        return None
    return (math.comb(n, k) - math.comb(n - passed, k)) / math.comb(n, k)


def pass_hat(n: int, passed: int, k: int) -> float | None:
    """pass^k: the chance that all of `k` runs pass, of `n` with `passed`; None where n is under k.

    Unbiased: C(passed, k) / C(n, k) (Yao and others, arXiv 2406.12045).
    """
    return None if not _drawable(n, passed, k) else math.comb(passed, k) / math.comb(n, k)


def _drawable(n: int, passed: int, k: int) -> bool:
    if k < 1 or not 0 <= passed <= n:
        raise ValueError(f"{k} of {n} runs with {passed} passed cannot be drawn")
    return n >= k


def kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Cohen's kappa of two raters over the same items: agreement over what chance would give.

    None without items, and where chance alone would agree always: both used one and the same label throughout
    (Cohen, Educ. Psychol. Meas. 20 (1960) 37-46). Raises ValueError where the lengths differ.
    """
    n = len(first)
    if n != len(second):
        raise ValueError("two raters rate the same items")
    if not n:
        return None
    seen = sum(a == b for a, b in zip(first, second, strict=True)) / n
    chance = sum(list(first).count(label) * list(second).count(label) for label in set(first)) / (n * n)
    return None if chance >= 1 else (seen - chance) / (1 - chance)
