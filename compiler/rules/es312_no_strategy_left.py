"""A template has hard slots and no strategy for them.

## What it does
Where hard records are asked for, reports a template that names no strategies of its own while none of the spec's suits
its dimension.

## Why
Every hard record applies one named strategy.

## Example
```yaml
strategies:
  leading_question_framing:
    definition: "..."
    when: "..."
    dimensions: [hallucination]     # and a template is of dimension safety
```

## Use instead
```yaml
strategies:
  leading_question_framing:
    definition: "..."
    when: "..."
    dimensions: [hallucination, safety]
```
"""

from collections.abc import Iterator

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a template, at its strategies or its dimension."""
    if spec.config.difficulty_split.get("hard", 0) <= 0 or not spec.clean(CONFIG_FILE, ("strategies",)):
        return
    for template_id, template in spec.templates.items():
        file = spec.template_files[template_id]
        if template.strategies or spec.strategies_of(template_id) or not spec.clean(file, ("dimension",)):
            continue
        if template.dimension in spec.config.dimension_split:
            place = spec.places.place_of(file, ("dimension",))
            message = f"{template_id} has hard slots, and no strategy suits its dimension {template.dimension}"
            hint = "name `strategies` in the template, or the dimension under a strategy's `dimensions`"
            yield found("ES312", message, place, hint=hint)
