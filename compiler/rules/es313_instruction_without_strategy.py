"""An instruction does not ask for the strategy.

## What it does
Reports a generation instruction that speaks of no strategy: neither the word, nor `adversarial_strategy`, nor
`{strategy_definition}`.

## Why
For hard slots the compiled instruction always carries the strategy's definition. An instruction that says how the
strategy is to show in this kind of prompt makes better ones.

## Example
```yaml
generation_instruction: |
  Write a question on: {scraped_content}
```

## Use instead
```yaml
generation_instruction: |
  Write a question on: {scraped_content}
  For a hard question apply the strategy {adversarial_strategy} ({strategy_definition}) and return its name as
  adversarial_strategy.
```
"""

import re
from collections.abc import Iterator

from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found

_ASKS = re.compile(r"strat[eé]g|estrateg", re.IGNORECASE)


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding a template, at its instruction."""
    for template_id, template in spec.templates.items():
        if not _ASKS.search(template.generation_instruction):
            place = spec.places.key_place(spec.template_files[template_id], ("generation_instruction",))
            message = f"the instruction of {template_id} does not ask for the strategy of hard prompts"
            yield found("ES313", message, place, hint="say how {adversarial_strategy} is to show in the prompt")
