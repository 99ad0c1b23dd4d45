"""A value is not of the type that its key wants.

## What it does
Reports text where a number is wanted, a number where text is wanted, one value where a list is wanted, and so on.
Values
are read as YAML 1.2 does: `1.10` is a number, `NO` is text, `0.25` in quotes is text, `25%` is text.

## Why
A converted value is a guess: a version 1.10 that was read as a number is 1.1.

## Example
```yaml
dataset:
  version: 1.10
domain_split:
  banking: 25%
```

## Use instead
```yaml
dataset:
  version: "1.10.0"
domain_split:
  banking: 0.25
```
"""

import re
from typing import Any

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?%")
_COMMA = re.compile(r"[-+]?(?:0,[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,}))")
_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?")


def wrong_type(name: str, wanted: str, value: Any, raw: str, place: Place, hint: str = "") -> Diagnostic:
    """For a value at the rendered path `name`; `raw` is how it is written in the file.

    Without a hint of the caller's, one is made from the value.
    """
    message = f"{name or 'the document'} wants {wanted}, found {described(value, raw)}"
    return found("ES103", message, place, hint=hint or _hint(wanted, value, raw))


def described(value: Any, raw: str) -> str:
    """A value in words."""
    short = raw if len(raw) <= 60 else raw[:57] + "..."
    match value:
        case None:
            return "nothing"
        case bool():
            return f"the truth value {short}"
        case int() | float():
            return f"the number {short}"
        case str():
            return f"the text {short!r}" if "\n" not in short else "a text"
        case list() | tuple():
            return "a list"
        case _:
            return "a mapping"


def _hint(wanted: str, value: Any, raw: str) -> str:
    if value is None:
        return "write a value, or take the key out"
    if isinstance(value, dict):
        return _mapping_hint(wanted, raw)
    if isinstance(value, list | tuple):
        return "write `name: value` lines without dashes" if wanted == "a mapping" and raw[:1] == "-" else ""
    if isinstance(value, str):
        if wanted.startswith("a list"):
            return "write a list: [" + raw[:60] + "]"
        return _number_hint(wanted, value)
    if isinstance(value, bool | int | float) and "text" in wanted:
        return f'put it in quotes to make it text: "{raw}"'
    if isinstance(value, float) and value.is_integer() and "whole" in wanted:
        return f"write {int(value)}"
    return ""


def _mapping_hint(wanted: str, raw: str) -> str:
    if wanted.startswith("a list"):
        return "begin each entry with a dash"
    if "text" in wanted and raw[:1] == "{":
        return "a text that begins with { needs quotes, or a block (|)"
    return ""


def _number_hint(wanted: str, value: str) -> str:
    if "number" in wanted:
        if percent := _PERCENT.fullmatch(value):
            return f"write a fraction of 1: {float(percent[1]) / 100:.6g}"
        if _NUMBER.fullmatch(value):
            return f"write it without quotes: {value}"
        if _COMMA.fullmatch(value) and "whole" not in wanted:
            return f"write a point: {value.replace(',', '.')}"
        if _NUMBER.fullmatch(value.replace("_", "").replace(",", "")):
            return f"write it without separators: {value.replace('_', '').replace(',', '')}"
    if wanted == "true or false":
        return "only true and false are truth values"
    return ""
