"""References of a check to its case: `$expected.category`, `$input.text`, and with `?` at the end where it may lack."""

import re
from functools import lru_cache
from typing import Any

from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.source import YamlPath

_REFERENCE = re.compile(r"\$(expected|input)((?:\.[^.\[\]?]+|\[[0-9]+\])*)(\?)?")
_STEP = re.compile(r"\.([^.\[\]]+)|\[([0-9]+)\]")


class MissingError(LookupError):
    """A reference to what the case does not hold; `reached` is the path as far as it goes."""

    def __init__(self, written: str, reached: YamlPath, near: str, optional: bool) -> None:
        super().__init__(written)
        self.written, self.reached, self.near, self.optional = written, reached, near, optional


def uses_case(value: Any) -> bool:
    """Whether a value holds a reference."""
    match value:
        case str():
            return _REFERENCE.fullmatch(value) is not None
        case dict():
            return any(uses_case(item) for item in value.values())
        case list() | tuple():
            return any(uses_case(item) for item in value)
    return False


def resolve(value: Any, case: Any) -> tuple[Any, YamlPath | None]:
    """A value with its references replaced, and the path of the first of them. Raises MissingError.

    A text that begins with `$$` stands for itself with one `$`.
    """
    match value:
        case str():
            match = _REFERENCE.fullmatch(value) if value.startswith("$") else None
            if match is None:
                return (value[1:] if value.startswith(("$$expected", "$$input")) else value), None
            return _follow(match, case)
        case dict():
            resolved = {key: resolve(item, case) for key, item in value.items()}
            return {key: item for key, (item, _) in resolved.items()}, _first(p for _, p in resolved.values())
        case list() | tuple():
            listed = [resolve(item, case) for item in value]
            return [item for item, _ in listed], _first(path for _, path in listed)
    return value, None


def _first(paths: Any) -> YamlPath | None:
    return next((path for path in paths if path is not None), None)


def _inside(value: Any, step: Any) -> Any:
    if not isinstance(value, dict | list):
        raise KeyError(step)
    return value[step]


def _follow(match: re.Match[str], case: Any) -> tuple[Any, YamlPath]:
    written = match[0].removesuffix("?")
    path: YamlPath = ()
    value = case
    for step in _steps(match[1], match[2]):
        try:
            value = _inside(value, step)
        except (KeyError, IndexError, TypeError):
            near = nearest(str(step), [str(key) for key in value]) if isinstance(value, dict) else ""
            raise MissingError(written, path, near, match[3] is not None) from None
        path = (*path, step)
    return value, path


@lru_cache(maxsize=1024)
def _steps(root: str, rest: str) -> tuple[str | int, ...]:
    return (root, *(int(index) if index else name for name, index in _STEP.findall(rest)))
