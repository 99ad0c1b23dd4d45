"""How long a fill waits for a provider that gives no reply: one that says it is busy is there, and is waited for."""

from time import monotonic

from evalspec.runtime.findings import unreachable
from evalspec.runtime.providers import BusyError
from evalspec.runtime.run_state import RunState
from evalspec.spec.plan import Plan

UNSEEN = 30.0
"""Seconds for a provider that never gave a reply, nor said that it has too much to do."""
CLOSED = 3.0
"""Seconds for an address where nobody listened from the start; one that answered before may restart."""
_MARGIN = 15.0
"""Seconds after the end of an announced wait in which another try is made."""


def note(state: RunState, error: BusyError, patience: float) -> None:
    """Note what a provider that gave no reply told of itself; a wait that it announces within `patience` is kept to."""
    now = monotonic()
    state.reached |= not error.closed
    state.throttled |= error.throttled
    if error.throttled and error.retry_after is not None and now - state.replied_at <= patience:
        state.promised = max(state.promised, now + error.retry_after + _MARGIN)


def lose_patience(plan: Plan, provider: str, state: RunState, patience: float, reason: str) -> None:
    """End the run where the provider has given no reply for too long; `patience` is for one that is there."""
    closed = not state.reached
    if not (state.replied or state.throttled):
        patience = min(patience, CLOSED if closed else UNSEEN)
    now = monotonic()
    silent = now - state.replied_at
    if silent <= patience or now <= state.promised or state.stop.is_set():
        return
    finding = unreachable(plan, provider, silent, reason, closed=closed, throttled=state.throttled)
    state.end(finding, finding.message)
