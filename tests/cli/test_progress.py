"""What a run shows counts each group of the plan once, however many rounds it takes."""

import io
import re

import pytest
from rich.console import Console

from evalspec.cli.progress import Tally, showing
from evalspec.runtime.events import Accepted, GivenUp, Started


def started(**left: int) -> Started:
    return Started(9, sum(left.values()), left, "custom", "m")


def test_a_later_round_opens_groups_that_were_done() -> None:
    tally = Tally()
    tally.take(started(safety=3, consistency=2))
    for _ in range(3):
        tally.take(Accepted("g", "safety", 1))
    tally.take(Accepted("g", "consistency", 2))
    tally.take(GivenUp("g", "consistency", ("the model refused",)))
    assert tally.line().startswith("consistency 1/2 · safety 3/3 · ")
    tally.take(started(safety=1, consistency=1))  # one of safety fell as a duplicate
    assert tally.line().startswith("consistency 1/2 · safety 2/3 · ")
    tally.take(Accepted("g", "safety", 1))
    tally.take(Accepted("g", "consistency", 2))
    assert tally.line().startswith("consistency 2/2 · safety 3/3 · ")


@pytest.mark.parametrize("terminal", [True, False])
def test_it_is_shown_on_a_terminal_and_elsewhere(terminal: bool) -> None:
    out = io.StringIO()
    with showing(Console(file=out, force_terminal=terminal, width=100)) as take:
        take(started(safety=2))
        take(Accepted("g", "safety", 1))
        take(started(safety=1))
        take(Accepted("g", "safety", 1))
    assert re.findall(r"\d+/(\d+)", re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue()))[-1] == "2"
