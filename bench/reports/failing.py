"""The cases of a report that did not pass, those that matter most first, and why."""

from collections.abc import Sequence

from evalspec.bench.report import Report
from evalspec.bench.reports.cases import by_case, came
from evalspec.bench.results import CheckResult, TargetResult, TrialScore
from evalspec.spec.dataclass import dataclass

_OUTCOMES = {"failed": 0, "error": 1, "undecided": 2}
_SEVERITIES = {"critical": 0, "major": 1, "minor": 2}


@dataclass(frozen=True, slots=True)
class NotPassed:
    """A case of which a run did not pass."""

    rows: tuple[TrialScore, ...]
    """Its runs that did not, in their order."""
    row: TrialScore
    """The first of them that came out worst: a failure goes before an error, an error before what is undecided."""

    @property
    def checks(self) -> list[CheckResult]:
        """The checks of `row` that say why: those that failed, or else those that were not scored."""
        sought = "fail" if self.row.outcome == "failed" else "unscored"
        return [check for check in self.row.checks if check.verdict == sought]

    @property
    def answer(self) -> TargetResult | None:
        """The answer that the first of these checks is about; None where there is none."""
        turn = self.checks[0].turn if self.checks else 0
        result = self.row.results[turn] if turn < len(self.row.results) else None
        return None if result is None or result.error is not None else result

    def marks(self, runs: int) -> list[str]:
        """What came of it, its severity, and whether it is blocking: `failed in 2 of 3 runs`, `major`, `blocking`."""
        same = sum(row.outcome == self.row.outcome for row in self.rows)
        outcome = f"{self.row.outcome} in {same} of {runs} runs" if runs > 1 else self.row.outcome
        return [outcome, self.row.severity, *(["blocking"] if self.row.blocking else [])]


def not_passed(report: Report) -> list[NotPassed]:
    """Blocking cases first, then critical ones; of these and of the others failures, errors, and what is undecided."""
    found = []
    for trials in by_case(report).values():
        rows = tuple(row for row in trials if row.outcome != "passed")
        if rows:
            found.append(NotPassed(rows, _worst(rows)))
    return sorted(found, key=lambda case: _rank(case.row))


def _worst(rows: Sequence[TrialScore]) -> TrialScore:
    return next(row for row in rows if row.outcome == came(rows))


def _rank(row: TrialScore) -> tuple[bool, bool, int, int]:
    return not row.blocking, row.severity != "critical", _OUTCOMES[row.outcome], _SEVERITIES[row.severity]
