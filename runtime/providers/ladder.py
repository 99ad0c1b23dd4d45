"""How the shape of a reply is asked for: from the strictest form to none, found out once and remembered for the run."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from evalspec.runtime.grace import Grace
from evalspec.runtime.providers import RefusedError, Reply, ReplyError
from evalspec.runtime.providers.faults import BadRequestError, token_cap, too_long

_TRIES = 8


class _Probe:
    """The request that goes alone, and what those that wait for it are told."""

    def __init__(self) -> None:
        self.form = 0
        """The place of the form that it asks for."""
        self.worked_on = False
        """Whether it has been out for so long that it is not refused any more."""
        self.told = asyncio.Event()
        """Set as it ends, or is worked on."""

    @contextmanager
    def out(self, form: int, seconds: float) -> Iterator[None]:
        """While it is out in a form; after `seconds` of that it is worked on."""
        self.form = form
        grace = Grace(seconds, self._work) if seconds < math.inf else None
        try:
            yield
        finally:
            if grace is not None:
                grace.end()

    def _work(self) -> None:
        self.worked_on = True
        self.told.set()


class Ladder:
    """The forms that an endpoint may take, strictest first, and the first of them that it took.

    Until a first reply has come, requests are sent one at a time: what the endpoint refuses, it refuses once. One that
    is out for `grace` seconds is taken to be worked on, and others go in its form, without waiting for its reply. A
    form that was taken before and is refused for one schema, as too large perhaps, is given up for that schema alone.
    """

    def __init__(self, forms: tuple[str, ...], grace: float = math.inf) -> None:
        self._forms = forms
        self._grace = grace
        self._first = 0
        self._exceptions: dict[int, int] = {}
        self._most_tokens: int | None = None
        self._probe: _Probe | None = None
        """The request that goes alone; None while there is none."""
        self.known = False
        """Whether a reply in some form has come."""
        self.answered = False
        """Whether any reply has come, in a form or plain."""
        self._changes = 0

    @property
    def form(self) -> str | None:
        """The form in use; None before a first reply."""
        return self._forms[self._first] if self.known else None

    async def descend(
        self, schema: object | None, send: Callable[[str], Awaitable[Reply]], adapt: Callable[[str], bool]
    ) -> Reply:
        """The reply to `send`, by the strictest form that the endpoint takes for `schema`, or plain without one.

        `adapt` is told why a request was not taken, and says whether it changed something else in it. Raises what
        `send` raises, and RefusedError with the endpoint's first reason where no form is taken.
        """
        if schema is None:
            return await self._plain(send, adapt)
        while not self.known and self._probe is not None and not self._probe.worked_on:
            await self._probe.told.wait()
        if self.known or self._probe is not None:
            return await self._try(id(schema), send, adapt, self._probe.form if self._probe else 0)
        self._probe = probe = _Probe()

        async def probing(form: str) -> Reply:
            with probe.out(self._forms.index(form), self._grace):
                return await send(form)

        try:
            return await self._try(id(schema), probing, adapt)
        finally:
            self._probe = None
            probe.told.set()

    async def _try(
        self, schema: int, send: Callable[[str], Awaitable[Reply]], adapt: Callable[[str], bool], least: int = 0
    ) -> Reply:
        first_reason: str | None = None
        at = max(self._first, least, self._exceptions.get(schema, 0))
        while at < len(self._forms):
            try:
                reply = await send(self._forms[at])
            except BadRequestError as error:
                first_reason = first_reason or str(error)
                reason = str(error).lower()
                at += 0 if adapt(reason) or self._cap(reason) else 1
            else:
                self._learn(schema, at)
                return reply
        raise RefusedError(first_reason or "no form of reply is left to ask for")

    async def _plain(self, send: Callable[[str], Awaitable[Reply]], adapt: Callable[[str], bool]) -> Reply:
        """The reply to a request without a form. Nothing is probed: what one request learns, those in flight use.

        A request that is not taken is refused for good where none was ever taken; later, it is its own fault.
        """
        said = ""
        for _ in range(_TRIES):
            before = self._changes
            try:
                reply = await send("plain")
            except BadRequestError as error:
                said = said or str(error)
                reason = str(error).lower()
                if adapt(reason) or self._cap(reason):
                    self._changes += 1
                elif self._changes == before:
                    break
            else:
                self.answered = True
                return reply
        if self.answered or too_long(said):
            raise ReplyError(said)
        raise RefusedError(said)

    def fits(self, tokens: int) -> int:
        """As many tokens of a reply as the endpoint is known to allow, at most `tokens`."""
        return tokens if self._most_tokens is None else min(tokens, self._most_tokens)

    def _cap(self, reason: str) -> bool:
        """Learn the most tokens of a reply from a refusal; whether that is news."""
        cap = token_cap(reason)
        if cap is None or (self._most_tokens is not None and cap >= self._most_tokens):
            return False
        self._most_tokens = cap
        return True

    def _learn(self, schema: int, at: int) -> None:
        """A reply came in a form. The strictest that was ever taken is for all; who had to go lower, stays there."""
        self.answered = True
        if not self.known or at < self._first:
            self._first = at
            self.known = True
        self._exceptions[schema] = max(at, self._exceptions.get(schema, 0))
