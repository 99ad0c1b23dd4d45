"""How many requests may be in flight: halved when the provider is busy or slow, raised by one as it answers.

And how soon: where it refuses one request after another and answers none, they go one at a time, ever more slowly.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType

from evalspec.runtime.grace import Grace

_SLOW = 4.0
"""Latency over this many times the least seen is taken for a provider that cannot keep up."""
_WINDOW = 16
_BUSY_SHARE = 0.25
"""More refusals for rate than this share of the last outcomes lower the limit; fewer are only tried again."""


_IN_ORDER = 64
"""Of so many places that are left, one goes to the queue at once, so that nobody waits for long."""
_HELD_FROM = 3
"""Refusals one after another, with no answer between, from which on requests are held back."""
_FIRST_HOLD, _LONGEST_HOLD = 0.5, 10.0
"""Seconds; doubled with each refusal. The longest is what a run loses at most once the provider answers again."""


class Admission:
    """Places for requests; `async with` takes one.

    Who has left its place and at once asks for one is not sent to the end of the queue: its next request goes out
    before the replies of others are worked up, and the provider does not wait for that. While a request that is tried
    `again` is in the queue, all go in order, so that it comes to its turn; and of others, one in 64.

    With `alone_first` there is one place until the first answer has come, or until a request has been out for `grace`
    seconds and was not refused. `held` is to be asked before a place is taken, and in it. With `wary`, faults hold
    requests back as refusals for rate do.
    """

    def __init__(
        self,
        most: int,
        *,
        alone_first: bool = False,
        grace: float = math.inf,
        wary: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most = most
        self.wary = wary
        self._clock = clock
        self._refusals = 0
        self._counted_at = float("-inf")
        self._not_before = 0.0
        self.limit = 1.0 if alone_first else float(most)
        self._alone = alone_first
        self._grace = grace
        self._opening: Grace | None = None
        self.in_flight = 0
        self._waiting: deque[tuple[asyncio.Future[None], bool]] = deque()
        self._again = 0
        """How many of these are tried again."""
        self._left = 0
        self._open = False
        """Whether places that were left are still to be handed on."""
        self._recent: deque[float] = deque(maxlen=_WINDOW)
        self._least = float("inf")
        self._since_cut = 0
        self._outcomes: deque[bool] = deque(maxlen=2 * _WINDOW)

    async def __aenter__(self) -> None:
        await self.enter()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()

    async def enter(self, *, again: bool = False) -> None:
        """Take a place, once there is one; `leave` gives it back."""
        if self.in_flight < self._places() and (self._open or not self._waiting):
            self._take()
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((place, again))
        self._again += again
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Give a place back: to whoever asks next, or to the queue."""
        self.in_flight -= 1
        if self._opening is not None:
            self._opening.end()
        self._left += 1
        if self._again or self._left % _IN_ORDER == 0:
            self._admit()
        elif self._waiting and not self._open:
            self._open = True
            asyncio.get_running_loop().call_soon(self._hand_on)

    def _take(self) -> None:
        self.in_flight += 1
        if self._alone and self._grace < math.inf:
            self._opening = Grace(self._grace, self._open_up)

    def _open_up(self) -> None:
        """From here on requests go together."""
        if self._alone:
            self._alone = False
            self.limit = float(self.most)
            self._admit()

    def _hand_on(self) -> None:
        self._open = False
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self.in_flight < self._places():
            place, again = self._waiting.popleft()
            self._again -= again
            if not place.done():
                self._take()
                place.set_result(None)

    def _places(self) -> int:
        return int(self.limit) if self._refusals < _HELD_FROM else 1

    def held(self) -> float:
        """Seconds for which no request is to be sent; 0 nearly always."""
        return 0.0 if self._refusals < _HELD_FROM else max(0.0, self._not_before - self._clock())

    def refused(self, sent: float, retry_after: float | None = None) -> None:
        """A request of the time `sent` was not answered: those that were out together count as one."""
        now = self._clock()
        if self._refusals >= _HELD_FROM and retry_after is not None:
            self._not_before = max(self._not_before, now + retry_after)
        if sent < self._counted_at:
            return
        self._counted_at = now
        self._refusals += 1
        over = self._refusals - _HELD_FROM
        if over >= 0:
            wait = min(_LONGEST_HOLD, _FIRST_HOLD * 2.0 ** min(over, 10))
            self._not_before = max(self._not_before, now + max(wait, retry_after or 0.0))

    def answered(self, seconds: float) -> None:
        """A reply came after `seconds`."""
        if self._refusals:
            held, self._refusals = self._refusals >= _HELD_FROM, 0
            if held:
                self._admit()
        self._open_up()
        self._since_cut += 1
        self._outcomes.append(False)
        self._recent.append(seconds)
        if len(self._recent) == _WINDOW:
            typical = sorted(self._recent)[_WINDOW // 2]
            self._least = min(self._least, typical)
            if typical > _SLOW * self._least:
                self._cut(0.7)
                return
        if self.limit < self.most:
            self.limit = min(self.limit + 1 / self.limit, self.most)
            self._admit()

    def busy(self) -> None:
        """The provider refused a request for its rate."""
        self._since_cut += 1
        self._outcomes.append(True)
        if len(self._outcomes) >= _WINDOW and sum(self._outcomes) > _BUSY_SHARE * len(self._outcomes):
            self._cut(0.5)

    def _cut(self, share: float) -> None:
        """Lower the limit, at most once for the requests that were in flight together."""
        if self._since_cut > self.limit or self.limit == self.most:
            self.limit = max(1.0, self.limit * share)
            self._since_cut = 0
            self._recent.clear()
            self._outcomes.clear()
