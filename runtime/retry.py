"""Tries again what a busy provider did not answer: three times, waiting longer each time or as long as it says."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isnan
from typing import TypeVar

from evalspec.runtime.admission import Admission
from evalspec.runtime.providers import BusyError
from evalspec.spec.draw import draw

TRIES = 3
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
LONGEST_RETRY_AFTER = 600.0
"""Seconds that a provider's Retry-After is believed for."""
_AHEAD = 0.05
"""Seconds by which a first try lets others go ahead where requests are held back."""
_LOOK = 1.0
"""Seconds after which is looked whether they still are."""
Answer = TypeVar("Answer")


def retry_after_seconds(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds of a Retry-After header, seconds or an HTTP date (RFC 9110, 10.2.3); None if it is neither."""
    if value is None:
        return None
    text = value.strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            when = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        seconds = (when - (now or datetime.now(UTC))).total_seconds()
    return None if isnan(seconds) else min(max(seconds, 0.0), LONGEST_RETRY_AFTER)


def wait_for(error: BaseException | None, tried: int, spread: float) -> float:
    """Seconds before try `tried` + 1; `spread` in [0, 1) keeps requests that failed together apart."""
    if isinstance(error, BusyError) and error.retry_after is not None:
        return error.retry_after + spread * 0.25
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (tried - 1)) * (0.75 + 0.5 * spread)


async def with_retries(
    call: Callable[[], Awaitable[Answer]],
    admission: Admission,
    waiting: Callable[[BusyError, float], None],
    key: str,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    before: Callable[[], Awaitable[None]] | None = None,
    *,
    again: bool = False,
) -> Answer:
    """Call under `admission`, once `before` is through; a call that waits for its next try holds no place.

    `key` keeps apart what failed together: how much longer one waits than another is drawn from it. `again` says that
    the first try is none: an earlier call was put off.

    Raises the last BusyError, and what `before` and `sleep` raise.
    """
    ahead = _AHEAD

    async def once() -> Answer:
        while True:
            # who was refused goes first, so that somebody comes to the end of the tries
            while wait := admission.held():
                await sleep(min(wait, _LOOK) + ahead)
            await admission.enter(again=again or not ahead)
            try:
                if not admission.held():
                    return await _admitted(call, admission, before)
            finally:
                admission.leave()

    try:  # the first try, nearly always the only one, is spared tenacity's bookkeeping of 0.1 ms, and its import
        return await once()
    except BusyError as error:
        spread = draw(0, key) / 2**64
        first = wait_for(error, 1, spread)
        waiting(error, first)
    ahead = 0.0
    await sleep(first)
    return await _again(once, waiting, spread, sleep)


async def _again(
    once: Callable[[], Awaitable[Answer]],
    waiting: Callable[[BusyError, float], None],
    spread: float,
    sleep: Callable[[float], Awaitable[None]],
) -> Answer:
    """The tries after the first. Raises the last BusyError, and what `once` raises."""
    from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        return wait_for(error, state.attempt_number + 1, spread)

    def before_sleep(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, BusyError) and state.next_action is not None:
            waiting(error, state.next_action.sleep)

    retrying = AsyncRetrying(
        retry=retry_if_exception_type(BusyError),
        stop=stop_after_attempt(TRIES - 1),
        wait=wait,
        sleep=sleep,
        before_sleep=before_sleep,
        reraise=True,
    )
    return await retrying(once)


async def _admitted(
    call: Callable[[], Awaitable[Answer]], admission: Admission, before: Callable[[], Awaitable[None]] | None
) -> Answer:
    """One try in a place of `admission`, which learns how it went."""
    if before is not None:
        await before()
    began = time.monotonic()
    try:
        reply = await call()
    except BusyError as error:
        if error.throttled:
            admission.busy()
        if error.throttled or (admission.wary and not error.unsure):
            admission.refused(began, error.retry_after)
        raise
    admission.answered(time.monotonic() - began)
    return reply
