"""The statistics of rates and of pairs: known values, and what holds for all."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalspec.bench import paired, stats


@pytest.mark.parametrize(
    ("passed", "n", "low", "high"), [(0, 60, 0.0, 0.060), (190, 200, 0.910, 0.973), (482, 500, 0.944, 0.977)]
)
def test_wilson_is_the_score_interval(passed: int, n: int, low: float, high: float) -> None:
    interval = stats.wilson(passed, n)
    assert interval is not None
    assert (low, high, "wilson") == (round(interval.low, 3), round(interval.high, 3), interval.method)


def test_wilson_of_nothing_is_no_interval() -> None:
    assert stats.wilson(0, 0) is None


@pytest.mark.parametrize(("passed", "n"), [(-1, 5), (6, 5), (1, 0)])
def test_wilson_refuses_what_is_no_rate(passed: int, n: int) -> None:
    with pytest.raises(ValueError, match="no rate"):
        stats.wilson(passed, n)


@settings(deadline=None)
@given(st.integers(1, 2000), st.data())
def test_wilson_holds_the_rate_within_0_and_1_and_grows_with_it(n: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, n))
    interval = stats.wilson(passed, n)
    assert interval is not None
    assert 0 <= interval.low <= passed / n <= interval.high <= 1
    assert interval.low < interval.high
    if passed < n:
        more = stats.wilson(passed + 1, n)
        assert more is not None
        assert more.low >= interval.low
        assert more.high >= interval.high


@settings(deadline=None)
@given(st.integers(1, 500), st.integers(0, 500))
def test_wilson_of_failures_mirrors_that_of_passes(n: int, passed: int) -> None:
    one, other = stats.wilson(min(passed, n), n), stats.wilson(n - min(passed, n), n)
    assert one is not None
    assert other is not None
    assert math.isclose(one.low, 1 - other.high, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("worse", "better", "p"),
    [(0, 0, 1.0), (2, 0, 0.5), (5, 0, 0.0625), (6, 0, 0.03125), (3, 9, 0.1460), (10, 25, 0.0167)],
)
def test_mcnemar_is_exact_and_two_sided(worse: int, better: int, p: float) -> None:
    assert p == pytest.approx(stats.mcnemar(worse, better), abs=5e-5)
    assert stats.mcnemar(worse, better) == stats.mcnemar(better, worse)


@settings(deadline=None)
@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_a_probability_and_falls_as_the_counts_part(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert 0 <= stats.mcnemar(low, high) <= 1
    assert stats.mcnemar(low, high + 1) <= stats.mcnemar(low, high) or high - low < 2


def test_three_equal_outcomes_a_cluster_count_as_one() -> None:
    outcomes = [1.0] * 240 + [0.0] * 60
    numbers = [n // 3 for n in range(300)]
    error = stats.clustered_error(outcomes, numbers)
    assert error is not None
    assert round(error, 4) == 0.0402
    interval, single = stats.clustered(outcomes, numbers), stats.wilson(80, 100)
    assert interval is not None
    assert single is not None
    assert interval.method == "clustered"
    assert interval.low == pytest.approx(single.low, abs=0.003)
    assert interval.high == pytest.approx(single.high, abs=0.003)


def test_one_cluster_has_no_interval() -> None:
    assert stats.clustered([1.0, 0.0, 1.0], ["g", "g", "g"]) is None
    assert stats.clustered([], []) is None


def test_clusters_that_all_passed_keep_the_width_of_their_number() -> None:
    interval = stats.clustered([1.0] * 30, [n // 3 for n in range(30)])
    assert interval is not None
    assert interval.high == 1.0
    assert interval.low == pytest.approx(10 / (10 + stats.t_point(9) ** 2))


def test_means_of_runs_are_never_taken_for_more_cases_than_there_are() -> None:
    """Sixty cases of which each passed two of three runs vary not at all: the interval is still that of 60."""
    interval = stats.clustered([2 / 3] * 60, range(60))
    single = stats.wilson(40, 60, stats.t_point(59))
    assert interval is not None
    assert single is not None
    assert (single.low, single.high) == pytest.approx((interval.low, interval.high))


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.0, 1 / 3, 0.5, 1.0]), st.integers(0, 8)), min_size=1, max_size=60))
def test_a_clustered_interval_holds_the_rate_within_0_and_1(pairs: list[tuple[float, int]]) -> None:
    outcomes, numbers = [value for value, _ in pairs], [number for _, number in pairs]
    interval = stats.clustered(outcomes, numbers)
    assert (interval is None) == (len(set(numbers)) < 2)
    if interval is not None:
        mean = math.fsum(outcomes) / len(outcomes)
        assert -1e-9 <= interval.low <= mean + 1e-9
        assert mean - 1e-9 <= interval.high <= 1 + 1e-9


@pytest.mark.parametrize(
    ("freedom", "point"),
    [(1, 12.7062), (2, 4.3027), (5, 2.5706), (10, 2.2281), (30, 2.0423), (60, 2.0003), (120, 1.9799)],
)
def test_t_points_are_those_of_the_tables(freedom: int, point: float) -> None:
    assert point == round(stats.t_point(freedom), 4)


@settings(deadline=None)
@given(st.integers(1, 5000))
def test_t_points_fall_towards_the_normal(freedom: int) -> None:
    assert stats.t_point(freedom) > stats.t_point(freedom + 1) > stats.Z


@pytest.mark.parametrize(
    ("n", "passed", "k", "at", "hat"),
    [(3, 2, 2, 1.0, 1 / 3), (5, 3, 3, 1.0, 0.1), (2, 2, 3, None, None), (3, 1, 1, 1 / 3, 1 / 3)],
)
def test_pass_at_and_pass_hat_are_unbiased(n: int, passed: int, k: int, at: float | None, hat: float | None) -> None:
    assert (at, hat) == pytest.approx((stats.pass_at(n, passed, k), stats.pass_hat(n, passed, k)))


@settings(deadline=None)
@given(st.integers(1, 20), st.data())
def test_one_of_k_is_likelier_than_all_of_k(n: int, data: st.DataObject) -> None:
    passed, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    at, hat = stats.pass_at(n, passed, k), stats.pass_hat(n, passed, k)
    assert at is not None
    assert hat is not None
    assert 0 <= hat <= at <= 1


def test_kappa_takes_chance_off_agreement() -> None:
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert pytest.approx(stats.kappa(first, second)) == 0.4
    assert stats.kappa([1, 0, 1], [1, 0, 1]) == 1.0
    assert stats.kappa([1, 1], [1, 1]) is None
    assert stats.kappa([], []) is None
    with pytest.raises(ValueError, match="same items"):
        stats.kappa([1], [1, 0])


def test_score_limits_are_those_of_a_published_example() -> None:
    """Airway hyper-responsiveness in 21 children, 7 and 1 of whom differ; limits as Fagerland and others give them."""
    limits = paired.score_limits(7, 1, 21)
    assert limits is not None
    assert (round(limits.low, 3), round(limits.high, 3)) == (-0.517, -0.026)


def test_score_limits_of_no_difference_are_as_wide_as_wilson_of_none() -> None:
    limits, none = paired.score_limits(0, 0, 60), stats.wilson(0, 60)
    assert limits is not None
    assert none is not None
    assert (-none.high, none.high) == pytest.approx((limits.low, limits.high))


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_score_limits_hold_the_difference(worse: int, better: int, same: int) -> None:
    n = worse + better + same
    limits = paired.score_limits(worse, better, n)
    assert (limits is None) == (n == 0)
    if limits is not None:
        assert -1 <= limits.low <= (better - worse) / n + 1e-9
        assert (better - worse) / n - 1e-9 <= limits.high <= 1


DIFFERENCES = [-1.0] * 10 + [1.0] * 25 + [0.0] * 165


def test_a_bootstrap_is_the_same_for_the_same_seed() -> None:
    first, again = (paired.bootstrap(DIFFERENCES, range(200), seed=7) for _ in range(2))
    other = paired.bootstrap(DIFFERENCES, range(200), seed=8, resamples=1_000)
    assert first == again
    assert first is not None
    assert first != other
    assert first.low < 0.075 < first.high


def test_a_bootstrap_comes_near_the_normal_interval() -> None:
    error = stats.clustered_error(DIFFERENCES, range(200))
    limits = paired.bootstrap(DIFFERENCES, range(200))
    assert error is not None
    assert limits is not None
    assert limits.high - limits.low == pytest.approx(2 * stats.Z * error, rel=0.05)


def test_a_bootstrap_draws_whole_clusters() -> None:
    """Each difference three times over, linked: as wide as once, not narrower by the root of three."""
    once = paired.bootstrap(DIFFERENCES, range(200))
    thrice = paired.bootstrap([d for d in DIFFERENCES for _ in range(3)], [n // 3 for n in range(600)])
    assert once is not None
    assert thrice is not None
    assert thrice.high - thrice.low == pytest.approx(once.high - once.low, rel=0.05)


def test_a_bootstrap_of_what_does_not_vary_is_none() -> None:
    assert paired.bootstrap([0.0] * 50, range(50)) is None
    assert paired.bootstrap([1.0, 0.0], ["g", "g"]) is None
    assert paired.bootstrap([], []) is None


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-0.01, 0.05, "non-inferior"), (-0.02, 0.05, "undecided"), (-0.1, -0.03, "inferior"), (-0.1, -0.02, "undecided")],
)
def test_a_margin_is_kept_by_the_whole_interval(low: float, high: float, verdict: str) -> None:
    assert verdict == paired.standing(paired.Limits(low, high), 0.02)


def test_without_an_interval_a_margin_is_undecided() -> None:
    assert paired.standing(None, 0.02) == "undecided"
    with pytest.raises(ValueError, match="margin"):
        paired.standing(None, 0.0)


def test_the_smallest_detectable_change_solves_its_formula() -> None:
    change = paired.detectable(200, 40)
    assert change is not None
    share = 0.2
    root = stats.Z * math.sqrt(share) + paired.Z_POWER * math.sqrt(share - change**2)
    assert pytest.approx((root / change) ** 2) == 200


@settings(deadline=None)
@given(st.integers(4, 2000), st.integers(0, 50))
def test_more_pairs_show_smaller_changes(n: int, differing: int) -> None:
    few, many = paired.detectable(n, min(differing, n)), paired.detectable(4 * n, 4 * min(differing, n))
    assert few is not None
    assert many is not None
    assert 0 < many < few <= 1


def test_three_pairs_show_nothing() -> None:
    assert paired.detectable(3, 1) is None
    assert paired.detectable(0, 0) is None


def test_the_detectable_change_of_means_goes_by_their_error() -> None:
    error = stats.clustered_error([0.5, 0.0, -0.5, 0.25], range(4))
    assert error is not None
    assert (stats.Z + paired.Z_POWER) * error == paired.detectable_by_error([0.5, 0.0, -0.5, 0.25], range(4))
    assert paired.detectable_by_error([0.0, 0.0], range(2)) is None
