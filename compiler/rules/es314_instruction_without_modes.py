"""An instruction does not ask for failure modes.

## What it does
Reports a generation instruction that names neither failure modes nor `expected_failure_modes`.

## Why
Every reply must hold them: two to four for hard records. An instruction that says what a concrete failure of this
kind of
prompt looks like gets concrete ones.

## Example
```yaml
generation_instruction: |
  Write a question on: {scraped_content}
```

## Use instead
```yaml
generation_instruction: |
  Write a question on: {scraped_content}
  Return expected_failure_modes: two to four wrong answers that a capable model could give, each with its figure.
```
"""

import re
from collections.abc import Iterator

from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found

_ASKS = re.compile(r"failure[ _-]?modes?", re.IGNORECASE)


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a template, at its instruction."""
    for template_id, template in spec.templates.items():
        if not _ASKS.search(template.generation_instruction):
            place = spec.places.key_place(spec.template_files[template_id], ("generation_instruction",))
            message = f"the instruction of {template_id} does not ask for expected_failure_modes"
            yield found("ES314", message, place, hint="ask for expected_failure_modes: 2-4 concrete wrong answers")
