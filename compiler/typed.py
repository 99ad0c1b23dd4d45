"""From a document to its model, as far as it goes: what is faulty is reported, dropped, and remembered as lost."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from evalspec.compiler.document import Document
from evalspec.compiler.errors import Error, errors_of
from evalspec.compiler.refusals import Refusals
from evalspec.compiler.sourcemap import SourceMap
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.source import YamlPath

M = TypeVar("M", bound=BaseModel)
_ROUNDS = 6
_STAND_INS: dict[str, Any] = {
    **dict.fromkeys(("dimension", "subdimension", "id"), "unknown"),
    **dict.fromkeys(("target_total", "target_count", "min", "max"), 1),
    **dict.fromkeys(("input_per_million", "output_per_million", "min_passing_score"), 0),
    **dict.fromkeys(("url", "base_url"), "https://unknown.invalid/"),
    "generation_model": {"provider": "embedded", "model_name": "unknown"},
    "provider": "embedded",
    "dataset": {"target_total": 1},
    "domain_split": {"unknown": 1.0},
    "dimension_split": {"unknown": 1},
    "templates": ["unknown"],
    "scale": [0, 1],
    "fields": {},
}
"""What stands in for a required key that is missing or faulty, so that the rest of its file can be judged."""


def typed(document: Document, model: type[M], places: SourceMap) -> tuple[M | None, list[Diagnostic], set[YamlPath]]:
    """The model of a document, the diagnostics of what it refuses, and the paths that were lost.

    The model is None where too much is missing for anything to be judged.
    """
    data = _copied(document.data)
    lost = set(document.lost)
    refusals = Refusals(document, model, places)
    diagnostics: list[Diagnostic] = []
    for _ in range(_ROUNDS):
        tuples = frozen(data)
        try:
            return model.model_validate(tuples), diagnostics, lost
        except ValidationError as error:
            errors = list(errors_of(error.errors(include_url=False), tuples))
        fresh = [error for error in errors if not _under(error.path, lost)]
        diagnostics += refusals.diagnostics(fresh)
        for entry in errors:
            _mend(data, entry, lost)
    return None, diagnostics, lost


def _under(path: YamlPath, lost: set[YamlPath]) -> bool:
    return any(path[: len(known)] == known for known in lost)


def _mend(data: Any, error: Error, lost: set[YamlPath]) -> None:
    """Make one error go away: fill in what is missing, drop what is faulty."""
    path = error.path
    if error.kind == "missing":
        lost.add(path)
        holder = _holder(data, path)
        if isinstance(holder, dict):
            holder[path[-1]] = _copied(_STAND_INS.get(str(path[-1]), "?"))
    elif error.kind == "extra_forbidden":
        _drop(data, path)
    else:
        lost.add(_drop(data, path))


def _holder(data: Any, path: YamlPath) -> Any:
    for part in path[:-1]:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _drop(data: Any, path: YamlPath) -> YamlPath:
    """Remove the value at a path, or the list that it is an entry of; the path of what was removed."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    holder = _holder(data, path)
    if path and isinstance(holder, dict):
        holder.pop(str(path[-1]), None)
    return path


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return value


def frozen(value: Any) -> Any:
    """Lists as tuples, which is what strict models take."""
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(frozen(item) for item in value)
    return value
