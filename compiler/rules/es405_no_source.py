"""No source is enabled.

## What it does
Reports a `source_config.yaml` in which nothing is both enabled and listed: no category, target, interface or corpus
folder.

## Why
Every prompt is made from a passage. Without a source all of them come from the shipped corpus.

## Example
```yaml
corpus:
  enabled: false
```

## Use instead
```yaml
corpus:
  enabled: true
  folders:
    - path: corpus
```
"""

from collections.abc import Iterator

from evalspec.compiler.files import SOURCES_FILE
from evalspec.compiler.meanings import serving
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, found


def check(spec: Spec) -> Iterator[Diagnostic]:
    """One finding, at the file."""
    if spec.clean(SOURCES_FILE) and next(serving(spec), None) is None:
        place = spec.places.place_of(SOURCES_FILE, ())
        hint = "enable one of wikipedia, web_sources, apis or corpus, and list what it is to read"
        yield found("ES405", "no source is enabled", place, hint=hint)
