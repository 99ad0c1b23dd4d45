"""A file holds nothing.

## What it does
Reports a file of the spec that is empty, or holds only comments.

## Why
It is there to say something. A file cut off while it was saved looks just like this.

## Example
```yaml
# H1: to be written
```

## Use instead
Write the template, or remove the file.
"""

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place


def empty(name: str, text: str) -> Diagnostic:
    """For a file without a value."""
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    comments = "holds only comments" if all(line.startswith("#") for line in lines) else "holds no value"
    what = comments if lines else "is empty"
    return found("ES008", f"{name} {what}", Place(name), hint="write it, or remove the file")
