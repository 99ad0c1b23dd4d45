"""Retries, places and budgets: how long is waited, and how many may be in flight."""

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evalspec.runtime.admission import Admission
from evalspec.runtime.budget import Budget
from evalspec.runtime.providers import BusyError, Reply
from evalspec.runtime.retry import TRIES, retry_after_seconds, wait_for, with_retries
from evalspec.spec.generation import Limits
from evalspec.spec.journal import Usage

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
REPLY = Reply("{}", Usage(), "stop", "m")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("-3", 0.0),
        ("1e9", 600.0),
        ("nan", None),
        ("soon", None),
        ("Sun, 01 Mar 2026 12:00:09 +99999999999999999999", None),
        ("", None),
        ("Sun, 01 Mar 2026 12:00:09 GMT", 9.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert seconds == retry_after_seconds(header, NOW)


def test_waits_double_unless_the_provider_says_how_long() -> None:
    assert [wait_for(BusyError("x"), tried, 0.0) for tried in (1, 2, 3)] == [0.375, 0.75, 1.5]
    assert wait_for(BusyError("x", retry_after=9.0), 1, 0.0) == 9.0


def test_a_call_that_waits_for_its_next_try_frees_its_place() -> None:
    async def scene() -> list[str]:
        admission = Admission(1)
        told: list[str] = []
        wake = asyncio.Event()

        async def busy_once() -> Reply:
            told.append("first")
            if len(told) == 1:
                raise BusyError("full", throttled=False)
            return REPLY

        async def other() -> Reply:
            told.append("other")
            wake.set()
            return REPLY

        async def sleep(seconds: float) -> None:
            await wake.wait()

        waiting = with_retries(busy_once, admission, lambda _e, _s: None, "key", sleep)
        await asyncio.gather(waiting, with_retries(other, admission, lambda _e, _s: None, "key", sleep))
        return told

    assert asyncio.run(asyncio.wait_for(scene(), 5)) == ["first", "other", "first"]


@pytest.mark.parametrize(("error", "tries"), [(BusyError("full"), TRIES), (KeyError("a defect"), 1)])
def test_only_a_busy_provider_is_tried_again(error: Exception, tries: int) -> None:
    calls: list[int] = []

    async def call() -> Reply:
        calls.append(1)
        raise error

    async def sleep(seconds: float) -> None:
        return None

    with pytest.raises(type(error)):
        asyncio.run(with_retries(call, Admission(1), lambda _e, _s: None, "key", sleep))
    assert tries == len(calls)


def test_places_are_never_more_than_the_limit() -> None:
    async def scene() -> int:
        admission = Admission(3)
        most = 0

        async def one() -> None:
            nonlocal most
            async with admission:
                most = max(most, admission.in_flight)
                await asyncio.sleep(0)

        await asyncio.gather(*(one() for _ in range(20)))
        assert admission.in_flight == 0
        return most

    assert asyncio.run(scene()) == 3


def test_one_goes_alone_until_the_first_answer() -> None:
    async def scene() -> list[int]:
        admission = Admission(4, alone_first=True)
        seen: list[int] = []

        async def one() -> None:
            async with admission:
                await asyncio.sleep(0.005)
                seen.append(admission.in_flight)
                admission.answered(0.005)

        await asyncio.gather(*(one() for _ in range(9)))
        return seen

    seen = asyncio.run(scene())
    assert (seen[0], max(seen)) == (1, 4)


def test_whoever_leaves_a_place_may_take_the_next_before_those_that_wait() -> None:
    async def scene() -> list[str]:
        admission = Admission(2)
        order: list[str] = []

        async def one(name: str, turns: int) -> None:
            for _ in range(turns):
                async with admission:
                    order.append(name)
                    await asyncio.sleep(0.001)

        await asyncio.gather(one("a", 3), one("b", 3), one("c", 1), one("d", 1))
        assert admission.in_flight == 0
        return order

    assert asyncio.run(scene()) == [*"ab" * 3, "c", "d"]


def test_whoever_waits_gets_a_place_of_64() -> None:
    async def scene() -> list[str]:
        admission = Admission(1)
        order: list[str] = []

        async def one(name: str, turns: int) -> None:
            for _ in range(turns):
                async with admission:
                    order.append(name)
                    await asyncio.sleep(0)

        await asyncio.gather(one("a", 100), one("b", 1))
        return order

    assert asyncio.run(scene()).index("b") == 64


def test_while_one_is_tried_again_places_are_given_in_order() -> None:
    async def scene() -> list[str]:
        admission = Admission(1)
        order: list[str] = []

        async def one(name: str, turns: int, *, again: bool = False) -> None:
            for _ in range(turns):
                await admission.enter(again=again)
                try:
                    order.append(name)
                    await asyncio.sleep(0.001)
                finally:
                    admission.leave()

        await asyncio.gather(one("a", 3), one("b", 1), one("c", 1, again=True))
        return order

    assert asyncio.run(scene()) == ["a", "b", "c", "a", "a"]


def test_a_cancelled_wait_loses_no_place() -> None:
    async def scene() -> int:
        admission = Admission(1)
        async with admission:
            waiting: asyncio.Task[Any] = asyncio.create_task(admission.__aenter__())
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(1), admission:
            return admission.in_flight

    assert asyncio.run(scene()) == 1


def test_many_refusals_for_rate_halve_the_limit_and_answers_raise_it() -> None:
    admission = Admission(32)
    for _ in range(16):
        admission.busy()
    assert admission.limit == 16.0
    for _ in range(2000):
        admission.answered(0.1)
    assert admission.limit == 32.0


def test_a_refusal_now_and_then_leaves_the_limit() -> None:
    admission = Admission(32)
    for number in range(200):
        admission.busy() if number % 10 == 0 else admission.answered(0.1)
    assert admission.limit == 32.0


class Time:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_refusals_one_after_another_hold_requests_back_ever_longer_and_a_reply_lets_them_go() -> None:
    clock = Time()
    admission = Admission(8, clock=clock)
    holds = []
    for _ in range(9):
        admission.refused(clock.now)
        holds.append(admission.held())
        clock.now += admission.held() or 0.01
    assert holds == [0.0, 0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    admission.refused(clock.now)
    assert admission.held() == 10.0
    admission.answered(0.1)
    assert admission.held() == 0.0


def test_requests_that_were_out_together_are_refused_as_one() -> None:
    clock = Time()
    admission = Admission(64, clock=clock)
    for _ in range(2):
        sent = clock.now
        clock.now += 0.1
        for _ in range(64):
            admission.refused(sent)
    assert admission.held() == 0.0
    admission.refused(clock.now)
    assert admission.held() == 0.5


def test_an_announced_wait_is_kept_to_where_nothing_gets_through() -> None:
    clock = Time()
    admission = Admission(8, clock=clock)
    for _ in range(3):
        admission.refused(clock.now, 20.0)
    assert admission.held() == 20.0
    clock.now += 1
    admission.refused(clock.now - 2, 30.0)
    assert admission.held() == 30.0


class NoWaiting(asyncio.SelectorEventLoop):
    """A loop whose time is that of its timers: it waits for none, and none is late however slow the machine."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        select = self._selector.select  # type: ignore[attr-defined]

        def at_once(timeout: float | None) -> Any:
            self._now += timeout or 0.0
            return select(0)

        self._selector.select = at_once  # type: ignore[attr-defined]

    def time(self) -> float:
        return self._now


def test_while_requests_are_held_back_one_goes_at_a_time_and_who_was_refused_goes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("evalspec.runtime.admission._FIRST_HOLD", 0.02)
    monkeypatch.setattr("evalspec.runtime.retry.FIRST_WAIT", 0.001)
    monkeypatch.setattr("evalspec.runtime.retry.draw", lambda *_: 0)  # the shortest of the waits

    async def scene() -> tuple[list[int], int, list[int]]:
        clock = asyncio.get_running_loop().time
        monkeypatch.setattr("evalspec.runtime.retry.time", SimpleNamespace(monotonic=clock))
        admission = Admission(4, clock=clock, alone_first=True)
        sent: list[int] = []
        out = most = 0

        def calling(number: int) -> Any:
            async def call() -> Reply:
                nonlocal out, most
                out += 1
                most = max(most, out)
                await asyncio.sleep(0.001)
                out -= 1
                sent.append(number)
                if len(sent) < 6:
                    raise BusyError("HTTP 429: no", throttled=True)
                return REPLY

            return call

        tries = (with_retries(calling(n), admission, lambda _e, _s: None, "key") for n in range(20))
        done = await asyncio.gather(*tries, return_exceptions=True)
        return sent, most, [n for n, result in enumerate(done) if isinstance(result, Exception)]

    with asyncio.Runner(loop_factory=NoWaiting) as runner:
        sent, most, failed = runner.run(scene())
    assert sent[:3] == [0, 1, 2]
    assert set(sent[3:6]) <= {0, 1, 2}
    assert (most <= 4, len(failed) <= 1) == (True, True)


def test_a_provider_that_throttles_from_the_start_is_waited_for_with_few_requests(
    llm: Any, folder: Path, plan_of: Any, run: Any, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalspec.runtime.patience.UNSEEN", 0.2)
    until = time.monotonic() + 2.5
    llm.script = lambda _number, _body: answer() if time.monotonic() > until else answer(status=429)
    result = run(plan_of({"CLOSED": 12}, url=llm.url), folder)
    assert (result.filled, result.stopped) == (12, None)
    assert 12 < len(llm.requests) < 12 + 10


def test_a_provider_that_only_fails_is_asked_ever_more_slowly_too(
    llm: Any, folder: Path, plan_of: Any, run: Any, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalspec.runtime.patience.UNSEEN", 2.0)
    llm.script = lambda _number, _body: answer(status=500)
    result = run(plan_of({"CLOSED": 12}, url=llm.url), folder)
    assert (result.filled, result.stopped.code) == (0, "ES504")
    assert "check that base_url is right" in result.stopped.hint
    assert len(llm.requests) < 12


def test_a_provider_that_only_throttles_ends_the_run_at_last_and_not_within_a_wait_that_it_announced(
    llm: Any, folder: Path, plan_of: Any, run: Any, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalspec.runtime.patience._MARGIN", 0.2)
    llm.script = lambda number, _body: answer(status=429, headers={"Retry-After": "2"} if number < 3 else {})
    began = time.monotonic()
    result = run(plan_of({"CLOSED": 12}, url=llm.url), folder, patience=0.5)
    assert (result.filled, result.stopped.code) == (0, "ES504")
    assert "lower limits or --concurrency" in result.stopped.hint
    assert 2.0 < time.monotonic() - began < 60
    assert len(llm.requests) < 12


def test_ctrl_c_ends_a_run_that_is_held_back_at_once(
    llm: Any, folder: Path, plan_of: Any, run: Any, answer: Any
) -> None:
    import os
    import signal

    def script(number: int, _body: Any) -> Any:
        if number == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return answer(status=429, headers={"Retry-After": "300"})

    llm.script = script
    began = time.monotonic()
    result = run(plan_of({"CLOSED": 12}, url=llm.url), folder)
    assert (result.stopped, result.filled) == ("interrupted", 0)
    assert time.monotonic() - began < 60


def test_latency_that_grows_tenfold_lowers_the_limit_without_any_refusal() -> None:
    admission = Admission(32)
    for _ in range(50):
        admission.answered(0.1)
    assert admission.limit == 32.0
    for _ in range(200):
        admission.answered(1.0)
    assert admission.limit < 16


def test_requests_and_tokens_are_spread_over_the_minute() -> None:
    assert [wait for budget in [Budget(60, None, lambda: 0.0)] for wait in map(budget.take, (9, 9, 9))] == [
        0.0,
        1.0,
        2.0,
    ]
    assert [wait for budget in [Budget(None, 6000, lambda: 0.0)] for wait in map(budget.take, (50, 100, 1))] == [
        0.0,
        0.5,
        1.5,
    ]
    assert (Budget(None, None).free, Budget(1, None).free) == (True, False)


def test_requests_a_minute_are_kept_to_and_a_retry_counts_as_one(
    llm: Any, folder: Path, plan_of: Any, run: Any, answer: Any
) -> None:
    import aiohttp  # else the first request waits for it after its turn, and the second does not

    assert aiohttp
    times: list[float] = []

    def script(number: int, _body: Any) -> Any:
        times.append(time.monotonic())
        return answer(status=429, headers={"Retry-After": "0"}) if number in (1, 3) else answer()

    llm.script = script
    limits = Limits(max_concurrency=8, requests_per_minute=600, timeout_seconds=5.0)
    assert run(plan_of({"CLOSED": 6}, url=llm.url, limits=limits), folder).filled == 6
    assert len(times) == 8
    assert max(times) - min(times) >= 0.1 * 7 - 0.05
