"""A message that shows nothing the LLM writes.

## What it does
Reports a template whose system prompt and message use none of its fields.

## Why
All its prompts would be the same, or one a domain: every record but the first is then a duplicate, and is refused.
Braces around anything but a bare name are literal, so `{ question }` shows no field.

## Example
```yaml
user_message_template: |
  Question: { question }
```

## Use instead
```yaml
user_message_template: |
  Question: {question}
```
"""

import re
from collections.abc import Iterator

from evalspec.compiler.fields import shown_names
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found

_SPACED = re.compile(r"\{ +([A-Za-z_][A-Za-z0-9_]*) *\}|\{([A-Za-z_][A-Za-z0-9_]*) +\}")
_TEXTS = ("fields", "system_prompt", "user_message_template")


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a template, at its message; none in a file whose placeholders are in doubt."""
    doubtful = {entry.file for entry in spec.faults}
    for template_id, template in spec.templates.items():
        file = spec.template_files[template_id]
        if file in doubtful or not all(spec.clean(file, (key,)) for key in _TEXTS):
            continue
        if shown_names(template).isdisjoint(spec.fields[template_id]):
            place = spec.places.key_place(file, ("user_message_template",))
            message = f"the message of {template_id} shows none of its fields: its prompts would all be the same"
            spaced = _SPACED.search(template.user_message_template)
            names = ", ".join(f"{{{name}}}" for name in spec.fields[template_id])
            hint = f"show what the LLM writes: {names or '{question}'}"
            if spaced:
                hint = f"write {{{spaced[1] or spaced[2]}}} without spaces"
            yield found("ES323", message, place, hint=hint)
