"""A suite and its trials as tables of DuckDB, for the queries that count them.

| table      | one row is                                                                                       |
|------------|--------------------------------------------------------------------------------------------------|
| `trials`   | a trial: number of its case, epoch, state (its outcome), latency in ms, tokens, whether rejected |
| `verdicts` | the verdict of one check of a trial, and the metric that it counts for                           |
| `carried`  | a check or metric that a case carries, whether or not it came to a verdict                       |
| `marks`    | a slice that a case is in: axis and value                                                        |
| `clusters` | a case and the number of its cluster                                                             |

They are loaded as JSON, which DuckDB reads by itself: importing pyarrow would take longer than counting 500 cases.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from evalspec.bench.clusters import clusters
from evalspec.bench.queries import sql
from evalspec.bench.results import TrialScore
from evalspec.bench.slices import marks
from evalspec.bench.suite import Case, Suite

Rows = list[dict[str, Any]]


def load(connection: Any, loaded: Mapping[str, Rows]) -> None:
    """Make the tables in a database that has none of them."""
    for name, rows in loaded.items():
        text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        connection.execute(sql(f"load_{name}"), {"rows": text.encode("utf-8", "replace").decode("utf-8")})


def tables(suite: Suite, trials: Sequence[TrialScore]) -> dict[str, Rows]:
    """The rows of each table. Cases go by their place in the suite; a trial of no case of it is left out."""
    numbers = {case.case_id: number for number, case in enumerate(suite.cases)}
    known = [trial for trial in trials if trial.case_id in numbers]
    linked = clusters({case.case_id: case.links for case in suite.cases})
    return {
        "trials": _trials(numbers, known),
        "verdicts": _verdicts(numbers, known),
        "carried": _rows(_carried(numbers, suite.cases, known), ("kind", "name", "number")),
        "marks": _rows(marks(suite), ("axis", "value", "number")),
        "clusters": _rows(enumerate(linked.values()), ("number", "cluster")),
    }


def _trials(numbers: Mapping[str, int], trials: Sequence[TrialScore]) -> Rows:
    rows = (
        (numbers[t.case_id], t.epoch, t.outcome, _finite(t.latency_ms), t.tokens, t.validator_rejected) for t in trials
    )
    return _rows(rows, ("number", "epoch", "state", "latency", "tokens", "rejected"))


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _verdicts(numbers: Mapping[str, int], trials: Sequence[TrialScore]) -> Rows:
    rows = (
        (numbers[trial.case_id], trial.epoch, check.check, check.metric, check.verdict)
        for trial in trials
        if trial.outcome != "error"
        for check in trial.checks
    )
    return _rows(rows, ("number", "epoch", "check", "metric", "verdict"))


def _carried(
    numbers: Mapping[str, int], cases: Sequence[Case], trials: Sequence[TrialScore]
) -> Iterable[tuple[str, str, int]]:
    checks = ((case, check) for case in cases for turn in case.turns for check in turn.checks)
    asked = [(numbers[case.case_id], check.name, check.metric) for case, check in checks]
    given = [(numbers[trial.case_id], check.check, check.metric) for trial in trials for check in trial.checks]
    out: dict[tuple[str, str, int], None] = {}
    for number, name, metric in (*asked, *given):
        out["check", name, number] = None
        if metric is not None:
            out["metric", metric, number] = None
    return out


def _rows(rows: Iterable[tuple[Any, ...]], names: tuple[str, ...]) -> Rows:
    return [dict(zip(names, row, strict=True)) for row in rows]
