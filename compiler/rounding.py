"""Rounding: whole numbers for the tables of all leaves, that change little when a share or a total does.

Each number is the floor or the ceiling of its share. A threshold that is drawn by the cell's name alone says which:
over it is up. So a share that moves by a hundredth moves little more than a hundredth of the numbers, and a total that
grows takes few of them back. The margins of every table hold exactly, and over all leaves two values meet about as
often as their shares say.
"""

from collections.abc import Iterator, Mapping, Sequence

from evalspec.compiler.solver import Program, Standing, solve
from evalspec.compiler.wholes import Leaf
from evalspec.spec.dataclass import dataclass
from evalspec.spec.draw import draw

Key = tuple[str, ...]
_FINE = 1 << 12
_MOST_SWAPS = 200
_LARGEST = 5_000
"""Cells up to which what two values lack over all leaves is made up."""
_LEAST_GAIN = 1e-6


@dataclass(frozen=True, slots=True)
class Part:
    """The table of one leaf, by its margins: the keys of rows and columns, and how many groups each has."""

    leaf: Leaf
    rows: Mapping[Key, int]
    columns: Mapping[Key, int]


@dataclass(frozen=True, slots=True)
class Meetings:
    """Which values of a row meet the column over all leaves, and by how many records they may be off their share."""

    places: tuple[int, ...]
    band: float


@dataclass(slots=True)
class _Table:
    """A table on its way: floors and costs by key, and the keys that are rounded up; a key without a cost is whole."""

    part: Part
    floors: dict[Key, int]
    costs: dict[Key, float]
    ups: set[Key]

    def count(self, key: Key) -> int:
        return self.floors[key] + (key in self.ups)


@dataclass(frozen=True, slots=True)
class _Swap:
    """Two rows of a table exchange a group: `ups` are rounded up, `downs` no longer."""

    table: _Table
    ups: tuple[Key, Key]
    downs: tuple[Key, Key]

    @property
    def price(self) -> float:
        costs = self.table.costs
        return sum(costs[key] for key in self.ups) - sum(costs[key] for key in self.downs)


def round_tables(parts: Sequence[Part], meetings: Meetings) -> dict[str, dict[Key, int]]:
    """The tables by leaf, with keys of row and column; cells of none are left out. The order of parts is no matter."""
    tables = [_rounded(part) for part in sorted(parts, key=lambda part: part.leaf.name)]
    if sum(len(table.floors) for table in tables) <= _LARGEST:
        _even_out(tables, meetings)
    return {
        table.part.leaf.name: {key: count for key in table.floors if (count := table.count(key))} for table in tables
    }


def _rounded(part: Part) -> _Table:
    """A table alone: a transport of the missing units, whose best vertex is whole and, by the draws, one."""
    total = sum(part.rows.values())
    table = _Table(part, {}, {}, set())
    for row, height in sorted(part.rows.items()):
        for column, width in sorted(part.columns.items()):
            key = (*row, *column)
            table.floors[key], rest = divmod(height * width, total) if total else (0, 0)
            if rest:
                table.costs[key] = threshold_cost(rest / total, "cell", part.leaf.name, *key)
    if table.costs:
        table.ups = _transport(table)
    return table


def threshold_cost(rest: float, *key: str) -> float:
    """What rounding up costs where `rest` is cut off: the threshold of a key less that, and a little against ties.

    Thresholds spread over half a group: over more, margins fit less and are mended more; over less, all cells of a
    kind stand at one rest and change at once.
    """
    drawn = draw(0, "threshold", *key)
    return float(drawn % (_FINE // 2) - round(rest * _FINE)) + (drawn >> 32) % _FINE / _FINE


def _transport(table: _Table) -> set[Key]:
    program = Program()
    at = {key: program.column(0, 1, cost=cost, whole=False) for key, cost in table.costs.items()}
    rows, columns = table.part.rows, table.part.columns
    margins = [([(*row, *column) for column in columns], height) for row, height in rows.items()]
    margins += [([(*row, *column) for row in rows], width) for column, width in columns.items()]
    for keys, count in margins:
        missing = count - sum(table.floors[key] for key in keys)
        program.row(missing, missing, [(at[key], 1.0) for key in keys if key in at])
    answer = solve(program)
    if answer.standing is Standing.NONE or any(abs(v - round(v)) > 1e-4 for v in answer.values):
        program.whole = [True] * len(program.whole)
        answer = solve(program)
    return {key for key, index in at.items() if answer.values[index] > 0.5}


def _even_out(tables: Sequence[_Table], meetings: Meetings) -> None:
    """Swap where two values meet too often or too rarely, by what costs least for what it mends."""
    off = _off(tables, meetings)
    for _ in range(_MOST_SWAPS):
        worst = max(off, key=lambda met: (abs(off[met]), met), default=None)
        if worst is None or abs(off[worst]) <= meetings.band:
            return
        swap = _cheapest(tables, worst, off, meetings)
        if swap is None:
            return
        for met, records in _moved(swap, meetings).items():
            off[met] += records
        swap.table.ups = (swap.table.ups | set(swap.ups)) - set(swap.downs)


def _cheapest(tables: Sequence[_Table], worst: Key, off: Mapping[Key, float], meetings: Meetings) -> _Swap | None:
    """The swap that mends a meeting at the lowest price for each record that it brings nearer; None where none does."""
    best, found = float("inf"), None
    for table in tables:
        most = 4.0 * table.part.leaf.linkage * len(meetings.places)
        for swap in _swaps(table, worst, high=off[worst] > 0):
            price = swap.price
            if price >= best * most:
                continue
            gain = _gain(swap, off, meetings)
            if gain > _LEAST_GAIN and price / gain < best:
                best, found = price / gain, swap
    return found


def _off(tables: Sequence[_Table], meetings: Meetings) -> dict[Key, float]:
    """Records by which each meeting is over its share, negative where it is under it."""
    off: dict[Key, float] = {}
    for table in tables:
        part, total = table.part, sum(table.part.rows.values())
        for row, height in part.rows.items():
            for column, width in part.columns.items():
                over = table.count((*row, *column)) - (height * width / total if total else 0.0)
                for place in meetings.places:
                    met = (str(place), row[place], *column)
                    off[met] = off.get(met, 0.0) + over * part.leaf.linkage
    return off


def _swaps(table: _Table, met: Key, *, high: bool) -> Iterator[_Swap]:
    """The exchanges of two rows that give a meeting one group less where it is `high`, else one more."""
    place, value, column = int(met[0]), met[1], met[2:]
    costs, ups = table.costs, table.ups
    for one in table.part.rows:
        first = (*one, *column)
        if one[place] != value or first not in costs or (first in ups) != high:
            continue
        for other in table.part.rows:
            second = (*other, *column)
            if other[place] == value or second not in costs or (second in ups) == high:
                continue
            for to in table.part.columns:
                third, fourth = (*one, *to), (*other, *to)
                if third not in costs or fourth not in costs or (third in ups) == high or (fourth in ups) != high:
                    continue
                pairs = (third, second), (first, fourth)
                yield _Swap(table, *(pairs if high else pairs[::-1]))


def _moved(swap: _Swap, meetings: Meetings) -> dict[Key, float]:
    """Records that a swap adds to each meeting."""
    moved: dict[Key, float] = {}
    width = len(next(iter(swap.table.part.columns)))
    for keys, sign in ((swap.ups, 1), (swap.downs, -1)):
        for key in keys:
            for place in meetings.places:
                met = (str(place), key[place], *key[-width:])
                moved[met] = moved.get(met, 0.0) + sign * swap.table.part.leaf.linkage
    return moved


def _gain(swap: _Swap, off: Mapping[Key, float], meetings: Meetings) -> float:
    """Records by which a swap brings meetings nearer to their band."""
    return sum(
        max(abs(off[met]) - meetings.band, 0.0) - max(abs(off[met] + records) - meetings.band, 0.0)
        for met, records in _moved(swap, meetings).items()
    )
