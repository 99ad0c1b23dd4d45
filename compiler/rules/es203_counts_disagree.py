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

from evalspec.compiler.counts import counted, counts_clean, dimensions_known, reachable, sizes, total
from evalspec.compiler.model import CONFIG_FILE, Spec
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
    exact = spec.config.dataset.allocation == "exact"
    for name, target in spec.config.dimension_split.items():
        own, asked = counted(spec, name), total(spec, name)
        if (asked == target or not exact or not reachable(target, sizes(spec, name))) and own:
            continue
        place = spec.places.place_of(CONFIG_FILE, ("dimension_split", name))
        message = f"the subdimensions of {name} come to {asked:,}, its target is {target:,}"
        hint = f"set the target to {asked}, or `dataset.allocation: scale` to scale them to it"
        if not own:
            hint = f"add a subdimension with templates of dimension {name}, or take {name} out"
        related = [
            Related(
                spec.places.place_of(CONFIG_FILE, ("subdimensions", sub, "target_count")),
                f"{sub} asks for {spec.config.subdimensions[sub].target_count:,}",
            )
            for sub in own
        ]
        yield found("ES203", message, place, hint=hint, related=related)
