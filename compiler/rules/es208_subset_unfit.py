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

from evalspec.compiler.counts import ancestry, ids_clean, subset_sound
from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.config import Subdimension
from evalspec.spec.diagnostic import Diagnostic, Related, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at `subset_of`; one for all the subsets of a circle, and one for all that take too much of a parent."""
    if not spec.clean(CONFIG_FILE, ("subdimensions",)):
        return
    known = spec.config.subdimensions
    taken: dict[str, dict[str, int]] = {}
    for name, entry in known.items():
        if entry.subset_of is None:
            continue
        problem, hint = _relation(spec, name, entry)
        if problem:
            yield _finding(spec, name, problem, hint)
        elif subset_sound(spec, name):
            own = taken.setdefault(entry.subset_of, {})
            before, own[name] = sum(own.values()), entry.target_count
            if before < known[entry.subset_of].target_count <= sum(own.values()):
                yield _finding(spec, name, *_taken(entry.subset_of, known[entry.subset_of].target_count, own))


def _finding(spec: Spec, name: str, problem: str, hint: str) -> Diagnostic:
    place = spec.places.place_of(CONFIG_FILE, ("subdimensions", name, "subset_of"))
    parent, related = spec.config.subdimensions[name].subset_of, []
    if parent in spec.config.subdimensions and parent != name:
        at = spec.places.key_place(CONFIG_FILE, ("subdimensions", str(parent)))
        related.append(Related(at, "the parent"))
    return found("ES208", f"the subset {name} {problem}", place, hint=hint, related=related)


def _taken(parent: str, count: int, own: dict[str, int]) -> tuple[str, str]:
    total, name = sum(own.values()), list(own)[-1]
    if total == count:
        return f"leaves nothing of the {count:,} of {parent}", f"ask for fewer than {own[name]:,}"
    if len(own) == 1:
        return f"asks for {total:,} of the {count:,} of {parent}", ""
    shares = ", ".join(f"{n:,} for {sub}" for sub, n in own.items())
    return f"takes too much: of the {count:,} of {parent} {total:,} are asked for, {shares}", ""


def _relation(spec: Spec, name: str, entry: Subdimension) -> tuple[str, str]:
    known, parent_name = spec.config.subdimensions, str(entry.subset_of)
    if parent_name == name:
        return "is carved out of itself", "name the subdimension that it is a part of"
    parent = known.get(parent_name)
    if parent is None:
        near = nearest(parent_name, [other for other in known if other != name])
        return f"is carved out of {parent_name}, which is not there", f"did you mean {near}?" if near else ""
    line = ancestry(spec, name)
    if line[-1] == name:
        first = min(line, key=list(known).index)
        return ("", "") if name != first else (f"goes in a circle: {', '.join([name, *line])}", "end it at one of them")
    if parent.subset_of is not None:
        return f"is carved out of {parent_name}, itself a subset", f"name {line[-1]}" if line[-1] in known else ""
    if parent.linkage != entry.linkage:
        return f"has groups of {entry.linkage}, {parent_name} of {parent.linkage}", f"linkage: {parent.linkage}"
    own, theirs = spec.subdimension_dimension(name), spec.subdimension_dimension(parent_name)
    if own != theirs and ids_clean(spec):
        return f"is of dimension {own}, {parent_name} of {theirs}", ""
    return "", ""
