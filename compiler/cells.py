"""Cells: which domain, difficulty, geography and strategy meet in a group, within each leaf's margins."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evalspec.compiler.axes import Table
from evalspec.compiler.cell import HARD, Cell
from evalspec.compiler.solver import Program, Standing, solve
from evalspec.compiler.wholes import Leaf
from evalspec.spec.draw import draw

Key = tuple[str, ...]
_FINE = 1 << 12
_LAG = 0.5
"""How much of what earlier leaves missed a leaf is asked to make up."""
_HOPE = 0.5
"""How much what a leaf's numbers wish for weighs against its shares."""


@dataclass(slots=True)
class Lags:
    """Records by which each meeting of two values lags behind its share over the leaves done so far."""

    records: dict[tuple[str, Key], float] = field(default_factory=dict)

    def of(self, kind: str, key: Key) -> float:
        """The lag of one meeting; positive where it has too few."""
        return self.records.get((kind, key), 0.0)

    def add(self, kind: str, key: Key, missed: float) -> None:
        """Count what a leaf gave less than its share, negative where it gave more."""
        self.records[kind, key] = self.of(kind, key) + missed


@dataclass(frozen=True, slots=True)
class Guide:
    """What decides a rounding beside the share itself."""

    lags: Lags
    kinds: tuple[str, ...]
    """The names of the lags that the parts of a row and the column meet in, in order."""
    hopes: Mapping[Key, int]
    """How often the numbers of the leaf wish for a key."""

    def pull(self, row: Key, column: Key, share: float, linkage: int) -> float:
        """How much more than its share a key should get: what lags, and what is wished for."""
        behind = sum(self.lags.of(kind, (part, *column)) for kind, part in zip(self.kinds, row, strict=True))
        hoped = max(-1.0, min(1.0, self.hopes.get((*row, *column), 0) - share))
        return _LAG * behind / linkage + _HOPE * hoped

    def count(self, row: Key, column: Key, missed: float) -> None:
        """Note the records by which a key missed its share."""
        for kind, part in zip(self.kinds, row, strict=True):
            self.lags.add(kind, (part, *column), missed)


def fill_cells(leaf: Leaf, tables: Sequence[Table], lags: Lags, wished: Mapping[Cell, int]) -> dict[Cell, int]:
    """Groups by cell (without strategies) with the leaf's margins on each axis, as proportional as they can be.

    `tables` are those of domain, difficulty and geography. First domain by difficulty, then those pairs by
    geography: each number is the floor or ceiling of its share.
    """
    domains, difficulties, geographies = (_keyed(table[leaf.name]) for table in tables)
    hopes: Counter[Key] = Counter()
    for cell, count in wished.items():
        hopes[cell.domain, cell.difficulty] += count
        hopes[cell.domain, cell.difficulty, cell.geography] += count
    pairs = round_table(domains, difficulties, leaf, Guide(lags, ("domain+difficulty",), hopes))
    guide = Guide(lags, ("domain+geography", "difficulty+geography"), hopes)
    return {Cell(*key): count for key, count in round_table(pairs, geographies, leaf, guide).items()}


def fill_strategies(
    leaf: Leaf, cells: Mapping[Cell, int], strategies: Table, lags: Lags, wished: Mapping[Cell, int]
) -> dict[Cell, int]:
    """Split the hard cells over the leaf's strategies, so that each strategy meets all domains."""
    hard: dict[Key, int] = {(c.domain, c.geography): count for c, count in cells.items() if c.difficulty == HARD}
    given = _keyed({name: count for name, count in strategies.get(leaf.name, {}).items() if count})
    if not given:
        return dict(cells)
    hopes: Counter[Key] = Counter()
    for cell, count in wished.items():
        if cell.strategy is not None:
            hopes[cell.domain, cell.geography, cell.strategy] += count
    split = round_table(hard, given, leaf, Guide(lags, ("domain+strategy", "geography+strategy"), hopes))
    out = {cell: count for cell, count in cells.items() if cell.difficulty != HARD}
    for (domain, geography, strategy), count in split.items():
        out[Cell(domain, HARD, geography, strategy)] = count
    return out


def _keyed(counts: Mapping[str, int]) -> dict[Key, int]:
    return {(value,): count for value, count in counts.items()}


def round_table(rows: Mapping[Key, int], columns: Mapping[Key, int], leaf: Leaf, guide: Guide) -> dict[Key, int]:
    """Whole numbers at the floor or ceiling of row times column over total, with the margins given.

    Such a table always exists. Which numbers are rounded up is decided by what their shares and the guide ask for,
    and last by a draw. Cells of none are left out.
    """
    total = sum(rows.values())
    out: dict[Key, int] = {}
    wishes: dict[Key, float] = {}
    for row, height in sorted(rows.items()):
        for column, width in sorted(columns.items()):
            key = (*row, *column)
            out[key], rest = divmod(height * width, total) if total else (0, 0)
            if rest:
                wishes[key] = rest / total + guide.pull(row, column, height * width / total, leaf.linkage)
    for key in _rounded_up(rows, columns, out, wishes, leaf.name):
        out[key] += 1
    for row, height in rows.items():
        for column, width in columns.items():
            missed = (height * width / total if total else 0.0) - out[*row, *column]
            guide.count(row, column, missed * leaf.linkage)
    return {key: count for key, count in out.items() if count}


def _rounded_up(
    rows: Mapping[Key, int],
    columns: Mapping[Key, int],
    floors: Mapping[Key, int],
    wishes: Mapping[Key, float],
    name: str,
) -> list[Key]:
    """The keys to round up: a transport of the missing units, whose best vertex is whole and, by the draw, one."""
    if not wishes:
        return []
    program = Program()
    at: dict[Key, int] = {}
    for key, wish in wishes.items():
        noise = draw(0, "cell", name, *key) % _FINE
        at[key] = program.column(0, 1, cost=-float(round(wish * _FINE) * _FINE + noise) / _FINE, whole=False)
    for row, height in rows.items():
        missing = height - sum(floors[*row, *column] for column in columns)
        program.row(missing, missing, [(at[*row, *c], 1.0) for c in columns if (*row, *c) in at])
    for column, width in columns.items():
        missing = width - sum(floors[*row, *column] for row in rows)
        program.row(missing, missing, [(at[*r, *column], 1.0) for r in rows if (*r, *column) in at])
    answer = solve(program)
    if answer.standing is Standing.NONE or any(abs(v - round(v)) > 1e-4 for v in answer.values):
        program.whole = [True] * len(program.whole)
        answer = solve(program)
    return [key for key, index in at.items() if answer.values[index] > 0.5]
