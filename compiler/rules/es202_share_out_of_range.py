"""A share is not a number between 0 and 1.

## What it does
Reports a share that is negative, over 1, or not a finite number.

## Why
A share is a fraction of all records. 25 in place of 0.25 would ask for twenty-five times as many as there are.

## Example
```yaml
domain_split:
  insurance: 25
  banking: 75
```

## Use instead
```yaml
domain_split:
  insurance: 0.25
  banking: 0.75
```
"""

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place


def out_of_range(name: str, raw: str, place: Place) -> Diagnostic:
    """For the share at the rendered path `name`, written as `raw`."""
    return found("ES202", f"{name} is {raw}; a share is between 0 and 1", place, hint=_hint(raw))


def _hint(raw: str) -> str:
    try:
        number = float(raw)
    except ValueError:
        return ""
    return f"write a fraction of 1: {number / 100:.6g}" if 2 <= number <= 100 else ""
