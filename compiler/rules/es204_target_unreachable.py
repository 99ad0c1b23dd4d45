"""No number of whole groups meets a target.

## What it does
Reports a dimension whose target cannot be made of whole linkage groups (100 records of triples alone), and a split with
more domains or geographies than there are groups to share among them. The allocation reports what only solving shows,
and warns of a split that its best plan misses by more than `check` accepts.

## Why
A linkage group is one thing: it is made and published whole. The target must give way, or the group size.

## Example
```yaml
dimension_split:
  hallucination: 100
subdimensions:
  self_contradiction: {target_count: 99, templates: [H4], linkage: 3}
```

## Use instead
```yaml
dimension_split:
  hallucination: 99
subdimensions:
  self_contradiction: {target_count: 99, templates: [H4], linkage: 3}
```
"""

from collections.abc import Iterator

from evalspec.compiler.counts import (
    counted,
    counts_clean,
    dimensions_known,
    groups_of,
    nearest_reachable,
    reachable,
    sizes,
)
from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, Related, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at the targets of dimensions, and at splits."""
    if not (counts_clean(spec) and dimensions_known(spec)):
        return
    for name, target in spec.config.dimension_split.items():
        shapes = sizes(spec, name)
        if shapes and not reachable(target, shapes):
            yield _dimension(spec, name, target, shapes)
    yield from _splits(spec)


def _dimension(spec: Spec, name: str, target: int, shapes: list[int]) -> Diagnostic:
    place = spec.places.place_of(CONFIG_FILE, ("dimension_split", name))
    listed = " and ".join(map(str, shapes))
    message = f"{name} has a target of {target:,}, and only groups of {listed}: no number of them makes it"
    would = " or ".join(f"{number:,}" for number in nearest_reachable(target, shapes))
    related = []
    if not spec.inferred_subdimensions:
        for sub in counted(spec, name):
            size = spec.config.subdimensions[sub].linkage
            at = spec.places.place_of(CONFIG_FILE, ("subdimensions", sub, "linkage"))
            related.append(Related(at, f"{sub} is made in groups of {size}"))
    return found("ES204", message, place, hint=f"{would} would work", related=related)


def _splits(spec: Spec) -> Iterator[Diagnostic]:
    names = [n for n, entry in spec.config.subdimensions.items() if entry.subset_of is None]
    groups = sum(groups_of(spec, name) for name in names)
    if not groups:
        return
    for split in ("domain_split", "geography_split"):
        wanted = [name for name, share in getattr(spec.config, split).items() if share > 0]
        if len(wanted) > groups and spec.clean(CONFIG_FILE, (split,)):
            message = f"{split} shares {groups} groups among {len(wanted)} names: some would get no record"
            place = spec.places.key_place(CONFIG_FILE, (split,))
            related = Related(
                spec.places.place_of(CONFIG_FILE, ("dataset", "target_total")),
                f"{spec.config.dataset.target_total:,} records in {groups} groups",
            )
            hint = f"ask for at least {len(wanted)} groups, or for fewer names"
            yield found("ES204", message, place, hint=hint, related=[related])
