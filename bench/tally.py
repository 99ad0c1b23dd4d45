"""What a run adds up to, counted in DuckDB: rates by check, metric and slice, latencies, how far the runs differ."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import fmean, stdev
from typing import Any

from evalspec.bench import stats
from evalspec.bench.queries import sql
from evalspec.bench.report import Interval, Rate, Spread
from evalspec.bench.results import TrialScore
from evalspec.bench.suite import Suite
from evalspec.bench.tables import load, of_suite, of_trials
from evalspec.outputs import database
from evalspec.spec.dataclass import dataclass

MOST_DRAWN = 10
"""pass@k and pass^k are given for k from 1 to the number of runs, and no further than this."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One rate, and what it would be had every run that was not scored failed (`lowest`) or passed (`highest`)."""

    rate: Rate
    lowest: float | None = None
    highest: float | None = None
    trials: int = 0
    open_trials: int = 0
    """Trials, of all, that were not scored, errors among them."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Latencies in ms and tokens.

    `p95_least` and `p95_most` bound the 95th percentile where some answers did not say how long they took; None where
    the bound is 0, and where it is unknown.
    """

    answered: int
    reported: int
    p50: float | None
    p95: float | None
    p95_least: float | None
    p95_most: float | None
    mean_tokens: float | None
    total_tokens: int
    rejected: int
    """Cases of which the validator rejected an answer."""


@dataclass(frozen=True, slots=True)
class Tally:
    """All that is counted of a run."""

    passed: Counted
    checks: dict[str, Counted]
    metrics: dict[str, Counted]
    slices: dict[str, dict[str, Counted]]
    figures: Figures
    spread: Spread | None
    """None for a single run."""


@contextmanager
def counting(suite: Suite) -> Iterator[Any]:
    """A database that holds what is known of a suite before any answer; `tally` counts in it, once.

    No answers are counted in it already: a fifth of a first count is what DuckDB loads and plans.
    """
    with database.opened() as connection:
        load(connection, of_suite(suite))
        _sums(connection, suite, ())
        yield connection


def tally(suite: Suite, trials: Sequence[TrialScore], connection: Any) -> Tally:
    """Count the trials of a suite in the database that `counting` gave for it."""
    runs = len({trial.epoch for trial in trials})
    rows, figures = _sums(connection, suite, trials)
    spread = _spread(connection, suite, runs) if runs > 1 else None
    kinds: dict[str, dict[str, Counted]] = {}
    for row in rows:
        kinds.setdefault(row["kind"], {})[row["name"]] = _counted(row, runs)
    nothing = Counted(Rate(value=None, attempted=0, scored=0, unscored=0, errored=0))
    return Tally(
        kinds.get("case", {}).get("", nothing),
        kinds.get("check", {}),
        kinds.get("metric", {}),
        {kind.removeprefix("slice "): rates for kind, rates in kinds.items() if kind.startswith("slice ")},
        Figures(**figures),
        spread,
    )


def _sums(connection: Any, suite: Suite, trials: Sequence[TrialScore]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The sums behind every rate, and the figures."""
    load(connection, of_trials(suite, trials))
    connection.execute(sql("case_values"))
    rows = database.rows(connection, sql("rates"))
    (figures,) = database.rows(connection, sql("figures"))
    return rows, figures


def _counted(row: dict[str, Any], runs: int) -> Counted:
    attempted, scored = row["attempted"], row["scored"]
    rate = Rate(
        value=_share(row["total"], scored) if scored else None,
        attempted=attempted,
        scored=scored,
        unscored=attempted - scored - row["errored"],
        errored=row["errored"],
        interval=_interval(row, runs),
    )
    lowest, highest = _share(row["lowest"], attempted), _share(row["highest"], attempted)
    return Counted(rate, lowest, highest, row["runs"], row["open"])


def _share(total: float, n: int) -> float:
    """A mean without the last bits, which hang on the order that DuckDB added up in."""
    return min(1.0, max(0.0, round(total / n, 12)))


def _interval(row: dict[str, Any], runs: int) -> Interval | None:
    """Wilson for single runs of cases on their own; by clusters where cases are linked or their values are means."""
    scored, clusters = row["scored"], row["clusters"]
    if runs == 1 and clusters == scored:
        return stats.wilson(round(row["total"]), scored)
    if clusters < 2:
        return None
    error = stats.error_of(scored, clusters, row["squares"])
    interval = stats.clustered_interval(_share(row["total"], scored), scored, clusters, error)
    return interval and Interval(low=round(interval.low, 12), high=round(interval.high, 12), method=interval.method)


def _spread(connection: Any, suite: Suite, runs: int) -> Spread:
    rates = tuple(row["rate"] for row in database.rows(connection, sql("runs")))
    known = [rate for rate in rates if rate is not None]
    flips = tuple(suite.cases[row["number"]].case_id for row in database.rows(connection, sql("flips")))
    return Spread(
        pass_rates=rates,
        mean=fmean(known) if known else None,
        standard_deviation=stdev(known) if len(known) > 1 else None,
        flips=flips,
        pass_at=_draws(database.rows(connection, sql("repeats")), runs),
    )


def _draws(repeats: list[dict[str, Any]], runs: int) -> dict[str, float | None]:
    out: dict[str, float | None] = {}
    for k in range(1, min(runs, MOST_DRAWN) + 1):
        fit = [row for row in repeats if row["runs"] >= k]
        cases = sum(row["cases"] for row in fit)
        for sign, draw in (("@", stats.pass_at), ("^", stats.pass_hat)):
            total = sum(row["cases"] * (draw(row["runs"], row["passed"], k) or 0.0) for row in fit)
            out[f"pass{sign}{k}"] = _share(total, cases) if cases else None
    return out
