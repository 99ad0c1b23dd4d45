"""A field that no text uses.

## What it does
Reports a field under `fields` that stands in no system prompt, message or pass criteria. A field whose role is `answer`
is for the judge and needs no placeholder.

## Why
The LLM is asked for it, it is paid for, and no record shows it.

## Example
```yaml
user_message_template: "Question: {question}"
fields:
  question: {type: string}
  topic: {type: string}
```

## Use instead
```yaml
user_message_template: "Question: {question}"
fields:
  question: {type: string}
```
"""

from collections.abc import Iterator

from evalspec.compiler.fields import RESERVED, shown_names, used_names
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found

_TEXTS = ("system_prompt", "user_message_template", "pass_criteria")


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a declared field, at its name; none in a file whose placeholders are in doubt."""
    doubtful = {entry.file for entry in spec.faults}
    for template_id, template in spec.templates.items():
        file = spec.template_files[template_id]
        if not template.fields or file in doubtful or not all(spec.clean(file, (key,)) for key in _TEXTS):
            continue
        used = used_names(template)
        if shown_names(template).isdisjoint(template.fields):
            continue  # ES323 says so
        for name in template.fields:
            if name in RESERVED or not name.isidentifier():
                continue  # ES320 says so
            if name not in used and spec.fields[template_id][name]["meta"].get("role") != "answer":
                place = spec.places.key_place(file, ("fields", name))
                hint = f"use {{{name}}}, remove it, or mark it `meta: {{role: answer}}`"
                yield found("ES309", f"no text of {template_id} uses the field {name}", place, hint=hint)
