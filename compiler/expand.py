"""Expand: from groups by cell to groups of slots, with ids that stay when other parts of the spec change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from evalspec.compiler.cells import Cell
from evalspec.compiler.linkage import group_id
from evalspec.spec.config import Difficulty
from evalspec.spec.draw import draw, draw_uuid4
from evalspec.spec.plan import Slot
from evalspec.spec.template import Template


@dataclass(frozen=True, slots=True)
class Shape:
    """What all groups of a subdimension have in common."""

    subdimension: str
    dimension: str
    members: tuple[str, ...]
    """Template ids, one a member."""
    prefix: str
    origin: str


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares that say how often a cell is due."""

    domains: Mapping[str, float]
    difficulties: Mapping[str, float]
    geographies: Mapping[str, float]

    def of(self, cell: Cell) -> float:
        """The share of a cell, strategies aside."""
        return self.domains[cell.domain] * self.difficulties[cell.difficulty] * self.geographies[cell.geography]


def in_turn(cells: Mapping[Cell, int], shares: Shares, seed: int, subdimension: str) -> list[Cell]:
    """One cell a group, in the order of their numbers.

    Each group of a cell is due at a moment that depends on the cell's share, its number within the cell and a draw,
    and on nothing else: when a count grows, most groups that were there keep their number and their cell.
    """
    due: list[tuple[float, Cell]] = []
    for base, count, strategies in _bases(cells):
        key = (base.domain, base.difficulty, base.geography)
        phase = (draw(seed, "phase", subdimension, *key) % 1024 + 0.5) / 1024
        turns = _strategies_in_turn(strategies, seed, (subdimension, *key))
        share = shares.of(base) or 1e-9
        for number in range(count):
            cell = Cell(*key, turns[number] if turns else None)
            due.append(((number + phase) / share, cell))
    due.sort(key=lambda entry: (entry[0], entry[1].domain, entry[1].difficulty, entry[1].geography))
    return [cell for _, cell in due]


def _bases(cells: Mapping[Cell, int]) -> list[tuple[Cell, int, dict[str, int]]]:
    """Cells without strategies, how many groups each has, and how many of these each strategy has."""
    counts: dict[Cell, int] = {}
    strategies: dict[Cell, dict[str, int]] = {}
    for cell, count in cells.items():
        base = Cell(cell.domain, cell.difficulty, cell.geography)
        counts[base] = counts.get(base, 0) + count
        if cell.strategy is not None:
            strategies.setdefault(base, {})[cell.strategy] = count
    ordered = sorted(counts, key=lambda base: (base.domain, base.difficulty, base.geography))
    return [(base, counts[base], strategies.get(base, {})) for base in ordered]


def _strategies_in_turn(strategies: Mapping[str, int], seed: int, key: tuple[str, ...]) -> list[str]:
    turns = [
        ((number + (draw(seed, "turn", *key, name) % 1024) / 1024) / count, name)
        for name, count in strategies.items()
        for number in range(count)
    ]
    return [name for _, name in sorted(turns)]


def make_slots(
    shape: Shape, ordinal: int, cell: Cell, templates: Mapping[str, Template], seed: int
) -> tuple[Slot, ...]:
    """The slots of one group, in order of its members."""
    name = group_id(shape.prefix, ordinal)
    ids = [f"{name}.{position}" for position in range(1, len(shape.members) + 1)]
    return tuple(
        Slot(
            slot_id=slot_id,
            record_id=draw_uuid4(seed, shape.subdimension, ordinal, position),
            template_id=template_id,
            dimension=shape.dimension,
            subdimension=shape.subdimension,
            source_domain=cell.domain,
            geography=cell.geography,
            difficulty=cast(Difficulty, cell.difficulty),
            adversarial_strategy=cell.strategy,
            is_adversarial=_is_adversarial(templates[template_id], cell.difficulty),
            linked_slots=tuple(other for other in ids if other != slot_id),
            origin=shape.origin,
        )
        for position, (slot_id, template_id) in enumerate(zip(ids, shape.members, strict=True), 1)
    )


def _is_adversarial(template: Template, difficulty: str) -> bool:
    if isinstance(template.is_adversarial, bool):
        return template.is_adversarial
    return difficulty == "hard"


def spread_limit(counts: Sequence[tuple[str, int]], limit: int) -> dict[str, int]:
    """How many of each subdimension's first groups are kept so that `limit` are, in proportion to their numbers."""
    due = [
        ((number + 0.5) / count, index, name) for index, (name, count) in enumerate(counts) for number in range(count)
    ]
    out = dict.fromkeys((name for name, _ in counts), 0)
    for _, _, name in sorted(due)[:limit]:
        out[name] += 1
    return out
