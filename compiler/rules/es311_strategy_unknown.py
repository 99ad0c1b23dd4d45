"""A strategy that the spec does not define.

## What it does
Reports a name under `strategies` of a template, or of a form of its compose block, that is no strategy of the spec.

## Why
There is no definition to give to the generation LLM.

## Example
```yaml
strategies: [leading_questions]
```

## Use instead
```yaml
strategies: [leading_question_framing]
```
"""

from collections.abc import Iterator

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import YamlPath
from evalspec.spec.template import Template


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a name, at its entry."""
    if not spec.clean(CONFIG_FILE, ("strategies",)):
        return
    known = spec.config.strategies
    for template_id, template in spec.templates.items():
        for path, name in _named(template):
            if name not in known:
                near = nearest(name, known)
                hint = f"did you mean {near}?" if near else f"the spec has {', '.join(known)}"
                place = spec.places.place_of(spec.template_files[template_id], path)
                yield found("ES311", f"the spec defines no strategy {name}", place, hint=hint)


def _named(template: Template) -> Iterator[tuple[YamlPath, str]]:
    for index, name in enumerate(template.strategies):
        yield ("strategies", index), name
    for number, form in enumerate(template.compose.forms if template.compose else ()):
        for index, name in enumerate(form.strategies):
            yield ("compose", "forms", number, "strategies", index), name
