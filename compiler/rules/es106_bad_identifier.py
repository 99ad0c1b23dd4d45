"""An id that cannot be an id.

## What it does
Reports ids and names that are not a letter followed by at most 63 letters, digits, underscores or hyphens.

## Why
Ids stand in file names, in columns and in placeholders. An id such as `../../x` would reach out of its folder.

## Example
```yaml
id: ../../x
```

## Use instead
```yaml
id: X1_limits
```
"""

import re

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place


def bad_identifier(name: str, value: str, place: Place) -> Diagnostic:
    """For an id at the rendered path `name`."""
    short = value if len(value) <= 60 else value[:57] + "..."
    message = f"{short!r} cannot be an id ({name})" if name else f"{short!r} cannot be an id"
    return found("ES106", message, place, hint=identifier_hint(value))


def identifier_hint(value: str) -> str:
    """What an id is, with the nearest to `value`."""
    near = re.sub(r"[^A-Za-z0-9_-]+", "_", value).strip("_-")[:64]
    near = near if near[:1].isalpha() else f"x{near}"[:64]
    hint = "an id is a letter followed by letters, digits, _ or -"
    return f"{hint}: {near}" if len(near) > 1 else hint
