"""A value outside those that its key allows.

## What it does
Reports a value of the right type that is none of those allowed: a provider that does not exist, a temperature over 2,
an empty text, a version that is no three numbers.

## Why
Each later stage may rely on it.

## Example
```yaml
dataset:
  mode: refresh
```

## Use instead
```yaml
dataset:
  mode: full_refresh
```
"""

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place


def not_allowed(name: str, problem: str, place: Place, hint: str = "") -> Diagnostic:
    """For the value at the rendered path `name`; `problem` completes the sentence that starts with it."""
    return found("ES105", f"{name} {problem}", place, hint=hint)
