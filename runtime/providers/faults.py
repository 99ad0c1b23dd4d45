"""What an HTTP status and an endpoint's own words mean for the run."""

import re
from typing import Any

from evalspec.runtime.providers import BusyError, RefusedError, ReplyError
from evalspec.runtime.retry import retry_after_seconds

_BROKE = (
    "insufficient_quota",
    "insufficient quota",
    "billing",
    "out of credit",
    "credit balance",
    "payment required",
    "exceeded your current quota",
)
_FILTERED = ("content_filter", "content_policy", "content management policy", "safety system")
_THROTTLED = (429, 503, 529)
_TOO_LONG = ("context length", "context_length", "context window", "too long", "too many tokens")


_LEAST_CAP = 200
"""Smaller numbers in a refusal are no caps on tokens."""


class BadRequestError(Exception):
    """The endpoint does not take the request as it stands; a plainer one may do."""


def fault(status: int, text: str, code: str = "", retry_after: str | None = None) -> Exception:
    """The error to raise for a response of `status` that says `text`; `code` is the endpoint's own.

    Keys must have been cleaned out of `text` before.
    """
    said = f"HTTP {status}: {text}"
    lower = f"{text} {code}".lower()
    if status in (401, 402, 403) or (status < 500 and any(mark in lower for mark in _BROKE)):
        return RefusedError(said)
    if status in (408, 409, 425, 429) or status >= 500:
        if status == 501:
            return BadRequestError(said)
        return BusyError(said, retry_after=retry_after_seconds(retry_after), throttled=status in _THROTTLED)
    if status == 413 or any(mark in lower for mark in _FILTERED):
        return ReplyError(said)
    if status in (400, 404, 415, 422):
        return BadRequestError(said)
    return RefusedError(said)


def silence(cause: BaseException | None, seconds: float) -> BusyError:
    """The error for a timeout that `cause` tells of; only one after the request was sent may have been billed."""
    if type(cause).__name__ == "ConnectTimeout":  # what the aiohttp transports call a connection that was closed, too
        return BusyError(f"no connection: {cause}")
    return BusyError(f"no reply within {seconds:g} s", unsure=True)


def token_cap(reason: str) -> int | None:
    """The most tokens of a reply that a refusal for too many of them names, as in `max_tokens: 9000 > 8192`.

    Of the numbers it names the least is taken: what was asked for and the cap, and where the prompt counts, its size.
    """
    if "token" not in reason or not any(mark in reason for mark in ("maximum", "at most", "too large", "exceed", ">")):
        return None
    numbers = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\d", reason.partition(":")[2])]
    named = [number for number in numbers if number >= _LEAST_CAP]
    return min(named) if len(named) > 1 else None


def too_long(reason: str) -> bool:
    """Whether a refusal is about the length of what was asked, and so about that request alone."""
    return any(mark in reason.lower() for mark in _TOO_LONG)


def one_line(text: Any) -> str:
    """An endpoint's own words on one line."""
    return " ".join(str(text).split())[:300] or "no reason given"
