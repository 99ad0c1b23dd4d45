"""Counts that must agree do not.

## What it does
Compares `dataset.target_total` with the sum of `dimension_split`; each dimension's target with the sum of its
subdimensions (under `allocation: exact`; subsets are not added); and `acceptance.size` with the total.

## Why
Two numbers for one thing: evalspec will not choose. With `allocation: scale` the subdimensions are proportions, and are
scaled to the target of their dimension.

## Example
```yaml
dataset:
  target_total: 300
dimension_split:
  hallucination: 200
  safety: 90
```

## Use instead
```yaml
dataset:
  target_total: 300
dimension_split:
  hallucination: 200
  safety: 100
```
"""

from collections.abc import Iterator

from evalspec.compiler.counts import counted, counts_clean, dimensions_known, reachable, sizes, subset_sound, total
from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, Related, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at the total, at each dimension's target, and at the accepted size."""
    if not counts_clean(spec):
        return
    yield from _total(spec)
    if not spec.inferred_subdimensions and dimensions_known(spec):
        yield from _dimensions(spec)
    size = spec.config.acceptance.size
    wanted = spec.config.dataset.target_total
    if size and size.min <= size.max and not size.min <= wanted <= size.max:
        place = spec.places.key_place(CONFIG_FILE, ("acceptance", "size"))
        message = f"acceptance.size takes {size.min:,} to {size.max:,} records, and {wanted:,} are asked for"
        yield found("ES203", message, place, related=[_target_total(spec)])


def _total(spec: Spec) -> Iterator[Diagnostic]:
    wanted, dimensions = spec.config.dataset.target_total, sum(spec.config.dimension_split.values())
    if wanted != dimensions:
        message = f"the targets of dimension_split come to {dimensions:,}, dataset.target_total is {wanted:,}"
        place = spec.places.key_place(CONFIG_FILE, ("dimension_split",))
        hint = f"set dataset.target_total to {dimensions}, or change a target by {abs(wanted - dimensions):,}"
        yield found("ES203", message, place, hint=hint, related=[_target_total(spec)])


def _target_total(spec: Spec) -> Related:
    return Related(spec.places.place_of(CONFIG_FILE, ("dataset", "target_total")), "the total is set here")


def _dimensions(spec: Spec) -> Iterator[Diagnostic]:
    """None for a dimension whose subsets are unfit (ES208), or whose sum ES206's numbers would mend."""
    wrong = {}
    for name, target in spec.config.dimension_split.items():
        own = counted(spec, name)
        if not _subsets_fit(spec, name):
            continue
        if not own or (spec.config.dataset.allocation == "exact" and _off(spec, name, own, target)):
            wrong[name] = total(spec, name) - target
    strayed = _strayed(spec, wrong)
    for name, surplus in wrong.items():
        if strayed is None or surplus > 0:
            yield _disagree(spec, name, surplus, strayed)


def _subsets_fit(spec: Spec, name: str) -> bool:
    subsets = [sub for sub, entry in spec.config.subdimensions.items() if entry.subset_of]
    return all(subset_sound(spec, sub) for sub in subsets if spec.subdimension_dimension(sub) == name)


def _off(spec: Spec, name: str, own: list[str], target: int) -> bool:
    """Whether the counts miss the target, and would with each brought to whole groups."""
    if total(spec, name) == target or not reachable(target, sizes(spec, name)):
        return False
    known = spec.config.subdimensions
    sums = {0}
    for count, size in ((known[sub].target_count, known[sub].linkage) for sub in own):
        sums = {part + whole for part in sums for whole in {count // size * size, -(-count // size) * size}}
    return len(sums) == 1 or target not in sums


def _strayed(spec: Spec, wrong: dict[str, int]) -> str | None:
    """The subdimension whose count one of two dimensions has too much and the other too little, if there is one."""
    if len(wrong) != 2 or sum(wrong.values()) != 0:
        return None
    rich = max(wrong, key=lambda name: wrong[name])
    own = counted(spec, rich)
    fitting = [sub for sub in own if spec.config.subdimensions[sub].target_count == wrong[rich]]
    return fitting[0] if len(fitting) == 1 and len(own) > 1 else None


def _disagree(spec: Spec, name: str, surplus: int, strayed: str | None) -> Diagnostic:
    target, own = spec.config.dimension_split[name], counted(spec, name)
    asked = target + surplus
    if not own:
        hint = f"add a subdimension with templates of dimension {name}, or take {name} out"
    elif strayed is not None:
        other = next(n for n, t in spec.config.dimension_split.items() if n != name and total(spec, n) == t - surplus)
        hint = f"{strayed} belongs to {other}, by the counts: see the `dimension` of it and of its templates"
    else:
        part = f"take {surplus:,} from one of them" if surplus > 0 else f"give one of them {-surplus:,} more"
        hint = f"{part}, set the target to {asked}, or `dataset.allocation: scale` to scale them to it"
    related = [
        Related(
            spec.places.place_of(CONFIG_FILE, ("subdimensions", sub, "target_count")),
            f"{sub} asks for {spec.config.subdimensions[sub].target_count:,}",
        )
        for sub in own
    ]
    place = spec.places.place_of(CONFIG_FILE, ("dimension_split", name))
    message = f"the subdimensions of {name} come to {asked:,}, its target is {target:,}"
    return found("ES203", message, place, hint=hint, related=related)
