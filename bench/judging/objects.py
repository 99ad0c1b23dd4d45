"""The JSON objects in a judge's reply, at its top level alone: none that another one holds or that was cut off.

A judge may quote the answer that it judges, objects and all. So what stands inside an object that never closes is not
looked at, unlike in the replies of generation models, where it may be the reply itself.
"""

import json
import re
from typing import Any

from evalspec.spec.dataclass import dataclass

MAX_CHARS = 1_000_000
"""A longer reply is not read."""
_MARKS = re.compile(r'["{}\[\]#]|//|/\*')
_STRING_END = re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL)
_LINE_END = re.compile(r"[\r\n]|\Z")
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(\s*[}\]])', re.DOTALL)
_CLOSES = {"}": "{", "]": "["}


@dataclass(frozen=True, slots=True)
class Found:
    """The objects of a reply that can be read, in order."""

    objects: tuple[dict[str, Any], ...]
    braces: bool
    """Whether an object began at all."""
    cut: bool
    """Whether one never ended: nothing after its begin was read."""
    rest: str
    """What stands behind the last object."""


def objects_in(text: str) -> Found:
    """Find the objects. Fences, prose, comments, raw line breaks in strings and trailing commas do no harm."""
    found: list[dict[str, Any]] = []
    at, start = 0, text.find("{")
    braces = start >= 0
    while start >= 0:
        stretch = _stretch(text, start)
        if stretch is None:
            return Found(tuple(found), braces, True, "")
        cleaned, at = stretch
        if (value := _loads(cleaned)) is not None:
            found.append(value)
        start = text.find("{", at)
    return Found(tuple(found), braces, False, text[at:])


def _stretch(text: str, start: int) -> tuple[str, int] | None:
    """The object that opens at `start` without its comments, and where it ends; None where it never does."""
    parts: list[str] = []
    open_marks: list[str] = []
    at = kept = start
    while match := _MARKS.search(text, at):
        mark, at = match[0], match.end()
        if mark == '"':
            string = _STRING_END.match(text, at)
            if string is None:
                return None
            at = string.end()
        elif mark in ("#", "//", "/*"):
            parts.append(text[kept : match.start()])
            end = text.find("*/", at) if mark == "/*" else _line_end(text, at)
            if end < 0:
                return None
            kept = at = end + (2 if mark == "/*" else 0)
        elif mark in "{[":
            open_marks.append(mark)
        elif open_marks.pop() != _CLOSES[mark]:
            return "", at
        if not open_marks:
            return "".join([*parts, text[kept:at]]), at
    return None


def _line_end(text: str, at: int) -> int:
    match = _LINE_END.search(text, at)
    return match.start() if match else len(text)


def _loads(text: str) -> dict[str, Any] | None:
    for candidate in (text, _TRAILING_COMMA.sub(lambda match: match[1] or match[2], text)):
        try:
            value = json.loads(candidate, strict=False, object_pairs_hook=_once)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) else None
    return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, unless a key stands in it twice: which of the two is meant cannot be told."""
    out = dict(pairs)
    if len(out) < len(pairs):
        raise ValueError("a key stands twice")
    return out
