"""Suites and trials in a few letters: p passed, f failed, u unscored for each check of a case; e for an error."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from evalspec.bench.checks import Abstains, Check
from evalspec.bench.report import Report, Settings
from evalspec.bench.results import CheckResult, TargetResult, TrialLine, TrialScore
from evalspec.bench.scoring import REPRODUCIBLE, Context, score, trial_score
from evalspec.bench.suite import Bar, Case, Suite, Turn
from evalspec.spec.source import Place

PLACE = Place("suite.jsonl")
VERDICTS = {"p": "pass", "f": "fail", "u": "unscored"}


class Made:
    """Makes what the tests score."""

    def case(self, case_id: str, checks: Sequence[tuple[str, str | None]] = (("a", None),), **more: Any) -> Case:
        asked = tuple(Check(name, Abstains(True), metric) for name, metric in checks)
        return Case(**{"case_id": case_id, "turns": (Turn("q", asked),), "place": PLACE, "set": "s", **more})

    def suite(self, cases: Sequence[Case], **more: Any) -> Suite:
        given = {"name": "s", "module": None, "format": "support", "digest": "d", "place": PLACE}
        return Suite(**{**given, "cases": tuple(cases), **more})

    def bar(
        self, metric: str = "m", value: float = 0.95, direction: str = "at_least", signed: str = "the owner"
    ) -> Bar:
        return Bar(metric, value, direction, signed, PLACE)  # type: ignore[arg-type]

    def trial(self, case: Case, letters: str, epoch: int = 1, **result: Any) -> TrialScore:
        given = {"error": "HTTP 500"} if letters == "e" else {"text": "an answer", **result}
        line = TrialLine(case_id=case.case_id, epoch=epoch, key="k", results=(TargetResult(**given),))
        checks = [
            CheckResult(check=check.name, metric=check.metric, verdict=VERDICTS[letter])  # type: ignore[arg-type]
            for check, letter in zip(case.turns[0].checks, letters, strict=letters != "e")
            if letters != "e"
        ]
        return trial_score(case, line, checks)

    def runs(self, outcomes: Mapping[str, Sequence[str]], **more: Any) -> tuple[list[Case], list[TrialScore]]:
        """Cases of one check, from their outcomes, one letter a run."""
        cases = [self.case(case_id, **more) for case_id in outcomes]
        rows = [
            self.trial(case, letter, epoch) for case in cases for epoch, letter in enumerate(outcomes[case.case_id], 1)
        ]
        return cases, rows

    def report(self, suite: Suite, rows: Sequence[TrialScore], **more: Any) -> Report:
        settings = more.pop("settings", {})
        runs = max((row.epoch for row in rows), default=1)
        given = REPRODUCIBLE.model_copy(update={"runs": runs, **settings})
        context = {"target": {"kind": "http"}, "at": "2026-01-01T00:00:00Z", "version": "0", "model": "m1", **more}
        return score(suite, rows, Context(settings=Settings(**given.model_dump()), **context))

    def barred(self, letters: str, value: float = 0.95, **more: Any) -> Report:
        """The report of a contract set of one metric `m` under a bar, with one letter a case."""
        cases = [self.case(f"c{n}", [("a", "m")], **more.get("case", {})) for n in range(len(letters))]
        bar = self.bar(value=value, direction=more.get("direction", "at_least"), signed=more.get("signed", "the owner"))
        suite = self.suite(cases, format="contract", bars=(bar,), **more.get("suite", {}))
        rows = [self.trial(case, letter) for case, letter in zip(cases, letters, strict=True)]
        return self.report(suite, rows, **more.get("context", {}))


@pytest.fixture
def made() -> Made:
    return Made()
