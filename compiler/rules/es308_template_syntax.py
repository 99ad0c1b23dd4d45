"""A text that the template language cannot read.

## What it does
Reports a placeholder without its closing brace (`{question`), a Jinja tag without its end, and whatever else Jinja
cannot parse. Other braces are literal, so JSON in a message needs no escaping.

## Why
The prompt would hold the broken placeholder, or not be made at all.

## Example
```yaml
user_message_template: "Question: {question"
```

## Use instead
```yaml
user_message_template: "Question: {question}"
```
"""

from collections.abc import Iterator

from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a fault, where it stands."""
    for entry in spec.faults:
        fault = entry.fault
        if fault.kind in ("unclosed", "syntax"):
            place = spec.places.place_in(entry.file, entry.path, fault.start, fault.end)
            hint = f"write {{{fault.name}}}" if fault.kind == "unclosed" else ""
            yield found("ES308", fault.message, place, hint=hint)
