"""Cells: which domain, difficulty, geography and strategy meet in a group, within the margins of each leaf."""

from collections.abc import Mapping, Sequence

from evalspec.compiler.axes import Table
from evalspec.compiler.cell import HARD, Cell
from evalspec.compiler.rounding import Key, Meetings, Part, round_tables
from evalspec.compiler.wholes import Leaf

_BAND = 3.5
_STRATEGY_BAND = 8.0
"""Records by which two values may meet more or less often than their shares say."""


def deal(leaves: Sequence[Leaf], tables: Sequence[Table], strategies: Table) -> dict[str, dict[Cell, int]]:
    """Groups by leaf and cell with each leaf's margins on each axis, as proportional as they can be.

    `tables` are those of domain, difficulty and geography, `strategies` that of hard groups. First domain by
    difficulty, then those pairs by geography, then the hard ones by strategy: each number is the floor or ceiling of
    its share.
    """
    domains, difficulties, geographies = ({name: _keyed(row) for name, row in table.items()} for table in tables)
    pairs = round_tables(
        [Part(leaf, domains[leaf.name], difficulties[leaf.name]) for leaf in leaves], Meetings((0,), _BAND)
    )
    triples = round_tables(
        [Part(leaf, pairs[leaf.name], geographies[leaf.name]) for leaf in leaves], Meetings((0, 1), _BAND)
    )
    cells = {name: {Cell(*key): count for key, count in own.items()} for name, own in triples.items()}
    return _with_strategies(leaves, cells, {name: _keyed(row) for name, row in strategies.items()})


def _with_strategies(
    leaves: Sequence[Leaf], cells: Mapping[str, Mapping[Cell, int]], strategies: Mapping[str, Mapping[Key, int]]
) -> dict[str, dict[Cell, int]]:
    """Split the hard cells over each leaf's strategies, so that each strategy meets all domains."""
    parts = []
    out: dict[str, dict[Cell, int]] = {}
    for leaf in leaves:
        own, given = cells[leaf.name], strategies.get(leaf.name)
        out[leaf.name] = {cell: count for cell, count in own.items() if cell.difficulty != HARD or not given}
        if given:
            hard: dict[Key, int] = {
                (cell.domain, cell.geography): count for cell, count in own.items() if cell.difficulty == HARD
            }
            parts.append(Part(leaf, hard, given))
    for name, split in round_tables(parts, Meetings((0,), _STRATEGY_BAND)).items():
        for (domain, geography, strategy), count in split.items():
            out[name][Cell(domain, HARD, geography, strategy)] = count
    return out


def _keyed(counts: Mapping[str, int]) -> dict[Key, int]:
    return {(value,): count for value, count in counts.items() if count}
