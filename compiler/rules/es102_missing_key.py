"""A key that must be there is not.

## What it does
Reports a section without a key that has no default.

## Why
There is no value that would be right for everyone: which model, how many records, which dimension.

## Example
```yaml
dataset:
  seed: 42
```

## Use instead
```yaml
dataset:
  target_total: 300
  seed: 42
```
"""

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place


def missing(key: str, section: str, place: Place) -> Diagnostic:
    """For a required key; `place` is that of the mapping that lacks it."""
    return found("ES102", f"{section or 'the document'} lacks the key {key}", place)
