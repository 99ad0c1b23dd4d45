"""A passage of the corpus that its own text does not bear out.

## What it does
Reports front matter that cannot be read, a fact whose statement does not stand in the text or whose value does not
stand
in the statement, and parts of a fact that need one another. The passage is named, with the line of the fact.

## Why
The embedded provider quotes statements verbatim. One that is not in the text makes an excerpt that is no excerpt.

## Example
```
statement = "The limit is $7,000."        and the text says "The limit is 7,000 dollars."
```

## Use instead
```
statement = "The limit is 7,000 dollars."
value = "7,000 dollars"
```
"""

import re
from collections.abc import Iterator

from evalspec.compiler.sourcemap import TextLines
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.passage import Passage, faults

_FACT = re.compile(r"fact ([a-z0-9-]+):")
_LINE = re.compile(r"line (\d+)")


def passage_faults(name: str, text: str, passage: Passage) -> Iterator[Diagnostic]:
    """One finding a fault, at the line of the fact's id."""
    lines: TextLines | None = None
    for sentence in faults(passage):
        lines = lines or TextLines(name, text)
        match = _FACT.match(sentence)
        at = re.search(rf"""^id\s*=\s*["']({re.escape(match[1])})["']""", text, re.MULTILINE) if match else None
        start, end = at.span(1) if at else (0, 1)
        yield found("ES404", sentence, lines.place(start, end))


def passage_unread(name: str, text: str, reason: str) -> Diagnostic:
    """For a passage whose front matter cannot be read; it is not used."""
    lines = TextLines(name, text)
    match = _LINE.search(reason)
    number = min(int(match[1]) + ("not TOML" in reason), len(lines.starts)) if match else 1
    start = lines.starts[number - 1]
    place = lines.place(start, start + max(len(lines.line(number)), 1))
    return found("ES404", f"the front matter of {name} cannot be used: {reason}", place)
