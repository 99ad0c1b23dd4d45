"""What can be said of counts without solving: sums, whole groups, and which totals groups can make."""

from collections.abc import Sequence
from functools import reduce
from math import gcd

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.source import Place, YamlPath


def counted(spec: Spec, dimension: str) -> list[str]:
    """The subdimensions whose counts add up to a dimension; subsets are carved out of others."""
    return [
        name
        for name, entry in spec.config.subdimensions.items()
        if entry.subset_of is None and spec.subdimension_dimension(name) == dimension
    ]


def ancestry(spec: Spec, name: str) -> list[str]:
    """What a subset is carved out of, what that is carved out of, and so on; a circle ends where it closes."""
    known = spec.config.subdimensions
    out: list[str] = []
    while name in known and (parent := known[name].subset_of) is not None and parent not in out:
        out.append(parent)
        name = parent
    return out


def subset_sound(spec: Spec, name: str) -> bool:
    """Whether a subdimension that is a subset has a parent that is there and is none itself."""
    line = ancestry(spec, name)
    return len(line) == 1 and line[0] in spec.config.subdimensions and line[0] != name


def total(spec: Spec, dimension: str) -> int:
    """The sum of the counts of a dimension's subdimensions."""
    return sum(spec.config.subdimensions[name].target_count for name in counted(spec, dimension))


def sizes(spec: Spec, dimension: str) -> list[int]:
    """The group sizes that a dimension can be made of."""
    return sorted({spec.config.subdimensions[name].linkage for name in counted(spec, dimension)})


def groups_of(spec: Spec, name: str) -> int:
    """About how many groups a subdimension gets: exact under `exact`, rounded down under `scale`."""
    entry = spec.config.subdimensions[name]
    count = entry.target_count
    if spec.config.dataset.allocation == "scale" and entry.subset_of is None:
        dimension = spec.subdimension_dimension(name)
        asked = total(spec, dimension)
        target = spec.config.dimension_split.get(dimension, 0)
        count = count * target // asked if asked else 0
    return count // entry.linkage


def reachable(target: int, group_sizes: Sequence[int]) -> bool:
    """Whether whole groups of these sizes can make `target` records."""
    if not group_sizes or target % reduce(gcd, group_sizes):
        return False
    largest = max(group_sizes)
    if target >= largest * largest:
        return True  # past the Frobenius number of any sizes up to `largest`
    made = [True] + [False] * target
    for number in range(1, target + 1):
        made[number] = any(number >= size and made[number - size] for size in group_sizes)
    return made[target]


def nearest_reachable(target: int, group_sizes: Sequence[int]) -> list[int]:
    """The totals closest to `target`, below and above, that whole groups can make; at least one record."""
    span = max(group_sizes) ** 2 + 1
    below = next((n for n in range(target - 1, max(0, target - span), -1) if reachable(n, group_sizes)), None)
    above = next((n for n in range(target + 1, target + span + 1) if reachable(n, group_sizes)), None)
    return [number for number in (below, above) if number is not None]


def subdimension_place(spec: Spec, name: str, *inner: str) -> Place:
    """The place of a subdimension, or of its dimension's target where it was inferred."""
    if spec.inferred_subdimensions:
        return spec.places.key_place(CONFIG_FILE, ("dimension_split", spec.subdimension_dimension(name)))
    path: YamlPath = ("subdimensions", name, *inner)
    return spec.places.place_of(CONFIG_FILE, path) if inner else spec.places.key_place(CONFIG_FILE, path)


def counts_clean(spec: Spec) -> bool:
    """Whether the counts of the config can be judged."""
    sections = ("dataset", "dimension_split", "subdimensions")
    return all(spec.clean(CONFIG_FILE, (section,)) for section in sections)


def dimensions_known(spec: Spec) -> bool:
    """Whether every subdimension has a dimension that has a target, so that counts can be added up."""
    known = spec.config.dimension_split
    return ids_clean(spec) and all(spec.subdimension_dimension(n) in known for n in spec.config.subdimensions)


def ids_clean(spec: Spec) -> bool:
    """Whether every template file gave a template with its own id and dimension."""
    return not any(
        file.startswith("templates/") and path[:1] in ((), ("id",), ("dimension",), ("subdimension",))
        for file, path in spec.lost
    )
