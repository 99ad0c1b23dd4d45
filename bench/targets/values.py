"""JSON values that come from a target: read within bounds, made sound, and described in a few words."""

import json
from math import isfinite
from typing import Any

from pydantic_core import from_json

MAX_CHARS = 1_000_000
"""Characters that an answer may have in all."""
MAX_DEPTH = 60
"""Lists and mappings within one another that an answer may have."""
MAX_ERROR = 400


class UnfitError(ValueError):
    """An answer, or a value of it, is not what it must be."""


def short(text: str, most: int = MAX_ERROR) -> str:
    """A reason on one line, of at most so many characters."""
    line = " ".join(_text(text[: most * 8]).split())
    return line if len(line) <= most else line[: most - 3] + "..."


def parsed(text: str) -> Any:
    """The JSON value of a text. Raises ValueError."""
    try:
        return from_json(text)
    except ValueError:
        pass
    try:
        return json.loads(text)  # takes a lone surrogate
    except RecursionError:
        raise ValueError("it nests too deep") from None


def sound(value: Any) -> Any:
    """A JSON value within bounds: lone surrogates replaced, numbers that JSON has not as null. Raises UnfitError."""
    left = [MAX_CHARS]
    return _sound(value, 0, left)


def _sound(value: Any, depth: int, left: list[int]) -> Any:
    if depth > MAX_DEPTH:
        raise UnfitError(f"the answer nests deeper than {MAX_DEPTH} levels")
    match value:
        case str():
            return _counted(_text(value), left)
        case bool() | None:
            left[0] -= 4
            return value
        case int():
            return value if abs(value) < 2**63 else float(value) if abs(value) < 2**1000 else None
        case float():
            return value if isfinite(value) else None
        case dict():
            return {_counted(_text(str(k)), left): _sound(v, depth + 1, left) for k, v in value.items()}
        case list() | tuple():
            left[0] -= len(value)
            return [_sound(item, depth + 1, left) for item in value]
    raise UnfitError(f"the answer holds a value of type {type(value).__name__}")


def _counted(text: str, left: list[int]) -> str:
    left[0] -= len(text)
    if left[0] < 0:
        raise UnfitError(f"the answer has over {MAX_CHARS:,} characters")
    return text


def _text(text: str) -> str:
    """Text that UTF-8 can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


def described(value: Any) -> str:
    """A JSON value in a few words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value:g}"
        case str():
            return f"the text {short(value, 40)!r}" if value else "an empty text"
        case list():
            return "a list"
        case _:
            return "an object"
