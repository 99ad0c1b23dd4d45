"""Paths into JSON: `category`, `citations[0].chunk_id`, `incidents[*].text`."""

import re
from functools import lru_cache
from typing import Any

_STEP = re.compile(r"(?:^|\.)([^.\[\]]+)|\[(\d{1,6}|\*)\]")


class PathError(LookupError):
    """There is nothing at a path, or the path is none. Its text says where it ended."""


def at(value: Any, path: str) -> Any:
    """The value at a dotted path; the whole value where the path is empty.

    `[n]` counts from 0; `[*]` goes on in each item and gives a list, flat where it stands twice. Raises PathError.
    """
    return _walk(value, steps(path), path)


@lru_cache(maxsize=512)
def steps(path: str) -> tuple[str | int | None, ...]:
    """The steps of a path: keys, positions, None for `[*]`. Raises PathError for what is no path."""
    out: list[str | int | None] = []
    place = 0
    while place < len(path):
        match = _STEP.match(path, place)
        if match is None:
            raise PathError(f"'{path}' is not a path")
        key, index = match.groups()
        out.append(key if key is not None else None if index == "*" else int(index))
        place = match.end()
    return tuple(out)


def _walk(value: Any, route: tuple[str | int | None, ...], path: str) -> Any:
    for number, step in enumerate(route):
        if step is None:
            return _each(value, route[number + 1 :], path)
        if isinstance(step, str):
            if not isinstance(value, dict) or step not in value:
                raise PathError(f"there is no '{step}' of '{path}'" if step != path else f"there is no '{path}'")
            value = value[step]
        else:
            if not isinstance(value, list | tuple) or step >= len(value):
                raise PathError(f"there is no [{step}] of '{path}'")
            value = value[step]
    return value


def _each(value: Any, rest: tuple[str | int | None, ...], path: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise PathError(f"there is no list for the [*] of '{path}'")
    found = [_walk(item, rest, path) for item in value]
    return [item for some in found for item in some] if None in rest else found
