"""Wishes: an order of cells, by the shares and the seed alone, of which any stretch from the start is a fair sample.

The groups of a subdimension stand in it as far as their cells allow, so that a plan cut short by a limit has some of
everything.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate

from evalspec.compiler.cell import Cell
from evalspec.spec.dataclass import dataclass
from evalspec.spec.draw import draw

_RATIO = 1.1673039782614187
"""The root of x^5 = x + 1: its powers step through four dimensions with the least clumping."""
_STEPS = tuple(_RATIO**-power for power in range(1, 5))


@dataclass(frozen=True, slots=True)
class Wishes:
    """The wishes of one subdimension; its groups have numbers from 0."""

    domains: Mapping[str, float]
    difficulties: Mapping[str, float]
    geographies: Mapping[str, float]
    seed: int
    subdimension: str

    def cells(self, count: int) -> list[Cell]:
        """The cells, strategies aside, that the first `count` numbers would take."""
        starts = self._starts()
        values = []
        for axis, split in enumerate((self.domains, self.difficulties, self.geographies)):
            ends, names = _stretches(split)
            at = (bisect_right(ends, _at(starts[axis], number, axis)) for number in range(count))
            values.append([names[min(index, len(names) - 1)] for index in at])
        return [Cell(*cell) for cell in zip(*values, strict=True)]

    def strategies(self, count: int, names: Sequence[str]) -> list[str | None]:
        """The strategies, of `names`, that the first `count` numbers would take if they were hard."""
        start = self._starts()[3]
        return [names[int(_at(start, number, 3) * len(names))] if names else None for number in range(count)]

    def _starts(self) -> list[float]:
        return [draw(self.seed, "start", self.subdimension, axis) % (1 << 20) / (1 << 20) for axis in range(4)]


def _at(start: float, number: int, axis: int) -> float:
    """A coordinate of a sequence that fills the unit cube evenly, whatever its length (Kronecker)."""
    return (start + (number + 1) * _STEPS[axis]) % 1.0


def _stretches(split: Mapping[str, float]) -> tuple[list[float], list[str]]:
    """Where the stretch of each value ends in the unit interval, and the values; they are as long as the shares."""
    names = sorted(name for name, share in split.items() if share > 0)
    return list(accumulate(split[name] for name in names)), names
