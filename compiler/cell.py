"""A cell: what all groups in it have in common."""

from typing import NamedTuple

HARD = "hard"
"""The difficulty whose cells have a strategy."""


class Cell(NamedTuple):
    """What all groups of a cell share; `strategy` is set for hard cells."""

    domain: str
    difficulty: str
    geography: str
    strategy: str | None = None
