"""Verdicts of a run: who gives them, what stays unscored and why, and what a judge is not asked twice."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evalspec.bench.checks import Check, ContainsAll, Equals, JudgedByPolicy, LatencyUnder, RatedByPeople
from evalspec.bench.events import BenchEvent, Judged, Judging
from evalspec.bench.journal import BenchJournal, opened
from evalspec.bench.judging.members import UnreachedError
from evalspec.bench.marking import SHORT, Marked, Marker
from evalspec.bench.people import Rated, Ratings, answer_id
from evalspec.bench.results import CheckResult, JudgeLine, TargetResult, TrialLine
from evalspec.bench.suite import Case, Suite, Turn
from evalspec.runtime.providers import RefusedError
from evalspec.spec.diagnostic import Diagnostic, Severity
from evalspec.spec.source import Place

CONTAINS = Check("key_points", ContainsAll(("7 days",)))
POLICY = Check("policy_judge", JudgedByPolicy("Within 7 days."))
PEOPLE = Check("answer_correctness", RatedByPeople("Is it right?"))
PLACE = Place("judge.yaml", 1, 1, 1, 1)


class FakeJudge:
    """Passes every answer, and keeps a reply of 10 tokens in and 2 out for each."""

    name = "fake"
    config = SimpleNamespace(place=PLACE)
    unreached: RefusedError | None = None

    def __init__(self, refuse_at: int = -1) -> None:
        self.asked = 0
        self.refuse_at = refuse_at

    async def verdict(
        self, check: Check, case: Case, results: Sequence[TargetResult], epoch: int, kept: Any, _state: Any = None
    ) -> CheckResult:
        turn = len(results) - 1
        key = f"{case.case_id}/{turn}/{epoch}/{[result.text for result in results]}"
        if kept.get(key) is None:
            if self.asked == self.refuse_at:
                raise RefusedError("HTTP 401")
            self.asked += 1
            line = {"key": key, "case_id": case.case_id, "epoch": epoch, "check": check.name, "reply": "PASS"}
            kept.put(JudgeLine(**line, input_tokens=10, output_tokens=2))
        return CheckResult(check=check.name, turn=turn, verdict="pass", judged=True)


def suite_of(*checks: Check, turns: int = 1, cases: int = 1) -> Suite:
    made = tuple(
        Case(f"c{number}", tuple(Turn("?", checks) for _ in range(turns)), Place("cases.jsonl"), "cases")
        for number in range(cases)
    )
    return Suite("cases", None, "native", made, "0" * 64, Place("cases.jsonl"))


def lines_of(suite: Suite, *results: TargetResult) -> list[TrialLine]:
    return [
        TrialLine(case_id=case.case_id, epoch=1, key=case.case_id, results=results[: len(case.turns)])
        for case in suite.cases
    ]


def mark(
    folder: Path, suite: Suite, lines: list[TrialLine], events: Callable[[BenchEvent], None] | None = None, **who: Any
) -> Marked:
    async def go(journal: BenchJournal) -> Marked:
        return await Marker(suite, journal, **who).mark(lines, events or (lambda _: None))

    with opened(folder) as journal:
        return asyncio.run(go(journal))


def verdicts_of(marked: Marked) -> list[tuple[str, int, str, str]]:
    return [(c.check, c.turn, c.verdict, c.reason) for score in marked.scores for c in score.checks]


GOOD = TargetResult(text="Within 7 days.")
ERROR = TargetResult(error="HTTP 500")


def test_code_grades_every_turn_and_an_error_is_not_a_wrong_answer(tmp_path: Path) -> None:
    suite = suite_of(CONTAINS, turns=3)
    marked = mark(tmp_path, suite, lines_of(suite, GOOD, ERROR, TargetResult(text="no")))
    assert [(check, turn, verdict) for check, turn, verdict, _ in verdicts_of(marked)] == [
        ("key_points", 0, "pass"), ("key_points", 1, "unscored"), ("key_points", 2, "fail"),
    ]  # fmt: skip
    assert marked.scores[0].outcome == "error"


@pytest.mark.parametrize(
    ("limit", "latency_ms", "outcome"), [(None, None, "passed"), (None, 16_000.0, "failed"), (15.0, None, "undecided")]
)
def test_a_limit_that_a_scenario_does_not_write_holds_only_for_answers_that_say_how_long_they_took(
    tmp_path: Path, limit: float | None, latency_ms: float | None, outcome: str
) -> None:
    turn = Turn("?", (CONTAINS, Check("latency", LatencyUnder(15.0))), limit)
    suite = replace(suite_of(), format="scenario", cases=(Case("c", (turn,), Place("s.yaml"), "s"),))
    marked = mark(tmp_path, suite, lines_of(suite, GOOD.model_copy(update={"latency_ms": latency_ms})))
    assert marked.scores[0].outcome == outcome


def test_a_judged_check_without_a_judge_is_unscored_and_says_so(tmp_path: Path) -> None:
    suite = suite_of(CONTAINS, POLICY)
    marked = mark(tmp_path, suite, lines_of(suite, GOOD))
    assert verdicts_of(marked)[1][2:] == ("unscored", "it needs a judge, and none was named (--judge)")
    assert marked.scores[0].outcome == "undecided"


def test_a_judge_is_asked_once_an_answer_and_its_verdict_stands_where_the_check_stands(tmp_path: Path) -> None:
    suite = suite_of(POLICY, CONTAINS, cases=5)
    judge, heard = FakeJudge(), []
    first = mark(tmp_path, suite, lines_of(suite, GOOD), heard.append, judge=judge)
    again = mark(tmp_path, suite, lines_of(suite, GOOD), judge=judge)
    assert (judge.asked, first.judge_tokens, again.judge_tokens) == (5, 60, 60)
    assert [(score.checks[0].check, score.checks[0].verdict) for score in first.scores] == [
        ("policy_judge", "pass")
    ] * 5
    assert first.scores == again.scores
    assert heard == [Judging(5), *(Judged(f"c{number}", True) for number in range(5))]


def test_an_answer_that_is_an_error_is_not_put_to_the_judge(tmp_path: Path) -> None:
    suite, judge = suite_of(POLICY), FakeJudge()
    mark(tmp_path, suite, lines_of(suite, ERROR), judge=judge)
    assert judge.asked == 0


def test_a_judge_that_refuses_ends_the_run_and_what_it_said_is_kept(tmp_path: Path) -> None:
    suite = suite_of(POLICY, cases=200)
    judge = FakeJudge(refuse_at=3)
    marked = mark(tmp_path, suite, lines_of(suite, GOOD), judge=judge)
    assert getattr(marked.stopped, "code", None) == "ES753"
    later = FakeJudge()
    assert mark(tmp_path, suite, lines_of(suite, GOOD), judge=later).stopped is None
    assert later.asked == 200 - judge.asked


def test_a_judge_of_which_nothing_is_heard_ends_the_run_however_few_the_cases(tmp_path: Path) -> None:
    suite, judge = suite_of(POLICY), FakeJudge()
    judge.unreached = UnreachedError("Connection error.")
    stopped = mark(tmp_path, suite, lines_of(suite, GOOD), judge=judge).stopped
    assert isinstance(stopped, Diagnostic)
    assert (stopped.code, stopped.severity, "Connection error." in stopped.message) == ("ES756", Severity.ERROR, True)


def test_ratings_count_for_the_answer_that_was_rated_and_no_other(tmp_path: Path) -> None:
    suite = suite_of(PEOPLE)
    key = ("c0", 1, 0, "answer_correctness")
    ratings = Ratings({key: Rated((1, 1), answer_id("Within 7 days."))})
    assert verdicts_of(mark(tmp_path, suite, lines_of(suite, GOOD), ratings=ratings))[0][2] == "pass"
    other = mark(tmp_path, suite, lines_of(suite, TargetResult(text="Never.")), ratings=ratings)
    assert verdicts_of(other)[0][2:] == ("unscored", "the ratings are of another answer")
    assert verdicts_of(mark(tmp_path, suite, lines_of(suite, GOOD)))[0][2] == "unscored"


EQUALS = Check("right", Equals("category", "billing"))


@pytest.mark.parametrize(
    ("checks", "result", "ahead"),
    [
        ((EQUALS, Check("fast", LatencyUnder(1))), TargetResult(output={"category": "sales"}, latency_ms=9.0), True),
        ((EQUALS,), TargetResult(error="HTTP 500"), True),
        ((EQUALS, CONTAINS), TargetResult(output={"category": "billing"}), False),
        ((EQUALS, POLICY), TargetResult(output={"category": "billing"}), False),
        ((EQUALS,), TargetResult(text="x" * (SHORT + 1), output={"category": "billing"}), False),
    ],
)
def test_what_is_scored_ahead_comes_out_alike(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    checks: tuple[Check, ...],
    result: TargetResult,
    ahead: bool,
) -> None:
    suite = suite_of(*checks, cases=2)
    lines = lines_of(suite, result)
    graded: list[str] = []
    grade = Marker._grade
    monkeypatch.setattr(
        Marker, "_grade", lambda self, line, questions: graded.append(line.case_id) or grade(self, line, questions)
    )

    async def go(journal: BenchJournal) -> Marked:
        marker = Marker(suite, journal)
        marker.begin(lines[0])
        assert graded == (["c0"] if ahead else [])
        marked = await marker.mark(lines, lambda _: None)
        assert graded == ["c0", "c1"]
        other = lines[0].model_copy(update={"results": (TargetResult(output={"category": "billing"}),)})
        assert (await marker.mark([other], lambda _: None)).scores[0].results == other.results
        return marked

    with opened(tmp_path) as journal:
        marked = asyncio.run(go(journal))
    assert marked.scores == mark(tmp_path, suite, lines).scores
