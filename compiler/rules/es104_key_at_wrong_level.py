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
    """For a key found in `section` that stands elsewhere: `homes` are phrases such as "in dataset"."""
    here = f"in {section}" if section else "at the top of the document"
    return found("ES104", f"{key} does not belong {here}", place, hint=f"it belongs {' or '.join(homes)}")
