"""A request that goes alone is waited for until it is answered or refused, or plainly worked on."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable

import pytest

from evalspec.runtime.admission import Admission
from evalspec.runtime.grace import Grace
from evalspec.runtime.providers import RefusedError, Reply
from evalspec.runtime.providers.faults import BadRequestError
from evalspec.runtime.providers.ladder import Ladder
from evalspec.spec.journal import Usage

REPLY = Reply("{}", Usage(), "stop", "m")
SCHEMA = {"type": "object"}


def unadapted(_text: str) -> bool:
    return False


def test_a_grace_calls_back_once_its_seconds_are_over_and_not_after_its_end() -> None:
    async def scene() -> list[str]:
        said: list[str] = []
        Grace(0.02, lambda: said.append("over"))
        Grace(0.02, lambda: said.append("ended")).end()
        await asyncio.sleep(0.1)
        return said

    assert asyncio.run(scene()) == ["over"]


def test_a_loop_that_is_held_takes_no_more_than_a_step_of_a_grace() -> None:
    async def scene() -> float:
        over = asyncio.Event()
        Grace(0.2, over.set)
        await asyncio.sleep(0)
        time.sleep(0.5)  # as an import does
        began = time.monotonic()
        await over.wait()
        return time.monotonic() - began

    assert asyncio.run(scene()) > 0.1


@pytest.mark.parametrize(("grace", "most"), [(0.05, 4), (math.inf, 1)])
def test_others_go_once_the_first_is_out_for_its_grace(grace: float, most: int) -> None:
    async def scene() -> int:
        admission = Admission(4, alone_first=True, grace=grace)
        seen = []

        async def one() -> None:
            async with admission:
                await asyncio.sleep(0.3)
                seen.append(admission.in_flight)

        first = asyncio.gather(*(one() for _ in range(4)))
        await asyncio.sleep(0.25)
        out = admission.in_flight
        await first
        return out

    assert asyncio.run(scene()) == most


def test_one_that_is_refused_at_once_leaves_the_next_alone() -> None:
    async def scene() -> int:
        admission = Admission(4, alone_first=True, grace=0.2)
        most = 0

        async def one() -> None:
            nonlocal most
            async with admission:
                most = max(most, admission.in_flight)
                await asyncio.sleep(0.01)

        await asyncio.gather(*(one() for _ in range(12)))
        return most

    assert asyncio.run(scene()) == 1


def asked(ladder: Ladder, send: Callable[[str], Awaitable[Reply]], times: int) -> list[object]:
    """What so many requests at once come to."""

    async def scene() -> list[object]:
        asking = (ladder.descend(SCHEMA, send, unadapted) for _ in range(times))
        return list(await asyncio.gather(*asking, return_exceptions=True))

    return asyncio.run(asyncio.wait_for(scene(), 20))


def test_what_is_refused_at_once_is_refused_once() -> None:
    sent: list[str] = []

    async def send(form: str) -> Reply:
        sent.append(form)
        await asyncio.sleep(0.005)
        if form != "c":
            raise BadRequestError(f"no {form}")
        return REPLY

    assert asked(Ladder(("a", "b", "c"), 0.5), send, 6) == [REPLY] * 6
    assert sent == ["a", "b", *"c" * 6]


def test_who_waits_for_a_slow_first_reply_goes_in_its_form() -> None:
    sent: list[str] = []
    out = most = 0

    async def send(form: str) -> Reply:
        nonlocal out, most
        sent.append(form)
        if form == "a":
            raise BadRequestError("no a")
        out += 1
        most = max(most, out)
        await asyncio.sleep(0.3)
        out -= 1
        return REPLY

    assert asked(Ladder(("a", "b"), 0.05), send, 5) == [REPLY] * 5
    assert (sent, most) == (["a", *"b" * 5], 5)


def test_a_form_that_is_refused_late_costs_each_that_went_a_request_and_nothing_else() -> None:
    sent: list[str] = []

    async def send(form: str) -> Reply:
        sent.append(form)
        await asyncio.sleep(0.15)
        if form == "a":
            raise BadRequestError("no a")
        return REPLY

    ladder = Ladder(("a", "b"), 0.03)
    assert asked(ladder, send, 3) == [REPLY] * 3
    assert (sorted(sent), ladder.form) == ([*"aaabbb"], "b")


def test_an_endpoint_that_takes_no_form_refuses_them_all() -> None:
    async def send(form: str) -> Reply:
        await asyncio.sleep(0.03)
        raise BadRequestError(f"no {form}")

    results = asked(Ladder(("a", "b"), 0.01), send, 3)
    assert [str(result) for result in results if isinstance(result, RefusedError)] == ["no a"] * 3


def test_the_strictest_form_that_was_taken_is_for_all_whoever_answers_first() -> None:
    large = {"type": "object", "description": "large"}

    async def send(form: str) -> Reply:
        await asyncio.sleep(0.2)
        return REPLY

    async def refusing(form: str) -> Reply:
        if form == "a":
            raise BadRequestError("too large")
        return REPLY

    ladder = Ladder(("a", "b"), 0.03)

    async def scene() -> tuple[str | None, list[str]]:
        slow = asyncio.ensure_future(ladder.descend(SCHEMA, send, unadapted))
        await asyncio.sleep(0.1)
        await ladder.descend(large, refusing, unadapted)
        await slow
        forms: list[str] = []

        async def noting(form: str) -> Reply:
            forms.append(form)
            return REPLY

        await ladder.descend(SCHEMA, noting, unadapted)
        await ladder.descend(large, noting, unadapted)
        return ladder.form, forms

    assert asyncio.run(scene()) == ("a", ["a", "b"])
