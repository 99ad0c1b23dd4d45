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

from pydantic_core import to_json

from evalspec.bench.clusters import clusters
from evalspec.bench.queries import sql
from evalspec.bench.results import TrialScore
from evalspec.bench.slices import marks
from evalspec.bench.suite import Suite

Rows = list[dict[str, Any]]


def load(connection: Any, loaded: Mapping[str, Rows]) -> None:
    """Make the tables, in place of those that are there."""
    for name, rows in loaded.items():
        connection.execute(sql(f"load_{name}"), {"rows": _written(rows)})


def _written(rows: Rows) -> str:
    """Rows as JSON; half a character of UTF-16, which UTF-8 cannot hold, is a question mark."""
    try:
        return to_json(rows, inf_nan_mode="null").decode("utf-8")
    except ValueError:
        text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8", "replace").decode("utf-8")


def of_suite(suite: Suite) -> dict[str, Rows]:
    """The rows of the tables that no answer changes. Cases go by their place in the suite."""
    linked = clusters({case.case_id: case.links for case in suite.cases})
    return {
        "carried": _rows(_asked(suite), ("kind", "name", "number")),
        "marks": _rows(marks(suite), ("axis", "value", "number")),
        "clusters": _rows(enumerate(linked.values()), ("number", "cluster")),
    }


def of_trials(suite: Suite, trials: Sequence[TrialScore]) -> dict[str, Rows]:
    """The rows of the tables of trials; a trial of no case of the suite is left out.

    Where trials have checks that their cases do not ask for, `carried` is among them, to take the place of the suite's.
    """
    numbers = {case.case_id: number for number, case in enumerate(suite.cases)}
    known = [trial for trial in trials if trial.case_id in numbers]
    out = {"trials": _trials(numbers, known), "verdicts": _verdicts(numbers, known)}
    asked = _asked(suite)
    checks = ((numbers[trial.case_id], check.check, check.metric) for trial in known for check in trial.checks)
    carried = asked | _carried(checks)
    if len(carried) > len(asked):
        out["carried"] = _rows(carried, ("kind", "name", "number"))
    return out


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


def _asked(suite: Suite) -> dict[tuple[str, str, int], None]:
    """What the cases carry, by their own words."""
    cases = enumerate(suite.cases)
    return _carried((n, c.name, c.metric) for n, case in cases for turn in case.turns for c in turn.checks)


def _carried(checks: Iterable[tuple[int, str, str | None]]) -> dict[tuple[str, str, int], None]:
    """Kind, name and number of what is carried, from the number, check and metric of each check."""
    out: dict[tuple[str, str, int], None] = {}
    for number, name, metric in checks:
        out["check", name, number] = None
        if metric is not None:
            out["metric", metric, number] = None
    return out


def _rows(rows: Iterable[tuple[Any, ...]], names: tuple[str, ...]) -> Rows:
    return [dict(zip(names, row, strict=True)) for row in rows]
