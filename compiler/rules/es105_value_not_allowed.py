"""A value outside those that its key allows.

## What it does
Reports a value of the right type that is none of those allowed: a provider that does not exist, a temperature over 2,
an empty text, a version that is no three numbers, an output folder outside the spec folder or over its work.

It is a warning where a plan can be made all the same: a label or source for a domain that the spec does not have, a
licence or task category that the Hub does not know, a corpus outside the spec folder.

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

from dataclasses import replace

from evalspec.spec.diagnostic import Diagnostic, Severity, found
from evalspec.spec.source import Place


def not_allowed(
    name: str, problem: str, place: Place, hint: str = "", severity: Severity = Severity.ERROR
) -> Diagnostic:
    """For the value at the rendered path `name`; `problem` completes the sentence that starts with it.

    A warning where a plan can be made all the same.
    """
    return replace(found("ES105", f"{name} {problem}", place, hint=hint), severity=severity)
