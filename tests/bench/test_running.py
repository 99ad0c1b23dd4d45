"""The loop over trials: order, sessions, what is retried, what is kept, and how it ends."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalspec.bench.events import Answered, Began, BenchEvent
from evalspec.bench.journal import opened
from evalspec.bench.results import TargetResult
from evalspec.bench.running import run_trials
from evalspec.bench.suite import Case, Suite, Turn
from evalspec.bench.trials import RunOptions, Trials
from evalspec.runtime.providers import BusyError, RefusedError
from evalspec.spec.source import Place

Answer = TargetResult | Exception
Say = Callable[[str, int, int, Any], Answer]
"""Case id, epoch, turn (from 0) and input to an answer, or to what asking raises."""


def case(name: str, *inputs: Any, **further: Any) -> Case:
    """A case of that id, with a turn for each input."""
    turns = tuple(Turn(given, ()) for given in inputs or (f"what of {name}?",))
    return Case(name, turns, Place("cases.jsonl"), "cases", **further)


def suite_of(*cases: Case) -> Suite:
    """A suite of these cases."""
    return Suite("cases", None, "native", cases, "0" * 64, Place("cases.jsonl"))


def echo(name: str, epoch: int, turn: int, given: Any) -> Answer:
    """An answer that says what was asked."""
    return TargetResult(text=f"{name}/{epoch}/{turn}: {given}", latency_ms=1.0)


@dataclass
class FakeTarget:
    """Answers by `say` after `seconds`, and remembers what it was asked, in order."""

    say: Say = echo
    seconds: float = 0.0
    digest: str = "d" * 32
    most_at_once: int = 1024
    kind: str = "python"
    has_answered: bool = False
    name: str = "fake"
    model: str | None = None
    asked: list[tuple[str, int, int]] = field(default_factory=list)
    answered: list[tuple[str, int, int]] = field(default_factory=list)
    sessions: int = 0
    closed: int = 0
    in_flight: int = 0
    most_in_flight: int = 0

    def shown(self) -> Mapping[str, Any]:
        return {"kind": self.kind}

    def session(self, case: Case, epoch: int) -> "FakeSession":
        self.sessions += 1
        return FakeSession(self, case, epoch)

    async def close(self) -> None:
        pass


@dataclass
class FakeSession:
    """One conversation; its turn counts what it has answered, errors included."""

    target: FakeTarget
    case: Case
    epoch: int
    turn: int = 0

    async def ask(self, input: Any) -> TargetResult:
        target = self.target
        where = (self.case.case_id, self.epoch, self.turn)
        target.asked.append(where)
        target.in_flight += 1
        target.most_in_flight = max(target.most_in_flight, target.in_flight)
        try:
            await asyncio.sleep(target.seconds)
            said = target.say(*where, input)
        finally:
            target.in_flight -= 1
        if isinstance(said, Exception):
            raise said
        self.turn += 1
        if said.error is None:
            target.answered.append(where)
        return said

    async def close(self) -> None:
        self.target.closed += 1


def run(folder: Path, suite: Suite, target: FakeTarget, events: Any = None, **options: Any) -> Trials:
    heard: list[BenchEvent] = []
    with opened(folder) as journal:
        return asyncio.run(run_trials(suite, target, journal, RunOptions(**options), events or heard.append))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits of hundredths of a second where a user would wait for seconds."""
    monkeypatch.setattr("evalspec.runtime.retry.FIRST_WAIT", 0.002)
    monkeypatch.setattr("evalspec.runtime.retry.LONGEST_WAIT", 0.004)
    monkeypatch.setattr("evalspec.bench.running.LONGEST_PAUSE", 0.005)


THREE = suite_of(case("a", "one", "two"), case("b"), case("c"))


def test_one_at_a_time_asks_in_the_order_of_runs_cases_and_turns(tmp_path: Path) -> None:
    target = FakeTarget()
    run(tmp_path, THREE, target, runs=2)
    want = [("a", 1, 0), ("a", 1, 1), ("b", 1, 0), ("c", 1, 0), ("a", 2, 0), ("a", 2, 1), ("b", 2, 0), ("c", 2, 0)]
    assert want == target.asked


def test_lines_come_by_case_and_epoch_with_an_answer_a_turn(tmp_path: Path) -> None:
    trials = run(tmp_path, THREE, FakeTarget(), runs=2)
    assert [(line.case_id, line.epoch) for line in trials.lines] == [
        ("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1), ("c", 2),
    ]  # fmt: skip
    assert [result.text for result in trials.lines[1].results] == ["a/2/0: one", "a/2/1: two"]


def test_each_trial_has_a_session_of_its_own_that_is_closed(tmp_path: Path) -> None:
    target = FakeTarget()
    run(tmp_path, THREE, target, runs=2)
    assert (target.sessions, target.closed) == (6, 6)


def test_as_many_are_in_flight_as_asked_for_and_no_more(tmp_path: Path) -> None:
    suite = suite_of(*(case(f"c{number}") for number in range(40)))
    target = FakeTarget(seconds=0.01)
    run(tmp_path, suite, target, concurrency=8)
    assert target.most_in_flight == 8
    narrow = FakeTarget(seconds=0.001, most_at_once=3, digest="e")
    run(tmp_path, suite, narrow, concurrency=8)
    assert narrow.most_in_flight == 3


def test_turns_of_a_case_are_in_order_whatever_the_concurrency(tmp_path: Path) -> None:
    suite = suite_of(*(case(f"c{number}", "x", "y", "z") for number in range(20)))
    target = FakeTarget(seconds=0.001)
    run(tmp_path, suite, target, concurrency=16)
    for number in range(20):
        assert [turn for name, _, turn in target.asked if name == f"c{number}"] == [0, 1, 2]


def test_a_failing_turn_does_not_stop_the_rest(tmp_path: Path) -> None:
    def say(name: str, epoch: int, turn: int, given: Any) -> Answer:
        return TargetResult(error="HTTP 500") if turn == 0 and name == "a" else echo(name, epoch, turn, given)

    trials = run(tmp_path, THREE, FakeTarget(say))
    assert [result.error for result in trials.lines[0].results] == ["HTTP 500", None]
    assert trials.lines[0].results[1].text == "a/1/1: two"


def test_a_target_that_raises_is_recorded(tmp_path: Path) -> None:
    def say(name: str, epoch: int, turn: int, given: Any) -> Answer:
        return ValueError("no such thing") if name == "b" else echo(name, epoch, turn, given)

    trials = run(tmp_path, THREE, FakeTarget(say))
    assert [[result.error for result in line.results] for line in trials.lines] == [
        [None, None], ["ValueError: no such thing"], [None],
    ]  # fmt: skip


def test_a_finished_run_started_again_asks_nothing_and_gives_the_same(tmp_path: Path) -> None:
    first = run(tmp_path, THREE, FakeTarget(), runs=2)
    again = FakeTarget(lambda *_: TargetResult(text="another", latency_ms=9.0))
    second = run(tmp_path, THREE, again, runs=2)
    assert (again.asked, second.kept, second.calls) == ([], 6, 0)
    assert first.lines == second.lines


def test_an_error_is_asked_again_by_the_next_run_and_nothing_else_is(tmp_path: Path) -> None:
    def say(name: str, epoch: int, turn: int, given: Any) -> Answer:
        return TargetResult(error="HTTP 500") if name == "b" else echo(name, epoch, turn, given)

    run(tmp_path, THREE, FakeTarget(say))
    again = FakeTarget()
    trials = run(tmp_path, THREE, again)
    assert again.asked == [("b", 1, 0)]
    assert [line.results[0].error for line in trials.lines] == [None, None, None]


def test_more_runs_ask_the_new_epochs_alone(tmp_path: Path) -> None:
    run(tmp_path, THREE, FakeTarget())
    again = FakeTarget()
    run(tmp_path, THREE, again, runs=2)
    assert {epoch for _, epoch, _ in again.asked} == {2}


def test_another_target_or_a_changed_case_is_asked_anew(tmp_path: Path) -> None:
    run(tmp_path, THREE, FakeTarget())
    other = FakeTarget(digest="another temperature")
    assert run(tmp_path, THREE, other).kept == 0
    changed = replace(THREE, cases=(*THREE.cases[:2], case("c", "changed")))
    again = FakeTarget()
    run(tmp_path, changed, again)
    assert again.asked == [("c", 1, 0)]


def test_a_retry_is_no_second_sample(tmp_path: Path) -> None:
    tries = dict.fromkeys("abc", 0)

    def say(name: str, epoch: int, turn: int, given: Any) -> Answer:
        tries[name] += 1
        return BusyError("429", throttled=True) if tries[name] == 1 else echo(name, epoch, turn, given)

    trials = run(tmp_path, THREE, FakeTarget(say))
    assert [len(line.results) for line in trials.lines] == [2, 1, 1]
    assert [line.results[0].error for line in trials.lines] == [None, None, None]


def test_a_busy_turn_is_asked_again_in_the_same_session(tmp_path: Path) -> None:
    tries = 0

    def say(name: str, epoch: int, turn: int, given: Any) -> Answer:
        nonlocal tries
        tries += (name, turn) == ("a", 1)
        return BusyError("503") if (name, turn) == ("a", 1) and tries < 8 else echo(name, epoch, turn, given)

    target = FakeTarget(say)
    trials = run(tmp_path, THREE, target)
    assert [result.text for result in trials.lines[0].results] == ["a/1/0: one", "a/1/1: two"]
    assert (target.asked.count(("a", 1, 0)), target.sessions) == (1, 3)


def test_busy_beyond_patience_is_an_error_that_the_next_run_asks_again(tmp_path: Path) -> None:
    def say(name: str, epoch: int, turn: int, given: Any) -> Answer:
        return BusyError("503") if name == "b" else echo(name, epoch, turn, given)

    trials = run(tmp_path, THREE, FakeTarget(say), patience=0.05)
    assert "503" in (trials.lines[1].results[0].error or "")
    assert (trials.stopped, trials.open) == (None, 0)
    assert b'"b"' not in (tmp_path / "trials.jsonl").read_bytes()
    again = FakeTarget()
    run(tmp_path, THREE, again)
    assert again.asked == [("b", 1, 0)]


def test_a_target_that_is_never_reached_ends_the_run_with_a_finding(tmp_path: Path) -> None:
    target = FakeTarget(lambda *_: BusyError("connection refused"))
    trials = run(tmp_path, THREE, target, unseen_patience=0.02)
    assert getattr(trials.stopped, "code", None) == "ES741"
    assert "connection refused" in trials.stopped.message  # type: ignore[union-attr]
    assert (trials.lines, trials.open, target.closed) == ((), 3, target.sessions)


def test_a_target_that_refuses_for_its_rate_from_the_start_is_waited_for(tmp_path: Path) -> None:
    began = time.monotonic()

    def say(name: str, epoch: int, turn: int, given: Any) -> Answer:
        if time.monotonic() - began < 0.3:
            return BusyError("429", retry_after=0.01, throttled=True)
        return echo(name, epoch, turn, given)

    trials = run(tmp_path, THREE, FakeTarget(say), unseen_patience=0.02)
    assert (trials.stopped, trials.open, len(trials.lines)) == (None, 0, 3)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_failures_from_the_start_end_the_run_and_everything_is_kept(tmp_path: Path, concurrency: int) -> None:
    suite = suite_of(*(case(f"c{number}") for number in range(60)))
    target = FakeTarget(lambda *_: TargetResult(error="HTTP 404"), seconds=0.001)
    trials = run(tmp_path, suite, target, concurrency=concurrency)
    assert getattr(trials.stopped, "code", None) == "ES741"
    assert 10 <= len(target.asked) < 30
    assert len(trials.lines) == len(target.asked) == 60 - trials.open


def test_one_answer_is_enough_to_go_on(tmp_path: Path) -> None:
    def say(name: str, epoch: int, turn: int, given: Any) -> Answer:
        return echo(name, epoch, turn, given) if name == "c3" else TargetResult(error="HTTP 500")

    trials = run(tmp_path, suite_of(*(case(f"c{number}") for number in range(60))), FakeTarget(say))
    assert (trials.stopped, trials.hopeless, len(trials.lines)) == (None, None, 60)


def test_a_small_suite_that_fails_whole_says_so_and_is_not_stopped(tmp_path: Path) -> None:
    trials = run(tmp_path, THREE, FakeTarget(lambda *_: TargetResult(error="HTTP 404")))
    assert (trials.stopped, len(trials.lines)) == (None, 3)
    assert "HTTP 404" in (trials.hopeless.message if trials.hopeless else "")


def test_errors_beside_answers_that_are_kept_do_not_end_the_next_run(tmp_path: Path) -> None:
    suite = suite_of(*(case(f"c{number}") for number in range(60)))
    answers: dict[str, Answer] = {"c3": TargetResult(text="yes")}
    run(tmp_path, suite, FakeTarget(lambda name, *_: answers.get(name, TargetResult(error="HTTP 404"))))
    again = FakeTarget(lambda *_: TargetResult(error="HTTP 404"))
    trials = run(tmp_path, suite, again)
    assert (trials.stopped, trials.hopeless, len(trials.lines)) == (None, None, 60)
    assert (len(again.asked), again.has_answered) == (59, True)


def test_a_recording_with_holes_is_read_to_its_end(tmp_path: Path) -> None:
    def say(name: str, epoch: int, turn: int, given: Any) -> Answer:
        return echo(name, epoch, turn, given) if name == "c50" else TargetResult(error="not recorded")

    target = FakeTarget(say, kind="recorded")
    trials = run(tmp_path, suite_of(*(case(f"c{number}") for number in range(60))), target)
    assert (trials.stopped, len(trials.lines)) == (None, 60)


def test_a_refusal_stops_the_run_and_what_was_answered_is_kept(tmp_path: Path) -> None:
    def say(name: str, epoch: int, turn: int, given: Any) -> Answer:
        return RefusedError("HTTP 401") if name == "b" else echo(name, epoch, turn, given)

    trials = run(tmp_path, THREE, FakeTarget(say))
    assert (getattr(trials.stopped, "code", None), len(trials.lines), trials.open) == ("ES504", 1, 2)
    again = FakeTarget()
    assert run(tmp_path, THREE, again).kept == 1


def test_a_cap_on_calls_is_kept_and_the_next_run_goes_on(tmp_path: Path) -> None:
    suite = suite_of(*(case(f"c{number}") for number in range(20)))
    target = FakeTarget(seconds=0.001)
    trials = run(tmp_path, suite, target, max_calls=7, concurrency=4)
    assert (getattr(trials.stopped, "code", None), len(target.asked), len(trials.lines)) == ("ES516", 7, 7)
    again = FakeTarget()
    run(tmp_path, suite, again)
    assert len(again.asked) == 13


def test_latency_of_what_is_kept_is_that_of_the_first_time(tmp_path: Path) -> None:
    run(tmp_path, THREE, FakeTarget(lambda *_: TargetResult(text="x", latency_ms=1234.5)))
    trials = run(tmp_path, THREE, FakeTarget())
    assert {result.latency_ms for line in trials.lines for result in line.results} == {1234.5}


def test_progress_counts_every_open_trial_once(tmp_path: Path) -> None:
    run(tmp_path, suite_of(case("a")), FakeTarget())
    heard: list[BenchEvent] = []
    run(tmp_path, suite_of(case("a"), case("b"), case("c")), FakeTarget(), heard.append)
    assert heard == [Began(3, 2), Answered("b", 1, None), Answered("c", 1, None)]


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_a_run_that_was_cut_at_any_byte_ends_like_one_that_was_not(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    suite = suite_of(*(case(f"c{number}", "x", "y") for number in range(6)))
    whole, cut = tmp_path_factory.mktemp("whole"), tmp_path_factory.mktemp("cut")
    want = run(whole, suite, FakeTarget(), runs=2)
    journal = (whole / "trials.jsonl").read_bytes()
    at = data.draw(st.integers(0, len(journal)))
    (cut / "trials.jsonl").write_bytes(journal[:at])
    again = FakeTarget()
    got = run(cut, suite, again, runs=2, concurrency=data.draw(st.sampled_from([1, 3])))
    assert want.lines == got.lines
    lines = journal[:at].count(b"\n")
    assert (got.kept, len(again.asked)) == (lines, 2 * (12 - lines))
