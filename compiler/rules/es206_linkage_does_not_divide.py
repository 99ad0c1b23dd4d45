"""A count is no multiple of its group size.

## What it does
Under `allocation: exact`, reports a `target_count` that `linkage` does not divide.

## Why
Exact means exact: a group is made whole or not at all, so 100 records in triples are 99 or 102.

## Example
```yaml
subdimensions:
  self_contradiction: {target_count: 100, templates: [H4], linkage: 3}
```

## Use instead
```yaml
subdimensions:
  self_contradiction: {target_count: 99, templates: [H4], linkage: 3}
```
"""

from collections.abc import Iterator

from evalspec.compiler.counts import counts_clean, dimensions_known, reachable, sizes
from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, Related, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a subdimension, at its count; none where ES204 says that the dimension's target is at fault."""
    if spec.config.dataset.allocation != "exact" or spec.inferred_subdimensions:
        return
    if not (counts_clean(spec) and dimensions_known(spec)):
        return
    for name, entry in spec.config.subdimensions.items():
        dimension = spec.subdimension_dimension(name)
        target = spec.config.dimension_split.get(dimension)
        if entry.target_count % entry.linkage == 0:
            continue
        if target is not None and entry.subset_of is None and not reachable(target, sizes(spec, dimension)):
            continue
        below = entry.target_count // entry.linkage * entry.linkage
        would = " or ".join(f"{number:,}" for number in (below, below + entry.linkage) if number)
        message = f"{name} asks for {entry.target_count:,} records in groups of {entry.linkage}"
        place = spec.places.place_of(CONFIG_FILE, ("subdimensions", name, "target_count"))
        linkage = spec.places.place_of(CONFIG_FILE, ("subdimensions", name, "linkage"))
        related = Related(linkage, "the group size is set here")
        hint = f"{would} would work; or `dataset.allocation: scale`"
        yield found("ES206", message, place, hint=hint, related=[related])
