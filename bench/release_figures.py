"""The figures that a release is made for: flips, coherence of pairs, agreement of triples, robustness, shots.

| figure                     | over               | its value                                               |
|----------------------------|--------------------|---------------------------------------------------------|
| `repeat_stability`,        | cases scored twice | the share that passed in one run and failed in another: |
| `temperature_sensitivity`, | or more            | the flip rate                                           |
| `refusal_stability`        |                    |                                                         |
| `position_coherence`       | pairs              | the share whose members came out alike                  |
| `self_contradiction`       | triples            | the share whose members came out alike                  |
| `phrasing_robustness`      | five phrasings     | the share in which every phrasing passed                |
| `worst_phrasing_drop`      | five phrasings     | the pass rate of the first less the lowest of the rest  |
| `few_shot_gain`            | pairs of one task  | the pass rate with examples less that without           |

A group counts where every member of it was scored, in the runs in which it was.
"""

from collections.abc import Sequence
from typing import Any

from evalspec.bench import stats
from evalspec.bench.comparison import Bounds
from evalspec.bench.linked import Groups, groups, of_subdimensions
from evalspec.bench.paired import RESAMPLES, SEED, bootstrap
from evalspec.bench.report import Interval, Report
from evalspec.bench.results import TrialScore
from evalspec.bench.suite import Suite
from evalspec.spec.model import Model

FLIPS = {
    "repeat_stability": ("repeat_stability", "temperature_sensitivity"),
    "temperature_sensitivity": ("temperature_sensitivity",),
    "refusal_stability": ("refusal_stability",),
}
"""Figure to its subdimensions: the prompts of temperature_sensitivity are part of repeat_stability."""
PAIRS, TRIPLES = "position_coherence", "self_contradiction"
PHRASINGS, SHOTS = "phrasing_variants", "zero_shot_vs_few_shot"


class Figure(Model):
    """One figure: its value, what it counts, and its 95 % interval; without a value, the reason."""

    value: float | None
    n: int
    """Cases or groups that it is over."""
    of: str
    interval: Interval | Bounds | None = None
    reason: str = ""
    left_out: int = 0
    """Cases or groups that could not be counted."""
    detail: dict[str, float] = {}
    """The rates that a difference is made of, and the p of McNemar's test."""


def release_figures(suite: Suite, rows: Sequence[TrialScore]) -> dict[str, Any]:
    """The figures of a release, as plain data by name; a figure is left out where the suite has no case for it."""
    asked = {case.facts.get("subdimension") for case in suite.cases}
    found = {
        name: flip_rate(of_subdimensions(rows, names)) for name, names in FLIPS.items() if not asked.isdisjoint(names)
    }
    for name in (PAIRS, TRIPLES):
        if name in asked:
            found[name] = agreement(groups(of_subdimensions(rows, (name,))))
    if PHRASINGS in asked:
        phrased = groups(of_subdimensions(rows, (PHRASINGS,)))
        found["phrasing_robustness"] = all_passed(phrased)
        found["worst_phrasing_drop"] = worst_drop(phrased)
    if SHOTS in asked:
        found["few_shot_gain"] = gain(groups(of_subdimensions(rows, (SHOTS,))))
    return {name: figure.model_dump(mode="json") for name, figure in found.items()}


def flip_rate(rows: Sequence[TrialScore]) -> Figure:
    """The share of cases that passed in one run and failed in another, of those with two scored runs or more."""
    outcomes: dict[str, list[str]] = {}
    for row in rows:
        outcomes.setdefault(row.case_id, [])
        if row.outcome in ("passed", "failed"):
            outcomes[row.case_id].append(row.outcome)
    return _flips([seen for seen in outcomes.values() if len(seen) > 1], len(outcomes))


def temperature_flips(reports: Sequence[Report]) -> Figure:
    """The flip rate of temperature_sensitivity over reports of several temperatures.

    A case comes out at a temperature as most of its scored runs do; one that is even does not count there.
    """
    outcomes: dict[str, list[str]] = {}
    for report in reports:
        runs: dict[str, list[bool]] = {}
        for row in of_subdimensions(report.rows, FLIPS["temperature_sensitivity"]):
            outcomes.setdefault(row.case_id, [])
            if row.outcome in ("passed", "failed"):
                runs.setdefault(row.case_id, []).append(row.outcome == "passed")
        for case, passed in runs.items():
            if 2 * sum(passed) != len(passed):
                outcomes[case].append("passed" if 2 * sum(passed) > len(passed) else "failed")
    return _flips([seen for seen in outcomes.values() if len(seen) > 1], len(outcomes))


def _flips(repeated: Sequence[Sequence[str]], cases: int) -> Figure:
    left = cases - len(repeated)
    if not repeated:
        return Figure(value=None, n=0, of="cases", reason="no case was scored twice: it takes runs", left_out=left)
    flipped = sum(len(set(seen)) > 1 for seen in repeated)
    value, n = flipped / len(repeated), len(repeated)
    return Figure(value=value, n=n, of="cases", interval=stats.wilson(flipped, n), left_out=left)


def agreement(found: Groups) -> Figure:
    """The share of groups whose members all passed or all failed; a group's value is its mean over the runs."""
    return _share(found, [_mean([len(set(run)) == 1 for run in group.outcomes]) for group in found.whole])


def all_passed(found: Groups) -> Figure:
    """The share of groups of which every member passed."""
    return _share(found, [_mean([all(run) for run in group.outcomes]) for group in found.whole])


def _share(found: Groups, values: Sequence[float]) -> Figure:
    if not values:
        return _no_groups(found)
    n, single = len(values), all(len(group.outcomes) == 1 for group in found.whole)
    interval = stats.wilson(sum(values), n) if single else stats.clustered(values, range(n))
    return Figure(value=_mean(values), n=n, of="groups", interval=interval, left_out=found.partial)


def worst_drop(found: Groups) -> Figure:
    """What the worst phrasing costs: the pass rate of the first template less the lowest of the others.

    The worst is looked for anew in each resample of the groups; a worst of several is picked by chance also where all
    are alike, so a small drop says little.
    """
    templates = _templates(found)
    if templates is None:
        return _no_groups(found)
    rows = [tuple(group.share(place) for place in range(len(templates))) for group in found.whole]
    rates = [_mean(column) for column in zip(*rows, strict=True)]
    worst = min(rates[1:])
    return Figure(
        value=round(rates[0] - worst, 12),
        n=len(rows),
        of="groups",
        interval=_drop_interval(rows),
        left_out=found.partial,
        detail=dict(zip(templates, rates, strict=True)),
    )


def _drop_interval(rows: Sequence[tuple[float, ...]]) -> Bounds | None:
    import numpy as np

    kinds, counts = np.unique(np.array(rows), axis=0, return_counts=True)
    if len(kinds) < 2:
        return None
    n = len(rows)
    size = max(min(RESAMPLES, 1_000), min(RESAMPLES, 20_000_000 // len(kinds)))
    means = np.random.default_rng(SEED).multinomial(n, counts / n, size=size) @ kinds / n
    low, high = np.quantile(means[:, 0] - means[:, 1:].min(axis=1), [0.025, 0.975])
    return Bounds(low=float(low), high=float(high), method="bootstrap")


def gain(found: Groups) -> Figure:
    """The pass rate with examples less that without, over pairs: the second template's less the first's."""
    templates = _templates(found)
    if templates is None or len(templates) != 2:
        return _no_groups(found)
    without, given = ([group.share(place) for group in found.whole] for place in (0, 1))
    differences = [b - a for a, b in zip(without, given, strict=True)]
    limits = bootstrap(differences, range(len(differences)))
    detail = {templates[0]: _mean(without), templates[1]: _mean(given)}
    if all(len(group.outcomes) == 1 for group in found.whole):
        detail["p"] = stats.mcnemar(differences.count(-1.0), differences.count(1.0))
    return Figure(
        value=round(_mean(differences), 12),
        n=len(differences),
        of="pairs",
        interval=Bounds(low=limits.low, high=limits.high, method="bootstrap") if limits else None,
        left_out=found.partial,
        detail=detail,
    )


def _templates(found: Groups) -> tuple[str, ...] | None:
    """The templates of the groups, where all have the same and each stands once."""
    kinds = {group.templates for group in found.whole}
    (only,) = kinds if len(kinds) == 1 else ((),)
    return only if len(only) > 1 and len(set(only)) == len(only) else None


def _no_groups(found: Groups) -> Figure:
    reason = "the groups are not of the same templates" if found.whole else "no group was scored whole"
    left = found.partial + len(found.whole)
    return Figure(value=None, n=0, of="groups", reason=reason, left_out=left)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
