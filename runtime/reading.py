"""From a raw reply to the object in it, however it is wrapped; what was cut off is never made whole."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from pydantic_core import from_json

MAX_CHARS = 1_000_000
"""A longer reply is not read."""
_CANDIDATES = 40
_MARKS = re.compile(r'["{}\[\]]')
_STRING_END = re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(\s*[}\]])', re.DOTALL)


class ReadError(ValueError):
    """The reply holds no object that can be used; the message is quoted to the model."""


def read_reply(text: str, fits: Callable[[Any], bool]) -> dict[str, Any]:
    """The object of a reply: the first complete one that `fits`, else the first complete one. Raises ReadError.

    Prose, fences and further objects around it are passed over, and trailing commas are dropped.
    """
    if len(text) > MAX_CHARS:
        raise ReadError(f"the reply has {len(text):,} characters, at most {MAX_CHARS:,} are read")
    bare = text.strip().lstrip("\ufeff")
    if not bare:
        raise ReadError("the reply is empty")
    whole, value = _loads(bare)
    if whole and isinstance(value, dict):
        return value
    first: dict[str, Any] | None = None
    for candidate, inside in _objects(bare):
        good, found = _loads(candidate)
        if not good:
            good, found = _loads(_TRAILING_COMMA.sub(lambda m: m[1] or m[2], candidate))
        if good and isinstance(found, dict):
            if fits(found):
                return found
            first = first if inside else (first or found)
    if first is not None:
        return first
    if whole:
        kind = (
            "null"
            if value is None
            else {list: "a list", str: "a string", bool: "a boolean"}.get(type(value), "a number")
        )
        raise ReadError(f"the reply is {kind}, not an object")
    raise ReadError("the reply holds no complete JSON object")


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse)


def _loads(text: str) -> tuple[bool, Any]:
    try:
        return True, from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError):  # no control character in a text, no deep nesting; TypeError: a lone surrogate
        pass
    try:
        return True, _DECODER.decode(text)
    except (ValueError, RecursionError):
        return False, None


def _objects(text: str) -> Iterator[tuple[str, bool]]:
    """Stretches from `{` to the brace that closes it, and whether an earlier brace that never closes may hold it."""
    at, inside = 0, False
    for _ in range(_CANDIDATES):
        start = text.find("{", at)
        if start < 0:
            return
        end = _closing(text, start)
        if end is None:
            at, inside = start + 1, True
        else:
            yield text[start:end], inside
            at = end


def _closing(text: str, start: int) -> int | None:
    """Where the object that opens at `start` ends, exclusive; None where it never does."""
    open_marks: list[str] = []
    at = start
    while match := _MARKS.search(text, at):
        mark, at = match[0], match.end()
        if mark == '"':
            string = _STRING_END.match(text, at)
            if string is None:
                return None
            at = string.end()
        elif mark in "{[":
            open_marks.append(mark)
        elif open_marks.pop() != {"}": "{", "]": "["}[mark]:
            return None
        if not open_marks:
            return at
    return None
