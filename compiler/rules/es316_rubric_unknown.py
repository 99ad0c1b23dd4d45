"""A rubric that the spec does not define.

## What it does
Reports a `pass_criteria.rubric_type` that names no rubric, and a template that names none while no rubric takes its
dimension.

## Why
Every record carries the rubric that responses to it are scored by.

## Example
```yaml
pass_criteria:
  rubric_type: faithfulness
```

## Use instead
```yaml
pass_criteria:
  rubric_type: faithfulness_1_5
```
"""

from collections.abc import Iterator

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.diagnostic import Diagnostic, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a template, at the rubric that it names, or at its dimension."""
    if not (spec.clean(CONFIG_FILE, ("rubrics",)) and spec.clean(CONFIG_FILE, ("dimension_split",))):
        return
    known, dimensions = spec.config.rubrics, spec.config.dimension_split
    misspelt = {nearest(name, dimensions) for rubric in known.values() for name in rubric.dimensions} - {""}
    misspelt -= {name for rubric in known.values() for name in rubric.dimensions}
    for template_id, template in spec.templates.items():
        if spec.rubric_of(template_id) is not None:
            continue
        file, named = spec.template_files[template_id], template.pass_criteria.rubric_type
        if named is not None:
            near = nearest(named, known)
            hint = f"did you mean {near}?" if near else f"the spec has {', '.join(known)}"
            place = spec.places.place_of(file, ("pass_criteria", "rubric_type"))
            yield found("ES316", f"the spec defines no rubric {named}", place, hint=hint)
        elif template.dimension in spec.config.dimension_split and spec.clean(file, ("pass_criteria",)):
            if template.dimension in misspelt:
                continue  # ES105 says so at the rubric
            place = spec.places.place_of(file, ("dimension",))
            message = f"{template_id} names no rubric, and none takes the dimension {template.dimension}"
            hint = "name `pass_criteria.rubric_type`, or the dimension under a rubric's `dimensions`"
            yield found("ES316", message, place, hint=hint)
