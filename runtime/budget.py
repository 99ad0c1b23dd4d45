"""Requests and tokens a minute, spread evenly: each call learns how long it must wait for its turn."""

import time
from collections.abc import Callable

CHARS_PER_TOKEN = 4
"""A token of English has about four characters; only used to pace, never to bill."""


class Budget:
    """Paces calls under a limit of requests and of tokens a minute; None means no limit."""

    def __init__(
        self,
        requests_per_minute: int | None,
        tokens_per_minute: int | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._request_gap = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._token_gap = 60.0 / tokens_per_minute if tokens_per_minute else 0.0
        self._clock = clock
        self._next_request = 0.0
        self._next_token = 0.0

    @property
    def free(self) -> bool:
        """Whether nothing is limited."""
        return not self._request_gap and not self._token_gap

    def take(self, tokens: int) -> float:
        """Book a call of about `tokens`; seconds to wait before it may be sent."""
        now = self._clock()
        at = max(now, self._next_request, self._next_token)
        self._next_request = at + self._request_gap
        self._next_token = at + tokens * self._token_gap
        return at - now
