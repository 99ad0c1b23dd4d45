"""Changes from one report to another, over the cases that both scored: as a whole, by check, by metric, by slice."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from math import fsum
from typing import Literal

from evalspec.bench import paired
from evalspec.bench.clusters import clusters
from evalspec.bench.comparison import Bounds, Change
from evalspec.bench.report import MetricScore, Report
from evalspec.bench.row_values import Values, case_values, check_values, metric_values
from evalspec.bench.slices import fact_axes, named_module, slices_of
from evalspec.spec.dataclass import dataclass

PART_RESAMPLES = 2_000
"""Resamples for a check, a metric or a slice, of which there are many."""
MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class ReportValues:
    """The values of a report's cases: as a whole, by check and by metric."""

    cases: dict[str, float]
    checks: Values
    metrics: Values


def values_of(report: Report) -> ReportValues:
    """The values of a report's cases, from its rows."""
    return ReportValues(case_values(report.rows), check_values(report.rows), metric_values(report.rows))


@dataclass(frozen=True)
class Parts:
    """Two reports, the values of their cases, and the cases that are the same in both."""

    base: Report
    candidate: Report
    base_values: ReportValues
    candidate_values: ReportValues
    same: frozenset[str]
    seed: int
    resamples: int

    @cached_property
    def scored(self) -> frozenset[str]:
        """The same cases that both reports scored."""
        return self.same & self.base_values.cases.keys() & self.candidate_values.cases.keys()

    @cached_property
    def single(self) -> bool:
        """Whether each case was tried once in both."""
        return all(row.epoch == 1 for report in (self.base, self.candidate) for row in report.rows)

    @cached_property
    def clusters(self) -> dict[str, int]:
        """The cluster of each case of the base."""
        return clusters({row.case_id: row.links for row in self.base.rows})

    @cached_property
    def apart(self) -> bool:
        """Whether no two of the cases are linked."""
        return len({self.clusters[case] for case in self.scored}) == len(self.scored)

    def turned(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Cases that passed in most runs of one report and not in most of the other: newly failing, newly passing."""
        ours, theirs = self.base_values.cases, self.candidate_values.cases
        cases = [case for case in self.base.case_digests if case in self.scored]
        worse = tuple(case for case in cases if ours[case] > MOSTLY >= theirs[case])
        return worse, tuple(case for case in cases if ours[case] <= MOSTLY < theirs[case])

    def limits(self, bounds: Bounds | None, worse: int, better: int) -> paired.Limits | None:
        """The wider of the bootstrap and, for single cases on their own, the score interval: the verdict goes by it."""
        own = paired.Limits(bounds.low, bounds.high) if bounds else None
        score = paired.score_limits(worse, better, len(self.scored)) if self.single and self.apart else None
        if own is None or score is None:
            return own or score
        return paired.Limits(min(own.low, score.low), max(own.high, score.high))

    def detectable(self, differing: int) -> float | None:
        """The smallest change that would have shown over these cases."""
        if self.single and self.apart:
            return paired.detectable(len(self.scored), differing)
        cases = sorted(self.scored)
        ours, theirs = self.base_values.cases, self.candidate_values.cases
        numbers = [self.clusters[case] for case in cases]
        found = paired.detectable_by_error([theirs[case] - ours[case] for case in cases], numbers)
        return found if found is not None else paired.detectable(len(set(numbers)), 0)

    def by_check(self) -> dict[str, Change]:
        """The changes by check."""
        return self._named(self.base_values.checks, self.candidate_values.checks, lambda _: False)

    def by_metric(self) -> dict[str, Change]:
        """The changes by metric, as the metric counts: of failures, where it counts those. Each knows what is good."""
        metrics = self.base.metrics
        failures = frozenset(name for name, score in metrics.items() if score.counts == "failures")
        ours, theirs = self.base_values.metrics, self.candidate_values.metrics
        found = self._named(ours, theirs, lambda name: name in failures)
        return {
            name: one.model_copy(update={"direction": _direction(metrics[name])}) if name in metrics else one
            for name, one in found.items()
        }

    def _named(self, ours: Values, theirs: Values, failures: Callable[[str], bool]) -> dict[str, Change]:
        out = {}
        for name in dict.fromkeys((*ours, *theirs)):
            one, other = ours.get(name, {}), theirs.get(name, {})
            if failures(name):
                one, other = _failures(one), _failures(other)
            out[name] = change(self, one, other, PART_RESAMPLES)
        return out

    def by_slice(self) -> dict[str, dict[str, Change]]:
        """The changes by slice, over the slices of the base."""
        axes = fact_axes(row.facts for row in self.base.rows)
        held: dict[tuple[str, str], dict[str, None]] = {}
        for row in self.base.rows:
            module = named_module(row.facts, row.inputs[0] if row.inputs else None) or self.base.module
            for slice_ in slices_of(row, axes, module):
                held.setdefault(slice_, {})[row.case_id] = None
        out: dict[str, dict[str, Change]] = {}
        for (axis, value), cases in sorted(held.items()):
            ours, theirs = (_only(side.cases, cases) for side in (self.base_values, self.candidate_values))
            out.setdefault(axis, {})[value] = change(self, ours, theirs, PART_RESAMPLES)
        return out


def change(parts: Parts, ours: Mapping[str, float], theirs: Mapping[str, float], resamples: int) -> Change:
    """The change of a rate over the same cases that have a value on both sides."""
    cases = [case for case in ours if case in theirs and case in parts.same]
    if not cases:
        return Change(cases=0, base=None, candidate=None, difference=None)
    differences = [theirs[case] - ours[case] for case in cases]
    numbers = [parts.clusters[case] for case in cases]
    base, candidate, difference = (
        round(fsum(values) / len(cases), 12)
        for values in ((ours[case] for case in cases), (theirs[case] for case in cases), differences)
    )
    limits = paired.bootstrap(differences, numbers, parts.seed, min(resamples, parts.resamples))
    bounds = Bounds(low=limits.low, high=limits.high, method="bootstrap") if limits else None
    return Change(
        cases=len(cases),
        base=base,
        candidate=candidate,
        difference=difference,
        interval=bounds or _alike(difference, len(set(numbers))),
    )


def _alike(difference: float, count: int) -> Bounds | None:
    """The score interval over `count` clusters that all changed alike: not at all, or wholly."""
    if difference not in (-1.0, 0.0, 1.0) or count < 2:
        return None
    limits = paired.score_limits(count if difference < 0 else 0, count if difference > 0 else 0, count)
    return Bounds(low=limits.low, high=limits.high, method="score") if limits else None


def _direction(score: MetricScore) -> Literal["at_least", "at_most"]:
    """Which way a metric is to go: as its bar says, else by what it counts."""
    return score.direction or ("at_most" if score.counts == "failures" else "at_least")


def _failures(values: Mapping[str, float]) -> dict[str, float]:
    return {case: 1 - value for case, value in values.items()}


def _only(values: Mapping[str, float], cases: Iterable[str]) -> dict[str, float]:
    return {case: values[case] for case in cases if case in values}
