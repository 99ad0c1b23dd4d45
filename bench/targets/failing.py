"""A target that fails at one request: it is reached and answers others, so waiting for long would mend nothing."""

import re

from evalspec.runtime.providers import BusyError
from evalspec.runtime.retry import TRIES

THROTTLED = (429, 503, 529)
"""Statuses of an endpoint that has too much to do, and may take the same request later."""
_FAULT = re.compile(r"HTTP (5\d\d)\b")


class FailingError(BusyError):
    """The target met a fault of its own at this request: worth another try, and no sign that it is busy."""


def is_fault(status: int) -> bool:
    """Whether a status tells of a fault at this request: 5xx, but for those of an endpoint with too much to do."""
    return 500 <= status < 600 and status not in THROTTLED


def as_failing(error: BusyError) -> BusyError:
    """The error as a FailingError where it tells of such a status."""
    found = _FAULT.match(str(error))
    if found is None or not is_fault(int(found[1])):
        return error
    return FailingError(str(error), retry_after=error.retry_after, throttled=error.throttled)


class Faults:
    """How often one turn failed in a row."""

    def __init__(self) -> None:
        self._count = 0

    def settled(self, answers: bool) -> bool:
        """Count a fault; whether it is the turn's last: after all tries, at a target that answers in this run."""
        self._count += 1
        return answers and self._count >= TRIES

    def clear(self) -> None:
        """The turn is through."""
        self._count = 0
