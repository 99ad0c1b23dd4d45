"""The templates of a group do not make up the group.

## What it does
Reports a subdimension with several templates whose `linkage` is not their number, and a template named twice.

## Why
With one template a group repeats it `linkage` times. With several, each makes one member, in order.

## Example
```yaml
subdimensions:
  phrasing_variants: {target_count: 50, templates: [P1, P2, P3, P4, P5], linkage: 3}
```

## Use instead
```yaml
subdimensions:
  phrasing_variants: {target_count: 50, templates: [P1, P2, P3, P4, P5], linkage: 5}
```
"""

from collections.abc import Iterator

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at the list of templates."""
    if spec.inferred_subdimensions:
        return
    for name, entry in spec.config.subdimensions.items():
        if not spec.clean(CONFIG_FILE, ("subdimensions", name)):
            continue
        place = spec.places.key_place(CONFIG_FILE, ("subdimensions", name, "templates"))
        count = len(entry.templates)
        twice = sorted({t for t in entry.templates if entry.templates.count(t) > 1})
        if twice:
            message = f"{name} names {', '.join(twice)} twice"
            yield found("ES318", message, place, hint="with one template and `linkage: n` a group repeats it")
        elif count > 1 and count != entry.linkage:
            message = f"{name} has {count} templates and groups of {entry.linkage}"
            hint = f"write `linkage: {count}`, or one template a subdimension"
            yield found("ES318", message, place, hint=hint)
