"""Pydantic's errors by their path in the document: of a union the branch that fits, and of one fault one error."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from evalspec.spec.dataclass import dataclass
from evalspec.spec.source import YamlPath


@dataclass(frozen=True, slots=True)
class Error:
    """One error of pydantic with its path in the document; `key` where the fault is a key and not its value."""

    kind: str
    path: YamlPath
    value: Any
    context: Mapping[str, Any]
    key: bool = False
    wanted: tuple[str, ...] = field(default=())


def errors_of(raw: list[Any], data: Any) -> Iterator[Error]:
    """Pydantic's errors by path: of a union only the branch that fits the value, or one error for all."""
    refused: dict[YamlPath, list[str]] = {}
    kept: set[YamlPath] = set()
    out: list[Error] = []
    for entry in raw:
        path, labels, is_key = _walk(entry["loc"], data, entry["type"] == "missing")
        fits = all(_fits(label, _at(data, at)) for at, label in labels)
        for at, label in labels:
            if _fits(label, _at(data, at)):
                kept.add(at)
            else:
                refused.setdefault(at, []).append(label)
        if fits:
            out.append(Error(entry["type"], path, entry["input"], entry.get("ctx", {}), is_key))
    for error in out:
        # pydantic counts only sound entries, so a list with a faulty one can be "too short" as well
        if error.kind != "too_short" or not any(_inside(other.path, error.path) for other in out):
            yield error
    for at, labels_at in refused.items():
        if at not in kept:
            wanted = tuple(dict.fromkeys(_label_words(label) for label in labels_at))
            yield Error("union", at, _at(data, at), {}, False, wanted)


def _walk(
    loc: tuple[str | int, ...], data: Any, ends_missing: bool
) -> tuple[YamlPath, list[tuple[YamlPath, str]], bool]:
    path: YamlPath = ()
    labels: list[tuple[YamlPath, str]] = []
    current = data
    for index, part in enumerate(loc):
        if part == "[key]":
            return path, labels, True
        if part in _steps(current):
            current, path = current[part], (*path, part)
        elif ends_missing and index == len(loc) - 1:
            path = (*path, part)
        elif isinstance(part, str):
            labels.append((path, part))
    return path, labels, False


def _steps(value: Any) -> Iterable[str | int]:
    """The keys or positions of a value."""
    if isinstance(value, dict):
        return value.keys()
    return range(len(value)) if isinstance(value, tuple) else ()


def _inside(path: YamlPath, outer: YamlPath) -> bool:
    return len(path) > len(outer) and path[: len(outer)] == outer


def _at(data: Any, path: YamlPath) -> Any:
    for part in path:
        data = data[part]
    return data


def _fits(label: str, value: Any) -> bool:
    match value:
        case bool():
            return label == "bool"
        case str():
            return "str" in label and not label.startswith(("tuple", "dict", "list"))
        case tuple():
            return label.startswith("tuple")
        case dict():
            return label.startswith("dict") or label[:1].isupper()
        case int() | float():
            return label in ("int", "float")
    return False


def _label_words(label: str) -> str:
    if label.startswith("tuple"):
        return "a list of texts"
    if label.startswith("dict") or label[:1].isupper():
        return "a mapping"
    return "true or false" if label == "bool" else "text"
