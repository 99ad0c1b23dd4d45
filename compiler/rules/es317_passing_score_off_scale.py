"""A passing score outside its rubric's scale.

## What it does
Reports a `min_passing_score`, of a rubric or of a template over it, that lies outside the rubric's `scale`, or that its
lowest score already meets.

## Why
Above the scale nothing passes, at its lowest score everything does.

## Example
```yaml
pass_criteria:
  rubric_type: consistency_binary
  min_passing_score: 4
```

## Use instead
```yaml
pass_criteria:
  rubric_type: consistency_binary
  min_passing_score: 1
```
"""

from collections.abc import Iterator

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.config import Rubric
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place


def check(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at passing scores."""
    for name, rubric in spec.config.rubrics.items():
        if not spec.clean(CONFIG_FILE, ("rubrics", name, "scale")):
            continue
        place = spec.places.place_of(CONFIG_FILE, ("rubrics", name, "min_passing_score"))
        yield from _off(rubric.min_passing_score, name, rubric, place)
    for template_id, template in spec.templates.items():
        score, chosen = template.pass_criteria.min_passing_score, spec.rubric_of(template_id)
        if score is not None and chosen is not None and spec.clean(CONFIG_FILE, ("rubrics",)):
            path = ("pass_criteria", "min_passing_score")
            yield from _off(score, *chosen, spec.places.place_of(spec.template_files[template_id], path))


def _off(score: int, name: str, rubric: Rubric, place: Place) -> Iterator[Diagnostic]:
    low, high = rubric.scale
    if low < high and not low < score <= high:
        message = f"the passing score {score} is off the scale of {name}, {low} to {high}"
        if score == low:
            message = f"the passing score {score} is the lowest of {name}, so that everything passes"
        yield found("ES317", message, place, hint=f"choose a score from {low + 1} to {high}")
