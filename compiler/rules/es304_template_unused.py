"""No subdimension uses a template.

## What it does
Reports a template that no entry of `subdimensions` names.

## Why
It costs care and makes no record. Often the entry was forgotten.

## Example
```yaml
subdimensions:
  closed_book: {target_count: 50, templates: [H1]}     # and templates/H2.yaml is there too
```

## Use instead
```yaml
subdimensions:
  closed_book: {target_count: 50, templates: [H1]}
  open_book: {target_count: 50, templates: [H2]}
```
"""

from collections.abc import Iterator

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a template, at its id."""
    if not spec.clean(CONFIG_FILE, ("subdimensions",)) or spec.inferred_subdimensions:
        return
    used = {name for entry in spec.config.subdimensions.values() for name in entry.templates}
    for name, template in spec.templates.items():
        file = spec.template_files[name]
        home = spec.config.subdimensions.get(template.subdimension)
        if home is not None and any(other not in spec.templates for other in home.templates):
            continue  # a slip in its entry, which ES305 reports
        if name not in used and spec.clean(file, ("id",)):
            hint = f"name it in subdimensions.{template.subdimension}.templates, or remove the file"
            place = spec.places.place_of(file, ("id",))
            yield found("ES304", f"no subdimension uses the template {name}", place, hint=hint)
