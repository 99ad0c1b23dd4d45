"""A template has fewer than two negative examples.

## What it does
Counts the entries of `negative_examples`.

## Why
The examples tell the generation LLM what a prompt must not let through. With one it copies that one; two or three
show a
pattern.

## Example
```yaml
negative_examples:
  - prompt: "..."
    bad_response: "The ratio is 8%."
    why_bad: "Takes the figure from memory and not from the excerpt."
```

## Use instead
```yaml
negative_examples:
  - prompt: "..."
    bad_response: "The ratio is 8%."
    why_bad: "Takes the figure from memory and not from the excerpt."
  - prompt: "..."
    bad_response: "The buffer is 2.5%."
    why_bad: "The excerpt gives no percentage; it should say so."
```
"""

from collections.abc import Iterator

from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a template, at its list."""
    for name, template in spec.templates.items():
        count = len(set(template.negative_examples))
        file = spec.template_files[name]
        if count < 2 and (file, ("negative_examples",)) not in spec.lost:
            has = "no negative example" if count == 0 else "one negative example"
            if count < len(template.negative_examples):
                has = f"one negative example, {len(template.negative_examples)} times"
            place = spec.places.key_place(file, ("negative_examples",))
            hint = "write two or three, each with prompt, bad_response and why_bad"
            yield found("ES301", f"{name} has {has}; at least two are needed", place, hint=hint)
