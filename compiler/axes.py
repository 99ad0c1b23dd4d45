"""An axis: how many of each subdimension's groups take each domain, difficulty, geography or strategy."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from evalspec.compiler.rounding import threshold_cost
from evalspec.compiler.solver import Answer, Program, Standing, solve
from evalspec.compiler.wholes import Leaf
from evalspec.spec.dataclass import dataclass
from evalspec.spec.draw import draw

_OVERALL = 1_000_000
_OWN_DIMENSION = 10_000
_NOISE = 1_000
"""What a record off a margin costs: over everything, within a dimension, and, so that no two answers are equally
good, by up to this much more, drawn for each margin."""
_SNAP = Fraction(1, 1_000_000)
_LARGEST_PROOF = 600
"""Columns up to which a program is given many nodes; over it the root node must do."""

Table = dict[str, dict[str, int]]
"""Groups by leaf and value."""
Bounds = Mapping[str, Mapping[str, tuple[int, int]]]
"""The fewest and the most groups by leaf and value."""
Columns = Mapping[tuple[str, str], int]
"""Columns of a program by leaf and value."""


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
    bounds = {leaf.name: bounds_of(axis, leaf) for leaf in ordered}
    program, columns = _program(axis, ordered, bounds)
    first = solve(program, _nodes(columns))
    if first.standing is Standing.NONE:
        return by_remainders(axis, ordered, bounds), False
    table = _table(axis, ordered, columns, first)
    proved = first.standing is Standing.BEST
    for own in _by_dimension(ordered):
        answer = _canonical(axis, own, bounds, table)
        proved = proved and answer
    return table, proved


def _canonical(axis: Axis, leaves: Sequence[Leaf], bounds: Bounds, table: Table) -> bool:
    """Of all tables of one dimension with the same margins, put the one that its thresholds make cheapest.

    Without this the answer would hang on the solver's build, and change more than the shares do.
    """
    program, columns = Program(), {}
    for leaf in leaves:
        for value in axis.values:
            exact = ideal(axis, leaf, value)
            cost = threshold_cost(float(exact - exact.__floor__()), axis.name, leaf.name, value)
            columns[leaf.name, value] = program.column(*bounds[leaf.name][value], cost=cost)
        program.row(leaf.groups, leaf.groups, [(columns[leaf.name, value], 1.0) for value in axis.values])
    for value in axis.values:
        margin = sum(table[leaf.name][value] * leaf.linkage for leaf in leaves)
        program.row(margin, margin, [(columns[leaf.name, value], float(leaf.linkage)) for leaf in leaves])
    answer = solve(program, _nodes(columns))
    if answer.standing is not Standing.NONE:
        table.update(_table(axis, leaves, columns, answer))
    return answer.standing is Standing.BEST


def _table(axis: Axis, leaves: Sequence[Leaf], columns: Columns, answer: Answer) -> Table:
    return {
        leaf.name: {value: round(answer.values[columns[leaf.name, value]]) for value in axis.values} for leaf in leaves
    }


def _nodes(columns: Columns) -> int:
    return 200 if len(columns) <= _LARGEST_PROOF else 1


def _by_dimension(leaves: Sequence[Leaf]) -> list[list[Leaf]]:
    dimensions = sorted({leaf.dimension for leaf in leaves})
    return [[leaf for leaf in leaves if leaf.dimension == dimension] for dimension in dimensions]


def ideal(axis: Axis, leaf: Leaf, value: str) -> Fraction:
    """The groups that a leaf would give a value if groups could be cut."""
    exact = leaf.groups * axis.shares[leaf.name].get(value, Fraction(0))
    return Fraction(round(exact)) if abs(exact - round(exact)) < _SNAP else exact


def bounds_of(axis: Axis, leaf: Leaf) -> dict[str, tuple[int, int]]:
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


def _program(axis: Axis, leaves: Sequence[Leaf], bounds: Bounds) -> tuple[Program, Columns]:
    program = Program()
    columns = {
        (leaf.name, value): program.column(*bounds[leaf.name][value]) for leaf in leaves for value in axis.values
    }
    for leaf in leaves:
        program.row(leaf.groups, leaf.groups, [(columns[leaf.name, value], 1.0) for value in axis.values])
    parts = _by_dimension(leaves)
    for value in axis.values:
        for part, cost in [(leaves, _OVERALL)] + [(own, _OWN_DIMENSION) for own in parts if len(parts) > 1]:
            name = part[0].dimension if cost == _OWN_DIMENSION else ""
            noise = draw(0, axis.name, "margin", name, value)
            terms = [(columns[leaf.name, value], float(leaf.linkage)) for leaf in part]
            prices = (float(cost + noise % _NOISE), float(cost + (noise >> 20) % _NOISE))
            program.distance(terms, _target(axis, value, part), *prices)
    return program, columns


def _target(axis: Axis, value: str, leaves: Sequence[Leaf]) -> float:
    """The records of a value over some leaves if groups could be cut."""
    exact = sum((leaf.records * axis.shares[leaf.name].get(value, Fraction(0)) for leaf in leaves), Fraction(0))
    return round(exact) if abs(exact - round(exact)) < _SNAP else float(exact)


def by_remainders(axis: Axis, leaves: Sequence[Leaf], bounds: Bounds) -> Table:
    """The fallback: each leaf in turn rounds up where the margins lag most."""
    lag = dict.fromkeys(axis.values, Fraction(0))
    table: Table = {}
    for leaf in leaves:
        row = {value: low for value, (low, _) in bounds[leaf.name].items()}
        want = {value: ideal(axis, leaf, value) + lag[value] / leaf.linkage for value in axis.values}
        for _ in range(leaf.groups - sum(row.values())):
            room = [value for value in axis.values if row[value] < bounds[leaf.name][value][1]]
            row[max(room, key=lambda value: (want[value] - row[value], value))] += 1
        for value in axis.values:
            lag[value] += (ideal(axis, leaf, value) - row[value]) * leaf.linkage
        table[leaf.name] = row
    return table
