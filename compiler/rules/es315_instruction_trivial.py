"""An instruction does not ask for more than a lookup.

## What it does
Reports a generation instruction that speaks neither of non-trivial prompts nor of keyword lookup or retrieval.

## Why
Left to itself an LLM writes questions that a search for their own words answers. Strong models pass all of them.

## Example
```yaml
generation_instruction: |
  Write a question on: {scraped_content}
```

## Use instead
```yaml
generation_instruction: |
  Write a question on: {scraped_content}
  Verify that it is non-trivial: a keyword lookup in the text must not be enough to answer it.
```
"""

import re
from collections.abc import Iterator

from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found

_ASKS = re.compile(r"trivial|look-?\s?up|keyword|key word|retriev", re.IGNORECASE)


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a template, at its instruction."""
    for template_id, template in spec.templates.items():
        if not _ASKS.search(template.generation_instruction):
            place = spec.places.key_place(spec.template_files[template_id], ("generation_instruction",))
            message = f"the instruction of {template_id} does not ask for a non-trivial prompt"
            hint = "demand that a keyword lookup is not enough to answer"
            yield found("ES315", message, place, hint=hint)
