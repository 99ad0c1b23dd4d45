"""A template and the subdimension that uses it disagree.

## What it does
Reports a template whose `dimension` is none of `dimension_split`, or not that of the subdimension that uses it, and a
template whose `subdimension` is neither that one nor the one that it is a subset of.

## Why
The record carries both names, and the counts are kept by them.

## Example
```yaml
# templates/H1.yaml
dimension: hallucinations

# generation_config.yaml
dimension_split:
  hallucination: 100
```

## Use instead
```yaml
dimension: hallucination
```
"""

from collections.abc import Iterator

from evalspec.compiler.counts import ids_clean
from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.diagnostic import Diagnostic, Related, found
from evalspec.spec.source import YamlPath


def check(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at the template's `dimension` or `subdimension`, and at a subdimension's `dimension`."""
    if not spec.clean(CONFIG_FILE, ("dimension_split",)):
        return
    yield from _dimensions(spec)
    if spec.clean(CONFIG_FILE, ("subdimensions",)) and ids_clean(spec) and not spec.inferred_subdimensions:
        for name in spec.config.subdimensions:
            yield from _uses(spec, name)


def _dimensions(spec: Spec) -> Iterator[Diagnostic]:
    known = spec.config.dimension_split
    places: list[tuple[str, YamlPath, str]] = [
        (spec.template_files[name], ("dimension",), template.dimension) for name, template in spec.templates.items()
    ]
    if not spec.inferred_subdimensions:
        for name, entry in spec.config.subdimensions.items():
            if entry.dimension is not None:
                places.append((CONFIG_FILE, ("subdimensions", name, "dimension"), entry.dimension))
    for file, path, dimension in places:
        if dimension not in known:
            near = nearest(dimension, known)
            hint = f"did you mean {near}?" if near else f"dimension_split has {', '.join(known)}"
            place = spec.places.place_of(file, path)
            yield found("ES306", f"dimension_split has no dimension {dimension}", place, hint=hint)


def _uses(spec: Spec, name: str) -> Iterator[Diagnostic]:
    entry = spec.config.subdimensions[name]
    dimension = spec.subdimension_dimension(name)
    for index, template_id in enumerate(entry.templates):
        template = spec.templates.get(template_id)
        if template is None:
            continue
        file = spec.template_files[template_id]
        used = Related(
            spec.places.place_of(CONFIG_FILE, ("subdimensions", name, "templates", index)), f"{name} uses it here"
        )
        parent = spec.config.subdimensions.get(entry.subset_of or name)
        if parent is None or parent.subset_of is not None:
            continue  # the subset is unfit, which ES208 reports
        if template.subdimension not in (name, entry.subset_of):
            message = f"{template_id} is of subdimension {template.subdimension}, and {name} uses it"
            place = spec.places.place_of(file, ("subdimension",))
            hint = f"write `subdimension: {name}`, or name the template under {template.subdimension}"
            yield found("ES306", message, place, hint=hint, related=[used])
        elif template.dimension != dimension and template.dimension in spec.config.dimension_split:
            message = f"{template_id} is of dimension {template.dimension}, {name} of {dimension}"
            yield found("ES306", message, spec.places.place_of(file, ("dimension",)), related=[used])
