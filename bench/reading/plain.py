"""Free values of YAML that JSON cannot hold: numbers that are not finite."""

from math import isfinite
from typing import Any

from evalspec.bench.reading.gathered import Gathered
from evalspec.bench.reading.parts import Part
from evalspec.compiler.rules.es105_value_not_allowed import not_allowed
from evalspec.spec.source import YamlPath, render_path


def note_numbers(part: Part, gathered: Gathered) -> None:
    """Report every number that is not finite."""
    for path in _infinite(part.data, ()):
        hint = "write a finite number, or null"
        gathered.add(not_allowed(render_path(path), "is no finite number", part.place(*path), hint))


def _infinite(value: Any, path: YamlPath) -> list[YamlPath]:
    match value:
        case float() if not isfinite(value):
            return [path]
        case dict():
            return [found for key, item in value.items() for found in _infinite(item, (*path, key))]
        case list():
            return [found for index, item in enumerate(value) for found in _infinite(item, (*path, index))]
    return []
