"""Whole groups: how many linkage groups each subdimension gets so that each dimension meets its target."""

from collections.abc import Iterable
from fractions import Fraction

from evalspec.compiler.solver import Program, Standing, settle
from evalspec.spec.dataclass import dataclass
from evalspec.spec.draw import draw

_PER_RECORD = 1_000_000
_LARGEST_SEARCH = 2_000


@dataclass(frozen=True, slots=True)
class Line:
    """A subdimension as it is asked for; `count` is in records and includes what is carved out of it."""

    name: str
    dimension: str
    count: int
    linkage: int = 1
    subset_of: str | None = None


@dataclass(frozen=True, slots=True)
class Leaf:
    """A subdimension less what is carved out of it, and the groups that it gets."""

    name: str
    dimension: str
    linkage: int
    asked: int
    """Records as the spec writes them, less the subsets."""
    share: Fraction
    """Records after scaling."""
    groups: int

    @property
    def records(self) -> int:
        """The records that its groups hold."""
        return self.groups * self.linkage


@dataclass(frozen=True, slots=True)
class Collision:
    """A dimension whose target no whole groups make up.

    `asked` is the sum of its top subdimensions' counts. `kind` is "counts" where the counts must agree and do not,
    and "wholes" where only whole groups stand in the way. `nearest` holds the closest targets that would do.
    """

    kind: str
    dimension: str
    target: int
    asked: int
    lines: tuple[Line, ...]
    nearest: tuple[int, ...] = ()


def own_counts(lines: Iterable[Line]) -> dict[str, int]:
    """Each line's count less those of its subsets."""
    listed = list(lines)
    carved = {line.name: 0 for line in listed}
    for line in listed:
        if line.subset_of in carved:
            carved[line.subset_of] += line.count
    return {line.name: line.count - carved[line.name] for line in listed}


def asked_of(lines: Iterable[Line]) -> int:
    """The records that lines of one dimension ask for; a subset's are in its parent's."""
    listed = list(lines)
    names = {line.name for line in listed}
    return sum(line.count for line in listed if line.subset_of not in names)


def whole_groups(lines: Iterable[Line], dimension: str, target: int, *, scale: bool) -> list[Leaf] | Collision:
    """The leaves of one dimension with each at the floor or ceiling of its share, and `target` records in all.

    With `scale`, shares are the counts scaled to the target; without, they are the counts and must sum to it.
    Among equally close answers the one with more of the larger groups is taken.
    """
    listed = sorted((line for line in lines if line.dimension == dimension), key=lambda line: line.name)
    asked = asked_of(listed)
    if not scale and asked != target:
        return Collision("counts", dimension, target, asked, tuple(listed), (asked,))
    shares = _shares(listed, target, asked, scale=scale)
    groups = _fit(listed, shares, target)
    if groups is None:
        return Collision(
            "wholes", dimension, target, asked, tuple(listed), _nearest(listed, target, asked, scale=scale)
        )
    own = own_counts(listed)
    return [
        Leaf(line.name, dimension, line.linkage, own[line.name], shares[line.name], groups[line.name])
        for line in listed
    ]


def _shares(lines: list[Line], target: int, asked: int, *, scale: bool) -> dict[str, Fraction]:
    factor = Fraction(target, asked) if scale and asked else Fraction(1)
    return {name: count * factor for name, count in own_counts(lines).items()}


def _fit(lines: list[Line], shares: dict[str, Fraction], target: int) -> dict[str, int] | None:
    """Floor or ceiling of each share in groups, with `target` records in all; None where there is no such choice."""
    floors = {line.name: shares[line.name] // line.linkage for line in lines}
    missing = target - sum(floors[line.name] * line.linkage for line in lines)
    open_lines = [line for line in lines if floors[line.name] * line.linkage != shares[line.name]]
    if not open_lines:
        return floors if missing == 0 else None
    program = Program()
    for line in open_lines:
        over = shares[line.name] - floors[line.name] * line.linkage
        closeness = round((line.linkage - 2 * over) * _PER_RECORD)
        program.column(0, 1, cost=float(closeness * 4 - (line.linkage - 1)))
    program.row(missing, missing, [(i, float(line.linkage)) for i, line in enumerate(open_lines)])
    weights = [1 + draw(0, "wholes", line.name) % 1000 for line in open_lines]
    answer = settle(program, weights, max_nodes=2_000)
    if answer.standing is Standing.NONE:
        return None
    ups = {line.name: round(value) for line, value in zip(open_lines, answer.values, strict=True)}
    return {name: floor + ups.get(name, 0) for name, floor in floors.items()}


def _nearest(lines: list[Line], target: int, asked: int, *, scale: bool) -> tuple[int, ...]:
    """The closest targets below and above that whole groups make up, the closer one first."""
    found = []
    for step in (-1, 1):
        for distance in range(1, _LARGEST_SEARCH):
            candidate = target + step * distance
            if candidate < 1:
                break
            if _reachable(lines, _shares(lines, candidate, asked, scale=scale), candidate):
                found.append(candidate)
                break
    return tuple(sorted(found, key=lambda candidate: (abs(candidate - target), candidate)))


def _reachable(lines: list[Line], shares: dict[str, Fraction], target: int) -> bool:
    """Whether floors and ceilings can sum to `target`: a set of sums, kept as the bits of one number."""
    base, sums = 0, 1
    for line in lines:
        floor = shares[line.name] // line.linkage
        base += floor * line.linkage
        if floor * line.linkage != shares[line.name]:
            sums |= sums << line.linkage
    return target >= base and bool(sums >> (target - base) & 1)
