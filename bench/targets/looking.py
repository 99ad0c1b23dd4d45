"""A value within an answer or a case, or the sign that there is none."""

from typing import Any

from evalspec.bench.paths import PathError, at, steps

MISSING: Any = object()
"""What stands where a path leads nowhere; null is a value."""


def look(value: Any, path: str) -> Any:
    """The value at a path, or MISSING."""
    try:
        return at(value, path)
    except PathError:
        return MISSING


def is_path(text: str) -> bool:
    """Whether a text is a path; the empty one is that of the whole."""
    try:
        steps(text)
    except PathError:
        return False
    return True
