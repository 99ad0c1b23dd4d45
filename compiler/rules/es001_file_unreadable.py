"""A file of the spec cannot be read, or is a folder.

## What it does
Reports a file of the spec folder that the system does not let evalspec read, that is a folder or a device in the
place of a file, and a corpus folder that is not there.

## Why
A file that is passed over in silence changes the dataset: its template is missing, or its texts are.

## Example
```
my-eval/templates/H1.yaml/      (a folder with the name of a file)
```

## Use instead
```
my-eval/templates/H1.yaml       (a file that you may read)
```
"""

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place


def no_file(name: str, is_folder: bool) -> Diagnostic:
    """For a name that is there and is no file."""
    what = "a folder" if is_folder else "not a regular file"
    return found("ES001", f"{name} is {what}", Place(name), hint="put a YAML file in its place, or rename it")


def unreadable(name: str, error: OSError) -> Diagnostic:
    """For a file that the system does not give."""
    return found("ES001", f"{name} cannot be read: {error.strerror or type(error).__name__}", Place(name))


def corpus_folder_missing(path: str, reason: str, place: Place) -> Diagnostic:
    """For a corpus folder that is not there or cannot be listed; `place` is where the spec names it."""
    hint = "the path is relative to the spec folder"
    return found("ES001", f"the corpus folder {path} cannot be read: {reason}", place, hint=hint)
