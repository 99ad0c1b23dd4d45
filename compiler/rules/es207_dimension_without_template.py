"""A dimension has a target and nothing that fills it.

## What it does
Where `subdimensions` is left out and inferred from the templates, reports a dimension that no template names. With
subdimensions of its own, a spec that leaves a dimension empty has counts that disagree (ES203).

## Why
The plan holds nothing for this dimension, so the dataset will be short of its total by that much.

## Example
```yaml
dimension_split:
  hallucination: 100
  safety: 50          # and templates/ holds only templates of hallucination
```

## Use instead
Write a template with `dimension: safety`, or take the dimension out:

```yaml
dimension_split:
  hallucination: 100
```
"""

from collections.abc import Iterator

from evalspec.compiler.counts import ids_clean
from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a dimension, at its target."""
    if not spec.inferred_subdimensions or not ids_clean(spec):
        return
    if not (spec.clean(CONFIG_FILE, ("subdimensions",)) and spec.clean(CONFIG_FILE, ("dimension_split",))):
        return
    filled = {template.dimension for template in spec.templates.values()}
    for name, target in spec.config.dimension_split.items():
        if name not in filled:
            message = f"{name} has a target of {target:,} records, and no template is of it"
            place = spec.places.key_place(CONFIG_FILE, ("dimension_split", name))
            yield found("ES207", message, place, hint=f"write a template with `dimension: {name}`")
