"""A trial's score: what its checks and its answers come to."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalspec.bench.identity import Same
from evalspec.bench.results import CheckResult, Outcome, TargetResult, TrialLine, TrialScore
from evalspec.bench.suite import Case

if TYPE_CHECKING:
    from evalspec.bench.reading.schemas import Validator

MOST_TOKENS = 10**12
"""A count over this is no count of tokens: what a target says is data, and nothing is added up blindly."""


def outcome_of(checks: Sequence[CheckResult], error: str | None) -> Outcome:
    """What a trial comes to: an error before all else, then a failed check, then one that was not scored.

    A trial without a check is undecided: nothing was asked of it.
    """
    verdicts = {check.verdict for check in checks}
    if error is not None:
        return "error"
    if "fail" in verdicts:
        return "failed"
    return "passed" if verdicts == {"pass"} else "undecided"


def trial_score(
    case: Case, line: TrialLine, checks: Sequence[CheckResult], schema: dict[str, Any] | None = None
) -> TrialScore:
    """The row of a report for one trial.

    With `schema`, the output schema of the suite, an answer that does not fit it counts as rejected by the validator,
    besides those that the target says were.
    """
    results = line.results
    missing = "no answer" if len(results) < len(case.turns) else None
    error = next((result.error for result in results if result.error is not None), missing)
    return TrialScore(
        case_id=case.case_id,
        epoch=line.epoch,
        set=case.set,
        outcome=outcome_of(checks, error),
        checks=tuple(checks),
        results=results,
        severity=case.severity,
        blocking=case.blocking,
        tags=case.tags,
        facts=case.facts,
        links=case.links,
        inputs=tuple(turn.input for turn in case.turns),
        error=error,
        latency_ms=_latency(results),
        tokens=_tokens(results),
        validator_rejected=any(_rejected(result, schema) for result in results),
    )


def _latency(results: Sequence[TargetResult]) -> float | None:
    """The time of all turns; None where one of them says none, or none that can be."""
    known = [result.latency_ms for result in results if result.latency_ms is not None]
    possible = all(math.isfinite(value) and value >= 0 for value in known)
    return math.fsum(known) if known and possible and len(known) == len(results) else None


def _tokens(results: Sequence[TargetResult]) -> int | None:
    """The tokens of all turns; None where one of them says none, or none that can be."""
    total = 0
    for result in results:
        said = [count for count in (result.input_tokens, result.output_tokens) if count is not None]
        if not said or not all(0 <= count <= MOST_TOKENS for count in said):
            return None
        total += sum(said)
    return total if results else None


def _rejected(result: TargetResult, schema: dict[str, Any] | None) -> bool:
    if result.validator_rejected is not None or result.error is not None or schema is None:
        return result.validator_rejected is True
    try:
        return next(_validator(Same(schema)).faults(result.output), None) is not None
    except ValueError:  # the answer hits a limit of the schema, so nobody can say
        return False


@lru_cache(maxsize=8)
def _validator(schema: Same) -> "Validator":
    from evalspec.bench.reading.schemas import Validator

    return Validator(schema.value)
