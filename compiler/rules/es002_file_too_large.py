"""A file is larger than a spec file may be.

## What it does
Reports a YAML file of the spec of more than 1 MiB, and a corpus file of more than 8 MiB, without reading it.

## Why
A config or a template is a page or two. A file of megabytes is a mistake, and reading it would hold up every command.

## Example
```
my-eval/templates/H1.yaml       50 MB: a data set was saved under the name of a template
```

## Use instead
```
my-eval/templates/H1.yaml       the template
my-eval/corpus/texts.md         the texts, named in source_config.yaml under corpus.folders
```
"""

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place


def too_large(name: str, size: int, limit: int) -> Diagnostic:
    """For a file of `size` bytes where `limit` are read."""
    message = f"{name} has {size:,} bytes; at most {limit:,} are read"
    return found("ES002", message, Place(name), hint="texts to draw on belong in a corpus folder, in several files")
