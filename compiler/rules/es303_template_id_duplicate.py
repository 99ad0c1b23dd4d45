"""Two templates have one id.

## What it does
Reports the second template with an id, in the order of file names, and names the first.

## Why
A subdimension names its templates by id, and every record carries it.

## Example
```yaml
id: H1     # in templates/H1.yaml
id: H1     # and in templates/H1-copy.yaml
```

## Use instead
```yaml
id: H1     # in templates/H1.yaml
id: H1b    # and in templates/H1b.yaml
```
"""

from evalspec.spec.diagnostic import Diagnostic, Related, found
from evalspec.spec.source import Place


def duplicate_id(name: str, place: Place, first: Place) -> Diagnostic:
    """For the second template with an id."""
    message = f"the id {name} is taken by {first.file}"
    return found("ES303", message, place, hint="give it an id of its own", related=[Related(first, "taken here")])
