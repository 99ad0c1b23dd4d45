"""A subset names no parent, or does not fit in it.

## What it does
Reports a `subset_of` that names no subdimension, itself, or another subset; a subset of another dimension or group size
than its parent; and subsets that ask for more records than their parent has.

## Why
A subset is carved out of its parent: its records are among the parent's, and the dimension's total does not grow.

## Example
```yaml
subdimensions:
  repeat_stability: {target_count: 40, templates: [C1]}
  temperature_sensitivity: {target_count: 50, templates: [C1], subset_of: repeat_stability}
```

## Use instead
```yaml
subdimensions:
  repeat_stability: {target_count: 200, templates: [C1]}
  temperature_sensitivity: {target_count: 50, templates: [C1], subset_of: repeat_stability}
```
"""

from collections.abc import Iterator

from evalspec.compiler.counts import ids_clean
from evalspec.compiler.model import CONFIG_FILE, Spec
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.config import Subdimension
from evalspec.spec.diagnostic import Diagnostic, Related, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at `subset_of`."""
    if not spec.clean(CONFIG_FILE, ("subdimensions",)):
        return
    known = spec.config.subdimensions
    taken: dict[str, int] = {}
    for name, entry in known.items():
        if entry.subset_of is None:
            continue
        problem, hint = _relation(spec, name, entry)
        if not problem:
            parent = known[entry.subset_of]
            taken[entry.subset_of] = taken.get(entry.subset_of, 0) + entry.target_count
            if taken[entry.subset_of] > parent.target_count:
                problem = f"asks for {taken[entry.subset_of]:,} of the {parent.target_count:,} of {entry.subset_of}"
        if problem:
            place = spec.places.place_of(CONFIG_FILE, ("subdimensions", name, "subset_of"))
            related = []
            if entry.subset_of in known:
                at = spec.places.key_place(CONFIG_FILE, ("subdimensions", entry.subset_of))
                related.append(Related(at, "the parent"))
            yield found("ES208", f"the subset {name} {problem}", place, hint=hint, related=related)


def _relation(spec: Spec, name: str, entry: Subdimension) -> tuple[str, str]:
    known, parent_name = spec.config.subdimensions, str(entry.subset_of)
    if parent_name == name:
        return "is carved out of itself", "name the subdimension that it is a part of"
    parent = known.get(parent_name)
    if parent is None:
        near = nearest(parent_name, known)
        return f"is carved out of {parent_name}, which is not there", f"did you mean {near}?" if near else ""
    if parent.subset_of is not None:
        return f"is carved out of {parent_name}, itself a subset", f"name {parent.subset_of}"
    if parent.linkage != entry.linkage:
        return f"has groups of {entry.linkage}, {parent_name} of {parent.linkage}", f"linkage: {parent.linkage}"
    own, theirs = spec.subdimension_dimension(name), spec.subdimension_dimension(parent_name)
    if own != theirs and ids_clean(spec):
        return f"is of dimension {own}, {parent_name} of {theirs}", ""
    return "", ""
