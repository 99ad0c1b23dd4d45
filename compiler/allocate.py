"""Allocation: from what a spec asks for to whole groups in cells, by integer programming.

Axis by axis, since one program over all cells is slow in general: whole groups for each subdimension, then each axis,
then the cells, then the strategies of hard groups. Everything is ordered by name before it reaches the solver.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from evalspec.compiler.axes import Axis, Table, ideal, split_axis, spread
from evalspec.compiler.cell import HARD, Cell
from evalspec.compiler.cells import deal
from evalspec.compiler.wholes import Collision, Leaf, Line, asked_of, whole_groups
from evalspec.spec.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Ask:
    """What is to be allocated; shares are fractions of 1, targets are records."""

    lines: tuple[Line, ...]
    targets: Mapping[str, int]
    """Records by dimension."""
    domains: Mapping[str, float]
    difficulties: Mapping[str, float]
    geographies: Mapping[str, float]
    strategies: Mapping[str, tuple[str, ...]]
    """By subdimension, those that all templates of its group allow."""
    scale: bool = False


@dataclass(frozen=True, slots=True)
class Unserved:
    """An axis on which some values with a share get nothing."""

    section: str
    values: tuple[str, ...]
    groups: int
    needed: int
    """Records that would do."""


@dataclass(frozen=True, slots=True)
class Allocated:
    """Leaves in order of name, those without a group too, and the groups of each by cell."""

    leaves: tuple[Leaf, ...]
    cells: Mapping[str, Mapping[Cell, int]]
    strategies: Mapping[str, float]
    """Records that each strategy is due, by an even spread over the hard slots that it may serve."""
    unproved: tuple[str, ...]
    """Axes whose answer is good and not proved to be the best."""
    unserved: tuple[Unserved, ...] = ()


def allocate(ask: Ask) -> Allocated | tuple[Collision, ...]:
    """Give every subdimension its groups and every group its cell; or say what collides.

    A dimension without a subdimension is left out; so is a subdimension whose dimension has no target.
    """
    leaves: list[Leaf] = []
    collisions: list[Collision] = []
    for dimension in sorted({line.dimension for line in ask.lines} & set(ask.targets)):
        own = [line for line in ask.lines if line.dimension == dimension]
        match whole_groups(own, dimension, ask.targets[dimension], scale=ask.scale):
            case Collision() as collision:
                collisions.append(collision)
            case found:
                leaves += found
    if collisions:
        return tuple(collisions)
    leaves.sort(key=lambda leaf: leaf.name)
    return replace(_allocate(ask, [leaf for leaf in leaves if leaf.groups]), leaves=tuple(leaves))


def _allocate(ask: Ask, leaves: Sequence[Leaf]) -> Allocated:
    axes = (
        split_axis("domain", ask.domains, leaves),
        split_axis("difficulty", ask.difficulties, leaves, cover=True),
        split_axis("geography", ask.geographies, leaves),
    )
    tables, proofs = zip(*(spread(axis, leaves) for axis in axes), strict=True)
    hard = [
        Leaf(leaf.name, leaf.dimension, leaf.linkage, 0, Fraction(0), tables[1][leaf.name].get(HARD, 0))
        for leaf in leaves
        if ask.strategies.get(leaf.name)
    ]
    axis = _strategy_axis(ask, hard)
    given, proved = spread(axis, hard) if hard else ({}, True)
    names = [axis.name for axis, sure in zip((*axes, axis), (*proofs, proved), strict=True) if not sure]
    due = {value: float(sum(ideal(axis, leaf, value) * leaf.linkage for leaf in hard)) for value in axis.values}
    unserved = tuple(_unserved(axis, table, leaves) for axis, table in zip(axes, tables, strict=True))
    return Allocated(
        tuple(leaves),
        deal(leaves, tables, given),
        due,
        tuple(names),
        tuple(entry for entry in unserved if entry.values),
    )


def _strategy_axis(ask: Ask, leaves: Sequence[Leaf]) -> Axis:
    """Each leaf's hard groups over its own strategies, evenly."""
    names = tuple(sorted({name for leaf in leaves for name in ask.strategies[leaf.name]}))
    shares = {
        leaf.name: {name: Fraction(1, len(ask.strategies[leaf.name])) for name in ask.strategies[leaf.name]}
        for leaf in leaves
    }
    return Axis("strategy", names, shares)


def _unserved(axis: Axis, table: Table, leaves: Sequence[Leaf]) -> Unserved:
    shares = axis.shares[leaves[0].name] if leaves else {}
    wanted = [value for value in axis.values if shares[value] > 0]
    nothing = tuple(value for value in wanted if not any(table[leaf.name][value] for leaf in leaves))
    smallest = min((shares[value] for value in nothing), default=Fraction(1))
    groups = sum(leaf.groups for leaf in leaves)
    per_group = Fraction(sum(leaf.records for leaf in leaves), groups) if groups else Fraction(1)
    return Unserved(axis.name, nothing, groups, (per_group / smallest).__ceil__())


__all__ = ["Allocated", "Ask", "Cell", "Collision", "Leaf", "Line", "Unserved", "allocate", "asked_of"]
