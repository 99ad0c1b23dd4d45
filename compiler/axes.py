"""An axis: how many of each subdimension's groups take each domain, difficulty, geography or strategy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from evalspec.compiler.solver import Program, Standing, settle
from evalspec.compiler.wholes import Leaf
from evalspec.spec.draw import draw

_OVERALL = 1000.0
_OWN_DIMENSION = 1.0
_SNAP = Fraction(1, 1_000_000)
_WEIGHTS = 1 << 12
_LARGEST_PROOF = 600
"""Columns up to which a program is given many nodes; over it the root node must do."""

Table = dict[str, dict[str, int]]
"""Groups by leaf and value."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Values in a canonical order, and by leaf the share of each; shares of a leaf sum to 1."""

    name: str
    values: tuple[str, ...]
    shares: Mapping[str, Mapping[str, Fraction]]
    cover: bool = False
    """Whether a leaf with enough groups must take each value that has a share."""


def split_axis(name: str, split: Mapping[str, float], leaves: Sequence[Leaf], *, cover: bool = False) -> Axis:
    """The axis of a section of the spec, with the same shares in every leaf."""
    exact = {value: Fraction(repr(share)) for value, share in split.items()}
    whole = sum(exact.values()) or Fraction(1)
    shares = {value: exact[value] / whole for value in sorted(exact)}
    return Axis(name, tuple(shares), {leaf.name: shares for leaf in leaves}, cover)


def spread(axis: Axis, leaves: Sequence[Leaf]) -> tuple[Table, bool]:
    """Floor or ceiling of each leaf's shares, so that its groups add up and the margins deviate least.

    Margins are counted in records: first over everything, then within each dimension. The flag says whether the
    answer is proved to be the best.
    """
    ordered = sorted(leaves, key=lambda leaf: leaf.name)
    bounds = {leaf.name: _bounds(axis, leaf) for leaf in ordered}
    program, columns = _program(axis, ordered, bounds)
    weights = [0] * len(program.costs)
    for (leaf_name, value), index in columns.items():
        weights[index] = 1 + draw(0, axis.name, leaf_name, value) % _WEIGHTS
    answer = settle(program, weights, max_nodes=200 if len(columns) <= _LARGEST_PROOF else 1)
    if answer.standing is Standing.NONE:
        return _by_remainders(axis, ordered, bounds), False
    table: Table = {leaf.name: dict.fromkeys(axis.values, 0) for leaf in ordered}
    for (leaf_name, value), index in columns.items():
        table[leaf_name][value] = round(answer.values[index])
    return table, answer.standing is Standing.BEST


def ideal(axis: Axis, leaf: Leaf, value: str) -> Fraction:
    """The groups that a leaf would give a value if groups could be cut."""
    exact = leaf.groups * axis.shares[leaf.name].get(value, Fraction(0))
    return Fraction(round(exact)) if abs(exact - round(exact)) < _SNAP else exact


def _bounds(axis: Axis, leaf: Leaf) -> dict[str, tuple[int, int]]:
    """Floor and ceiling of each value; where an axis must be covered, no value with a share stays at none."""
    exact = {value: ideal(axis, leaf, value) for value in axis.values}
    lower = {value: share.__floor__() for value, share in exact.items()}
    upper = {value: share.__ceil__() for value, share in exact.items()}
    wanted = [value for value in axis.values if axis.shares[leaf.name].get(value)]
    if axis.cover and leaf.groups >= len(wanted):
        for value in wanted:
            lower[value] = max(lower[value], 1)
        while sum(lower.values()) > leaf.groups:
            largest = max(axis.values, key=lambda value: lower[value])
            lower[largest] -= 1
    return {value: (lower[value], max(lower[value], upper[value])) for value in axis.values}


def _program(
    axis: Axis, leaves: Sequence[Leaf], bounds: Mapping[str, Mapping[str, tuple[int, int]]]
) -> tuple[Program, dict[tuple[str, str], int]]:
    program = Program()
    columns = {
        (leaf.name, value): program.column(*bounds[leaf.name][value]) for leaf in leaves for value in axis.values
    }
    for leaf in leaves:
        program.row(leaf.groups, leaf.groups, [(columns[leaf.name, value], 1.0) for value in axis.values])
    dimensions = sorted({leaf.dimension for leaf in leaves})
    for value in axis.values:
        _margin(program, axis, value, leaves, columns, _OVERALL)
        for dimension in dimensions if len(dimensions) > 1 else ():
            own = [leaf for leaf in leaves if leaf.dimension == dimension]
            _margin(program, axis, value, own, columns, _OWN_DIMENSION)
    return program, columns


def _margin(
    program: Program,
    axis: Axis,
    value: str,
    leaves: Sequence[Leaf],
    columns: Mapping[tuple[str, str], int],
    cost: float,
) -> None:
    """Charge for the records by which the leaves' margin of a value misses its share."""
    exact = sum((leaf.records * axis.shares[leaf.name].get(value, Fraction(0)) for leaf in leaves), Fraction(0))
    target = round(exact) if abs(exact - round(exact)) < _SNAP else float(exact)
    program.distance([(columns[leaf.name, value], float(leaf.linkage)) for leaf in leaves], target, cost)


def _by_remainders(
    axis: Axis, leaves: Sequence[Leaf], bounds: Mapping[str, Mapping[str, tuple[int, int]]]
) -> Table:
    """The fallback: each leaf in turn rounds up where the margins lag most."""
    lag = dict.fromkeys(axis.values, Fraction(0))
    table: Table = {}
    for leaf in leaves:
        row = {value: low for value, (low, _) in bounds[leaf.name].items()}
        want = {value: ideal(axis, leaf, value) + lag[value] / leaf.linkage for value in axis.values}
        for _ in range(leaf.groups - sum(row.values())):
            room = [value for value in axis.values if row[value] < bounds[leaf.name][value][1]]
            row[max(room, key=lambda value: (want[value] - row[value], value))] += 1  # noqa: B023
        for value in axis.values:
            lag[value] += (ideal(axis, leaf, value) - row[value]) * leaf.linkage
        table[leaf.name] = row
    return table
