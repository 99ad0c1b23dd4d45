"""A token limit that the reply cannot fit in.

## What it does
Estimates the tokens of one member of a reply from the template's fields (250 for an excerpt, 60 for another text, 260
for the expected behavior, failure modes and frame) and compares them with `generation_model.max_tokens`, which is
for one
record.

## Why
A reply that is cut off cannot be used, and is paid for.

## Example
```yaml
generation_model:
  provider: openai
  model_name: gpt-4o
  max_tokens: 200
```

## Use instead
```yaml
generation_model:
  provider: openai
  model_name: gpt-4o
  max_tokens: 1500
```
"""

from collections.abc import Iterator

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, Related, found

_FRAME, _EXCERPT, _TEXT = 260, 250, 60


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding, at the limit, naming the template that needs most."""
    model = spec.config.generation_model
    if model.provider in ("embedded", "replay") or not spec.templates:
        return
    needs = {name: tokens_needed(spec, name) for name in spec.templates}
    most = max(needs, key=lambda name: needs[name])
    if needs[most] > model.max_tokens:
        message = f"max_tokens is {model.max_tokens:,}; a reply for {most} needs about {needs[most]:,} a record"
        place = spec.places.place_of(CONFIG_FILE, ("generation_model", "max_tokens"))
        fields = spec.places.key_place(spec.template_files[most], ("user_message_template",))
        related = Related(fields, "the fields that it shows")
        yield found("ES403", message, place, hint=f"write {-(-needs[most] // 100) * 100} or more", related=[related])


def tokens_needed(spec: Spec, template_id: str) -> int:
    """About how many tokens one member of a reply takes."""
    roles = [rules["meta"].get("role") for rules in spec.fields[template_id].values()]
    return _FRAME + sum(_EXCERPT if role == "excerpt" else _TEXT for role in roles)
