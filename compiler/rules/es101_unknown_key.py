"""A key that the language does not have.

## What it does
Reports a key that its section does not know, and names the nearest one that it does.

## Why
A misspelt key that is passed over leaves its default in force, and nobody sees it.

## Example
```yaml
generation_model:
  provider: embedded
  model_name: none
  temprature: 0.2
```

## Use instead
```yaml
generation_model:
  provider: embedded
  model_name: none
  temperature: 0.2
```
"""

from collections.abc import Iterable
from difflib import get_close_matches

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place


def nearest(word: str, words: Iterable[str], likeness: float = 0.6) -> str:
    """The word that was probably meant, or an empty string; `likeness` runs from 0 to 1."""
    known = {known.lower(): known for known in sorted(words)}
    match = get_close_matches(word.lower(), list(known), n=1, cutoff=likeness)
    return known[match[0]] if match else ""


def unknown(key: str, section: str, known: Iterable[str], place: Place) -> Diagnostic:
    """For a key that no section has; `section` is the rendered path of the mapping, empty for the document."""
    names = list(known)
    near = nearest(key, names)
    where = section or "the document"
    hint = f"did you mean {near}?" if near else f"{where} takes {', '.join(names)}"
    return found("ES101", f"{where} has no key {key}", place, hint=hint)
