"""Which chunk serves a group: fixed by the plan, the chunks at hand and the group's own history."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Literal

from evalspec.runtime.chunks import Cells, Chunk
from evalspec.spec.dataclass import dataclass
from evalspec.spec.draw import shuffled
from evalspec.spec.plan import Group, Plan

Served = Literal["cell", "domain_general", "domain", "corpus"]
_ORDER: tuple[Served, ...] = ("cell", "domain_general", "domain", "corpus")
GENERAL = "general"
"""The geography whose texts hold everywhere."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chunk for a group, how near its cell it was found, and how many before it used the chunk likewise."""

    chunk: Chunk
    served: Served
    number: int
    """Counts, from 0, the groups of the same subdimension and cell that this chunk serves first."""


class ChunkDrawer:
    """Gives each group its chunks in turn; within a cell the first turn is even to within one group a chunk."""

    def __init__(self, plan: Plan, chunks: Sequence[Chunk]) -> None:
        self._seed = plan.dataset.seed
        self._chunks = tuple(chunks)
        self._rank: dict[str, int] = {}
        self._ordinal: dict[str, tuple[int, ...]] = {}
        self._tiers: dict[tuple[str, str], tuple[tuple[Served, list[Chunk]], ...]] = {}
        self._sizes: dict[tuple[str, str], int] = {}
        self.by_digest = {chunk.digest: chunk for chunk in self._chunks}
        self._place(plan)

    def _place(self, plan: Plan) -> None:
        """Number the groups within their cells, subdimension by subdimension, in the order of the plan."""
        cells: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for group in plan.groups:
            cells[_cell(group)][group.subdimension].append(group.group_id)
        for by_subdimension in cells.values():
            rank = 0
            for ids in by_subdimension.values():
                first = rank
                for group_id in ids:
                    self._rank[group_id] = rank
                    self._ordinal[group_id] = (rank, first)
                    rank += 1

    def size(self, group: Group) -> int:
        """How many different chunks the group can be given."""
        cell = _cell(group)
        if cell not in self._sizes:
            self._sizes[cell] = sum(len(chunks) for _, chunks in self._order(cell))
        return self._sizes[cell]

    def draw(self, group: Group, step: int) -> Drawn | None:
        """The chunk of a group's turn `step` (from 0); None where there is no chunk at all.

        The chunks of its cell come first, then those of the fallbacks; after the last the first comes again.
        """
        total = self.size(group)
        if not total:
            return None
        left = step % total
        rank = self._rank[group.group_id]
        for served, chunks in self._order(_cell(group)):
            if left < len(chunks):
                chunk = chunks[(rank + left) % len(chunks)]
                return Drawn(chunk, served, self._number(group, len(chunks)))
            left -= len(chunks)
        return None

    def _number(self, group: Group, chunks: int) -> int:
        rank, first = self._ordinal[group.group_id]
        return (rank - first) // chunks

    def _order(self, cell: tuple[str, str]) -> tuple[tuple[Served, list[Chunk]], ...]:
        """The chunks of a cell by nearness, each tier in an order drawn for the cell."""
        if cell not in self._tiers:
            tiers: dict[Served, list[Chunk]] = {}
            for chunk in self._chunks:
                tiers.setdefault(_nearness(chunk, *cell), []).append(chunk)
            self._tiers[cell] = tuple(
                (served, shuffled(tiers[served], self._seed, "chunks", *cell)) for served in _ORDER if served in tiers
            )
        return self._tiers[cell]


def _cell(group: Group) -> tuple[str, str]:
    return group.slots[0].source_domain, group.slots[0].geography


def _nearness(chunk: Chunk, domain: str, geography: str) -> Served:
    return min((_near(cells, domain, geography) for cells in chunk.serves), key=_ORDER.index, default="cell")


def _near(cells: Cells, domain: str, geography: str) -> Served:
    if cells.domains and domain not in cells.domains:
        return "corpus"
    if not cells.geographies or geography in cells.geographies:
        return "cell"
    return "domain_general" if GENERAL in cells.geographies else "domain"


def borrowed(served: Sequence[tuple[Group, Served]]) -> Counter[tuple[str, str, Served]]:
    """Slots served from outside their cell, by domain, geography and nearness."""
    count: Counter[tuple[str, str, Served]] = Counter()
    for group, nearness in served:
        if nearness != "cell":
            count[(*_cell(group), nearness)] += len(group.slots)
    return count
