"""Expand: from groups by cell to groups of slots, with ids that stay when other parts of the spec change.

The id of a group, and those of its records, follow from its subdimension, its cell, and which of the cell's groups it
is: so a group that the allocation leaves in its cell is the same group, whatever became of the others.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from evalspec.compiler.cell import Cell
from evalspec.compiler.linkage import group_id, group_numbers
from evalspec.compiler.wishes import Wishes
from evalspec.spec.config import Difficulty
from evalspec.spec.dataclass import dataclass
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
class Turn:
    """A group to be: its cell, which of the cell's groups it is from 1, and its number in the subdimension."""

    cell: Cell
    nth: int
    number: int


def turns(cells: Mapping[Cell, int], wishes: Wishes) -> list[Turn]:
    """The groups of a subdimension, in an order of which any stretch from the start is a fair sample."""
    ordered = in_turn(cells, wishes)
    met: Counter[Cell] = Counter()
    keys = []
    for cell in ordered:
        met[cell] += 1
        keys.append((met[cell], _key(cell)))
    numbers = group_numbers(keys)
    return [Turn(cell, key[0], numbers[key]) for cell, key in zip(ordered, keys, strict=True)]


def in_turn(cells: Mapping[Cell, int], wishes: Wishes) -> list[Cell]:
    """One cell a group, in order.

    Each place has a cell that it would take, by the shares and the seed alone; it takes it as long as the cell has
    groups left. What is left over fills the gaps.
    """
    left = Counter({cell: count for cell, count in cells.items() if count})
    bases: Counter[Cell] = Counter()
    for cell, count in left.items():
        bases[_base(cell)] += count
    chosen = _fill(wishes.cells(sum(bases.values())), bases, wishes.seed)
    names = sorted({cell.strategy for cell in left if cell.strategy is not None})
    hopes: dict[Cell, list[Cell]] = {base: [] for base in bases}
    for base, strategy in zip(chosen, wishes.strategies(len(chosen), names), strict=True):
        hopes[base].append(base._replace(strategy=strategy))
    own: dict[Cell, dict[Cell, int]] = {base: {} for base in bases}
    for cell, count in left.items():
        own[_base(cell)][cell] = count
    dealt = {base: iter(_fill(hopes[base], own[base], wishes.seed)) for base in bases}
    return [next(dealt[base]) for base in chosen]


def _fill(wished: Sequence[Cell], counts: Mapping[Cell, int], seed: int) -> list[Cell]:
    """Each wish where its cell has groups left; the gaps take the groups left over, in a drawn order."""
    left = Counter(counts)
    taken: list[Cell | None] = []
    for cell in wished:
        taken.append(cell if left[cell] > 0 else None)
        left[cell] -= 1
    ranks = {cell: draw(seed, "over", *_key(cell)) for cell, count in left.items() if count > 0}
    over = [(number, rank, cell) for cell, rank in ranks.items() for number in range(left[cell])]
    rest = iter(cell for _, _, cell in sorted(over, key=lambda entry: entry[:2]))
    filled = [cell if cell is not None else next(rest) for cell in taken]
    return [*filled, *rest]


def _base(cell: Cell) -> Cell:
    return cell if cell.strategy is None else cell._replace(strategy=None)


def _key(cell: Cell) -> tuple[str, ...]:
    return (cell.domain, cell.difficulty, cell.geography, cell.strategy or "")


def make_slots(shape: Shape, turn: Turn, templates: Mapping[str, Template], seed: int) -> tuple[Slot, ...]:
    """The slots of one group, in order of its members."""
    cell, name = turn.cell, group_id(shape.prefix, turn.number)
    ids = [f"{name}.{position}" for position in range(1, len(shape.members) + 1)]
    return tuple(
        Slot(
            slot_id=slot_id,
            record_id=draw_uuid4(seed, shape.subdimension, *_key(cell), turn.nth, position),
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
