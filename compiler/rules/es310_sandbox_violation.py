"""A text reaches for what the sandbox forbids.

## What it does
Reports attributes, calls, loops, includes, imports and arithmetic in a text: `{{ x.__class__ }}`, `{% include %}`,
`{{ range(9) }}`. Placeholders, the listed filters, and `{% if %}` are what a text may hold.

## Why
A spec may come from anyone. It must be able to do nothing but lay out text.

## Example
```yaml
user_message_template: "{{ question.upper() }}"
```

## Use instead
```yaml
user_message_template: "{{ question | upper }}"
```
"""

from collections.abc import Iterator

from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.sandbox import FILTERS

_HINT = f"a text may hold placeholders, {{% if %}}, and the filters {', '.join(FILTERS)}"


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a text, where it stands."""
    for entry in spec.faults:
        fault = entry.fault
        if fault.kind == "sandbox":
            place = spec.places.place_in(entry.file, entry.path, fault.start, fault.end)
            yield found("ES310", fault.message, place, hint=_HINT)
