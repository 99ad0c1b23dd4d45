"""Gives every check of every trial its verdict: by code, by a judge whose replies are kept, by people, or none."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from evalspec.bench.checks import (
    JUDGED,
    Check,
    ConfidenceIn,
    Equals,
    LatencyUnder,
    NotAbove,
    NotEmpty,
    RatedByPeople,
    ToolCalled,
    ToolNotCalled,
    ToolsInOrder,
)
from evalspec.bench.events import BenchEvent, Judged, Judging
from evalspec.bench.graders import grade
from evalspec.bench.journal import BenchJournal
from evalspec.bench.people import Ratings, rated
from evalspec.bench.results import CheckResult, JudgeLine, TargetResult, TrialLine, TrialScore
from evalspec.bench.suite import Case, Suite, Turn
from evalspec.bench.trial_scores import trial_score
from evalspec.runtime.events import Event, Stopped, Throttled
from evalspec.runtime.journaling import JournalError
from evalspec.runtime.providers import RefusedError
from evalspec.runtime.run_state import RunState, StoppingError, interruptible
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic

if TYPE_CHECKING:
    from evalspec.bench.judging import Judge

QUICK = (Equals, NotAbove, NotEmpty, ToolCalled, ToolNotCalled, ToolsInOrder, ConfidenceIn, LatencyUnder)
"""Checks that take some microseconds: no pattern, no judge, nothing to be loaded."""
SHORT = 10_000
"""Characters of an answer that they take no longer for."""
AT_ONCE = 64
"""Answers before the judge at most; its own limits say how many of its requests are in flight."""


@dataclass(frozen=True, slots=True, repr=False)
class Marked:
    """Every trial with its verdicts; `judge_tokens` are of all replies that count for them."""

    scores: tuple[TrialScore, ...]
    judge_tokens: int = 0
    stopped: Literal["interrupted"] | Diagnostic | None = None
    """Set where the judge could not say all: then no score may be reported."""


@dataclass(slots=True)
class CountedVerdicts:
    """The journal's verdicts, and the tokens of those that were used."""

    journal: BenchJournal
    tokens: int = 0
    new: int = 0

    def get(self, key: str) -> JudgeLine | None:
        """The reply that is kept for a key."""
        line = self.journal.get(key)
        self.tokens += line.input_tokens + line.output_tokens if line else 0
        return line

    def put(self, line: JudgeLine) -> None:
        """Keep a reply. Raises JournalError."""
        self.journal.put(line)
        self.tokens += line.input_tokens + line.output_tokens
        self.new += 1


@dataclass(frozen=True, slots=True)
class _Question:
    """A check for the judge, and where its verdict goes."""

    check: Check
    case: Case
    results: tuple[TargetResult, ...]
    """The answers to the first turns of the case; the last of them is the one that is judged."""
    epoch: int
    into: list[CheckResult]
    at: int


class Marker:
    """Gives the verdicts of one run: by code, by the judge, and as the `ratings` of people say."""

    def __init__(
        self, suite: Suite, journal: BenchJournal, judge: "Judge | None" = None, ratings: Ratings | None = None
    ) -> None:
        self.suite, self.journal, self.judge, self.ratings = suite, journal, judge, ratings
        self._cases = {case.case_id: case for case in suite.cases}
        self._begun: dict[str, tuple[TrialLine, TrialScore]] = {}

    def begin(self, line: TrialLine) -> None:
        """Score a trial ahead, while others are waited for, where that delays no answer of theirs."""
        checks = (check for turn in self._cases[line.case_id].turns for check in turn.checks)
        if self.suite.output_schema is not None and any(r.validator_rejected is None for r in line.results):
            return  # the schema is applied then, which may take long
        short = all(len(r.text) <= SHORT and len(r.model_dump_json()) <= 2 * SHORT for r in line.results)
        if short and all(isinstance(check.spec, QUICK) for check in checks):
            self._begun[line.key] = (line, self._score(line, self._grade(line, deque())))

    async def mark(self, lines: Sequence[TrialLine], events: Callable[[BenchEvent], None]) -> Marked:
        """Give the verdicts; those of the judge are asked for together, and none a second time.

        Code grades every time anew. Never raises for what a grader or a judge does.
        """
        questions: deque[_Question] = deque()
        graded = [self._ahead(line) or self._grade(line, questions) for line in lines]
        kept = CountedVerdicts(self.journal)
        stopped = await self._ask(questions, kept, events) if questions else None
        scores = (
            given if isinstance(given, TrialScore) else self._score(line, given)
            for line, given in zip(lines, graded, strict=True)
        )
        return Marked(tuple(scores), kept.tokens, stopped)

    def _ahead(self, line: TrialLine) -> TrialScore | None:
        begun, score = self._begun.get(line.key, (None, None))
        return score if begun is line else None

    def _score(self, line: TrialLine, verdicts: Sequence[CheckResult]) -> TrialScore:
        return trial_score(self._cases[line.case_id], line, verdicts, self.suite.output_schema)

    def _grade(self, line: TrialLine, questions: deque[_Question]) -> list[CheckResult]:
        """The verdicts of one trial; what of it the judge is to be asked is added to `questions`."""
        case, out = self._cases[line.case_id], list[CheckResult]()
        for turn, (asked, result) in enumerate(zip(case.turns, line.results, strict=False)):
            for check in asked.checks:
                if result.error is not None:
                    out.append(unscored(check, turn, "the target gave no answer"))
                elif self._unheld(check, asked, result):
                    continue
                elif isinstance(check.spec, JUDGED) and self.judge is None:
                    out.append(unscored(check, turn, "it needs a judge, and none was named (--judge)"))
                elif isinstance(check.spec, JUDGED):
                    questions.append(_Question(check, case, line.results[: turn + 1], line.epoch, out, len(out)))
                    out.append(unscored(check, turn, "the judge was not asked"))
                elif isinstance(check.spec, RatedByPeople):
                    out.append(rated(check, case, self.ratings or Ratings(), line.epoch, result, turn))
                else:
                    out.append(grade(check, case, turn, result, self.suite))
        return out

    def _unheld(self, check: Check, asked: Turn, result: TargetResult) -> bool:
        """Whether a check is on the limit that holds where a scenario has none, and nobody said how long it took."""
        unwritten = self.suite.format == "scenario" and asked.max_latency_seconds is None
        return unwritten and isinstance(check.spec, LatencyUnder) and result.latency_ms is None

    async def _ask(
        self, questions: deque[_Question], kept: CountedVerdicts, events: Callable[[BenchEvent], None]
    ) -> Literal["interrupted"] | Diagnostic | None:
        """Have the judge answer all questions; what stopped it, if anything did."""
        events(Judging(len(questions)))

        def told(event: Event) -> None:
            if isinstance(event, Stopped | Throttled):
                events(event)

        state = RunState(told)

        async def worker() -> None:
            while questions and not state.stop.is_set():
                await self._verdict(questions.popleft(), kept, state, events)

        workers = [asyncio.ensure_future(worker()) for _ in range(min(AT_ONCE, len(questions)))]
        try:
            with interruptible(state, asyncio.current_task()):
                await asyncio.gather(*workers)
        except asyncio.CancelledError:
            if state.stopped != "interrupted":
                raise
        finally:
            for task in workers:
                task.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return self._end(state)

    def _end(self, state: RunState) -> Literal["interrupted"] | Diagnostic | None:
        """What stopped the judge's work; also that nothing was heard of it, where it had too little to do to stop."""
        from evalspec.bench.judging import refused

        if state.stopped is not None:
            return None if state.stopped == "hopeless" else state.stopped
        unreached = self.judge.unreached if self.judge else None
        return refused(self.judge, unreached) if self.judge and unreached else None

    async def _verdict(
        self, asked: _Question, kept: CountedVerdicts, state: RunState, events: Callable[[BenchEvent], None]
    ) -> None:
        from evalspec.bench.judging import refused

        assert self.judge is not None
        try:
            verdict = await self.judge.verdict(asked.check, asked.case, asked.results, asked.epoch, kept, state)
        except RefusedError as error:
            finding = refused(self.judge, error)
            state.end(finding, finding.message)
            return
        except StoppingError:
            return
        except JournalError as error:
            state.end(error.diagnostic, error.diagnostic.message)
            return
        asked.into[asked.at] = verdict
        events(Judged(asked.case.case_id, verdict.verdict != "unscored"))


def unscored(check: Check, turn: int, reason: str) -> CheckResult:
    """The verdict where there is none."""
    judged = isinstance(check.spec, JUDGED)
    return CheckResult(
        check=check.name, turn=turn, verdict="unscored", reason=reason, metric=check.metric, judged=judged
    )
