"""A plain value that other YAML readers take for something else.

## What it does
Reports unquoted values that YAML 1.1 reads differently: `NO`, `yes` and `on` (truth values), `012` (octal), `12:30:45`
(base 60), `1_000`, `2024-01-01` (a date), `1e3` (text there).

## Why
evalspec reads them as YAML 1.2 does, so Norway stays `NO`. The next tool that reads the file may not.

## Example
```yaml
geography_split:
  SE: 0.5
  NO: 0.5
```

## Use instead
```yaml
geography_split:
  SE: 0.5
  "NO": 0.5
```
"""

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place


def ambiguous(text: str, elsewhere: str, place: Place) -> Diagnostic:
    """For a plain scalar that YAML 1.1 reads as `elsewhere`."""
    message = f"{text} is read here as YAML 1.2 does; other readers take it for {elsewhere}"
    return found("ES107", message, place, hint=f'if it is text, put it in quotes: "{text}"; else write it plainly')
