"""A prompt that cannot stay under the limit.

## What it does
Adds the fixed text of system prompt and message, 1,200 characters for each excerpt field and 150 for each other field
that they show, and compares the sum with `acceptance.max_prompt_chars`.

## Why
Replies that make the prompt too long are refused and asked for again, each at its price.

## Example
```yaml
user_message_template: |
  [1] {excerpt}
  [2] {excerpt_2_excerpt}
  [3] {third_excerpt}
  [4] {fourth_excerpt}
```

## Use instead
```yaml
user_message_template: |
  [1] {excerpt}
  [2] {second_excerpt}
```
"""

from collections.abc import Iterator

from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.language import placeholders
from evalspec.spec.template import Template

EXCERPT_CHARS = 1_200
FIELD_CHARS = 150


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a template, at its message."""
    limit = spec.config.acceptance.max_prompt_chars
    for template_id, template in spec.templates.items():
        fixed, excerpts, others = _parts(spec, template_id, template)
        expected = fixed + excerpts * EXCERPT_CHARS + others * FIELD_CHARS
        if expected >= limit:
            message = (
                f"prompts of {template_id} will have about {expected:,} characters, the limit is {limit:,}: "
                f"{fixed:,} fixed, {excerpts} excerpts of {EXCERPT_CHARS:,}, {others} other fields of {FIELD_CHARS}"
            )
            place = spec.places.key_place(spec.template_files[template_id], ("user_message_template",))
            yield found("ES319", message, place, hint="shorten the fixed text, or show fewer excerpts")


def _parts(spec: Spec, template_id: str, template: Template) -> tuple[int, int, int]:
    """Fixed characters, excerpt placeholders, and other placeholders of a prompt."""
    text = f"{template.system_prompt}\n\n{template.user_message_template}"
    fields = spec.fields[template_id]
    fixed, excerpts, others = len(text), 0, 0
    for name, start, end in placeholders(text):
        if name in fields:
            fixed -= end - start
            excerpt = fields[name]["meta"].get("role") == "excerpt"
            excerpts, others = excerpts + excerpt, others + (not excerpt)
    return fixed, excerpts, others
