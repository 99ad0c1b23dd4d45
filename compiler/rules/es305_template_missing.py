"""A subdimension names a template that does not exist.

## What it does
Reports an id in `templates` of a subdimension that no file of `templates/` has.

## Why
Nothing could fill its slots.

## Example
```yaml
subdimensions:
  closed_book: {target_count: 50, templates: [H11]}
```

## Use instead
```yaml
subdimensions:
  closed_book: {target_count: 50, templates: [H1]}
```
"""

from collections.abc import Iterator

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.diagnostic import Diagnostic, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding an id, at its entry; none while a template file could not be read or has a faulty id."""
    if any(file.startswith("templates/") and path in ((), ("id",)) for file, path in spec.lost):
        return
    for name, entry in spec.config.subdimensions.items():
        for index, template in enumerate(entry.templates):
            if template not in spec.templates:
                place = spec.places.place_of(CONFIG_FILE, ("subdimensions", name, "templates", index))
                near = nearest(template, spec.templates)
                hint = f"did you mean {near}?" if near else f"the spec has {', '.join(spec.templates) or 'none'}"
                yield found("ES305", f"{name} uses the template {template}, which is not there", place, hint=hint)
