"""A cell: what all groups in it have in common."""

from dataclasses import dataclass

HARD = "hard"
"""The difficulty whose cells have a strategy."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What all groups of a cell share; `strategy` is set for hard cells."""

    domain: str
    difficulty: str
    geography: str
    strategy: str | None = None
