"""A key that belongs in another section.

## What it does
Reports a key that its section does not know and another one does, and names that one.

## Why
It is the most common slip of an indented language: the key is right and its place is not.

## Example
```yaml
dataset:
  target_total: 300
  temperature: 0.2
```

## Use instead
```yaml
generation_model:
  provider: embedded
  model_name: none
  temperature: 0.2
dataset:
  target_total: 300
```
"""

from collections.abc import Sequence

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place


def wrong_level(key: str, section: str, homes: Sequence[str], place: Place) -> Diagnostic:
    """For a key found in `section` whose sections are `homes`."""
    here = section or "the top of the document"
    message = f"{key} does not belong in {here}"
    return found("ES104", message, place, hint=f"it belongs in {' or '.join(homes)}")
