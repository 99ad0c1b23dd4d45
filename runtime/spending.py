"""What a run may cost and has cost: usage as providers report it, prices as the config gives them, and the caps."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from evalspec.runtime.providers import BusyError, Reply, ReplyError
from evalspec.spec.dataclass import dataclass
from evalspec.spec.generation import Prices
from evalspec.spec.journal import AttemptLine, Line, Usage

CHARS_PER_TOKEN_AT_LEAST = 2.5
"""English has about four characters a token; figures and markup have fewer. Only used to stay under a cap."""


def cost(prices: Prices | None, usage: Usage) -> float | None:
    """What `usage` costs, in the currency of `prices`; None where the config gives none."""
    return None if prices is None else _price(prices, usage.input_tokens, usage.output_tokens)


def _price(prices: Prices, tokens_in: int, tokens_out: int) -> float:
    return (tokens_in * prices.input_per_million + tokens_out * prices.output_per_million) / 1e6


def usage_by_group(lines: Iterable[Line]) -> dict[str, Usage]:
    """Tokens by group, over all of its attempts, accepted or not."""
    out: dict[str, Usage] = {}
    for line in lines:
        if isinstance(line, AttemptLine):
            out[line.group] = added(out.get(line.group, Usage()), line.usage)
    return out


@dataclass(frozen=True, slots=True)
class GroupUsage:
    """What the replies for one group came to, accepted or not; `cost` is None where no prices are known."""

    group: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


class Spending:
    """Counts what the replies of services and models came to by group, over all runs on a folder."""

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self._requests: dict[str, tuple[str, ...]] = {}
        self._tokens: dict[str, tuple[int, int]] = {}
        for line in lines:
            self.add(line)

    def add(self, line: Line) -> None:
        """Count one more line. A reply that was taken up later, as what is accepted had changed, is one call."""
        if not isinstance(line, AttemptLine) or line.provider in ("embedded", "replay"):
            return
        given, taken = line.usage.input_tokens, line.usage.output_tokens
        before = self._tokens.get(line.group, (0, 0))
        self._tokens[line.group] = before[0] + given, before[1] + taken
        requests = self._requests.setdefault(line.group, ())
        replied = line.outcome in ("accepted", "invalid", "cut_off") or given or taken
        if replied and line.request not in requests:
            self._requests[line.group] = (*requests, line.request)

    def by_group(self, prices: Prices | None) -> list[GroupUsage]:
        """The groups that had a reply, in the order in which they were first counted."""
        return [
            GroupUsage(group, len(requests), *tokens, None if prices is None else _price(prices, *tokens))
            for group, requests in self._requests.items()
            if requests and (tokens := self._tokens[group])
        ]


def added(one: Usage, other: Usage) -> Usage:
    """The sum of two usages."""
    return Usage(
        input_tokens=one.input_tokens + other.input_tokens, output_tokens=one.output_tokens + other.output_tokens
    )


class SpentError(Exception):
    """The next call might pass a cap; nothing was sent."""


@dataclass(frozen=True, slots=True)
class Hold:
    """What is set aside for one call until it is known what it cost."""

    cost: float


class Purse:
    """Caps on calls and cost: a call is made only where it cannot pass either, however long its reply."""

    def __init__(self, prices: Prices | None, max_calls: int | None = None, max_cost: float | None = None) -> None:
        self._prices = prices
        self._max_calls = max_calls
        self._max_cost = max_cost if prices is not None else None
        self._calls = 0
        self._spent = 0.0
        self._held = 0.0
        self._in_flight = 0
        self._settled = asyncio.Event()

    @property
    def free(self) -> bool:
        """Whether nothing is capped."""
        return self._max_calls is None and self._max_cost is None

    async def take(self, input_chars: int, max_tokens: int) -> Hold:
        """Set aside what a call may cost at most, once there is room for it. Raises SpentError where none will be."""
        most = Usage(input_tokens=int(input_chars / CHARS_PER_TOKEN_AT_LEAST) + 1, output_tokens=max_tokens)
        wanted = cost(self._prices, most) or 0.0
        while True:
            self._refuse(wanted)
            if self._fits(wanted):
                self._in_flight += 1
                self._held += wanted
                return Hold(wanted)
            self._settled.clear()
            await self._settled.wait()

    async def within(self, hold: Hold | None, send: Callable[[], Awaitable[Reply]]) -> Reply:
        """The reply to `send`, paid from `hold`. One that may be billed and never came costs all that was held."""
        if hold is None:
            return await send()
        try:
            reply = await send()
        except BaseException as error:
            unsure = error.unsure if isinstance(error, BusyError | ReplyError) else not isinstance(error, Exception)
            self._settle(hold, hold.cost if unsure else 0.0, int(unsure))
            raise
        self._settle(hold, cost(self._prices, reply.usage) or 0.0, 1)
        return reply

    def _settle(self, hold: Hold, spent: float, calls: int) -> None:
        self._in_flight -= 1
        self._held -= hold.cost
        self._spent += spent
        self._calls += calls
        self._settled.set()

    def _fits(self, wanted: float) -> bool:
        calls = self._max_calls is None or self._calls + self._in_flight < self._max_calls
        return calls and (self._max_cost is None or self._spent + self._held + wanted <= self._max_cost)

    def _refuse(self, wanted: float) -> None:
        if self._max_calls is not None and self._calls >= self._max_calls:
            raise SpentError(f"{self._calls:,} calls were made, and {self._max_calls:,} are allowed")
        if self._max_cost is not None and self._spent + wanted > self._max_cost and self._prices is not None:
            money = self._prices.currency
            raise SpentError(
                f"{self._spent:,.4f} {money} is spent, the next call may cost up to {wanted:,.4f} {money}, "
                f"and {self._max_cost:,.4f} {money} is allowed"
            )
