"""A judge that is there but has no time, or falls silent: ballots wait their turn again, and not for ever."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from evalspec.bench.judging import members
from evalspec.bench.judging.config import JudgeModel
from evalspec.bench.judging.members import (
    LONE_PATIENCE,
    PATIENCE,
    THROTTLED_ROUNDS,
    Ballot,
    ModelMember,
    UnreachedError,
)
from evalspec.bench.judging.prompts import Question
from evalspec.runtime import retry
from evalspec.runtime.events import Throttled
from evalspec.runtime.providers import BusyError, ChatRequest, Reply
from evalspec.runtime.run_state import RunState, StoppingError
from evalspec.spec.journal import Usage

LIMITED = BusyError("HTTP 429", throttled=True)
FAULT = BusyError("HTTP 500")


class Clock:
    """Time that passes only while something sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.stop_at = float("inf")
        """When the run stops."""

    def monotonic(self) -> float:
        self.now += 0.001
        return self.now


class Chat:
    """Answers by the text of what it is asked."""

    def __init__(self, answers: Callable[[str], BusyError | None]) -> None:
        self.asked: list[str] = []
        self._answers = answers

    async def ask(self, request: ChatRequest) -> Reply:
        self.asked.append(request.messages[1].content)
        if (error := self._answers(self.asked[-1])) is not None:
            raise BusyError(str(error), throttled=error.throttled)
        return Reply("{}", Usage(), "stop", "m")

    async def close(self) -> None:
        pass


class State(RunState):
    """A run whose sleeps take no time, but move the clock."""

    clock: Clock

    async def sleep(self, seconds: float) -> None:
        self.clock.now += seconds
        await asyncio.sleep(0)
        if self.clock.now > self.clock.stop_at:
            self.stop.set()
        if self.stop.is_set():
            raise StoppingError


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (members, retry):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=made.monotonic))
    return made


def outcomes(chat: Chat, clock: Clock, *asked: str) -> tuple[list[Any], list[Any]]:
    """What came of ballots that are cast together after a first one, and the events."""
    events: list[Any] = []

    async def main() -> list[Any]:
        state = State(events.append)
        state.clock = clock
        member = ModelMember(JudgeModel(provider="custom", model="m"), chat)
        cast = (member.reply(ballot(text), state) for text in asked)
        return await asyncio.gather(*cast, return_exceptions=True)

    return asyncio.run(main()), events


def ballot(text: str) -> Ballot:
    return Ballot(Question("judge", text, {}), text, "policy", 0, 1, 1, 1, text)


def test_a_ballot_that_is_refused_for_rate_is_cast_later(clock: Clock) -> None:
    chat = Chat(lambda text: LIMITED if text == "b" and chat.asked.count("b") < 8 else None)
    (first, second), events = outcomes(chat, clock, "a", "b")
    assert (type(first), type(second), chat.asked.count("b")) == (Reply, Reply, 8)
    assert all(isinstance(event, Throttled) and event.message == "HTTP 429" for event in events)
    assert len(events) == 5  # of each round of three tries, the two that are followed by another


def test_a_model_that_begins_with_refusals_for_rate_is_there(clock: Clock) -> None:
    chat = Chat(lambda _: LIMITED if len(chat.asked) < 5 else None)
    (only,), _ = outcomes(chat, clock, "a")
    assert (type(only), len(chat.asked)) == (Reply, 5)


def test_one_ballot_that_always_meets_a_fault_is_left_alone_while_others_are_answered(clock: Clock) -> None:
    chat = Chat(lambda text: FAULT if text == "bad" else None)
    said, _ = outcomes(chat, clock, "a", "bad", "b")
    assert [type(one) for one in said] == [Reply, BusyError, Reply]


def test_one_ballot_that_is_always_refused_for_rate_is_left_alone_in_the_end(clock: Clock) -> None:
    chat = Chat(lambda text: LIMITED if text == "bad" else None)
    said, _ = outcomes(chat, clock, "a", "bad")
    assert [type(one) for one in said] == [Reply, BusyError]
    assert chat.asked.count("bad") <= 3 * THROTTLED_ROUNDS


def test_a_model_that_falls_silent_under_many_ballots_stops_the_run(clock: Clock) -> None:
    chat = Chat(lambda text: None if text == "a" else FAULT)
    said, _ = outcomes(chat, clock, "a", "b", "c", "d", "e")
    assert [type(one) for one in said] == [Reply, *[UnreachedError] * 4]
    assert clock.now > PATIENCE
    assert "nothing was heard for" in str(said[-1])


def test_a_run_that_stops_casts_no_further_ballot(clock: Clock) -> None:
    chat = Chat(lambda text: None if text == "a" else LIMITED)
    clock.stop_at = 5.0
    said, _ = outcomes(chat, clock, "a", "b", "c", "d")
    assert [type(one) for one in said] == [Reply, *[StoppingError] * 3]
    assert clock.now < LONE_PATIENCE
