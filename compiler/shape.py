"""The shape of the language: which keys a section takes, read from the models of `evalspec.spec`."""

from collections.abc import Iterator
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from evalspec.spec.source import YamlPath

Shape = type[BaseModel]


def model_at(model: Shape, path: YamlPath) -> Shape | None:
    """The model of the mapping at a path; None where a mapping with free keys, a list or a scalar stands there."""
    shapes: list[Any] = [model]
    for part in path:
        shapes = [inner for shape in shapes for inner in _inside(shape, part)]
    found = [shape for outer in shapes for shape in _alternatives(outer) if _is_model(shape)]
    return found[0] if found else None


def keys_of(model: Shape) -> list[str]:
    """The keys that a section takes, in the order of the model."""
    return list(model.model_fields)


@lru_cache(maxsize=8)
def homes(model: Shape) -> dict[str, tuple[str, ...]]:
    """Every key of a file, and the sections that take it as users write them; the top is the empty string."""
    out: dict[str, list[str]] = {}
    for section, key in _walk(model, "", 0):
        out.setdefault(key, []).append(section)
    return {key: tuple(dict.fromkeys(sections)) for key, sections in out.items()}


def pattern_at(model: Shape, path: YamlPath) -> str:
    """The pattern that a text at a path must have; empty where there is none."""
    shapes: list[Any] = [model]
    for part in path[:-1]:
        shapes = [inner for shape in shapes for inner in _inside(shape, part)]
    for option in (option for shape in shapes for option in _alternatives(shape)):
        if _is_model(option) and path[-1] in option.model_fields:
            metadata: Any = option.model_fields[str(path[-1])].metadata
        else:
            metadata = next((getattr(inner, "__metadata__", ()) for inner in _inside(option, path[-1])), ())
        for entry in metadata:
            if pattern := getattr(entry, "pattern", None):
                return str(pattern)
    return ""


def _walk(shape: Any, at: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > 8:
        return
    for option in _alternatives(shape):
        if _is_model(option):
            for key, info in option.model_fields.items():
                yield at, key
                yield from _walk(info.annotation, f"{at}.{key}" if at else key, depth + 1)
        elif get_origin(option) is dict:
            yield from _walk(get_args(option)[1], f"{at}.<name>", depth + 1)
        elif get_origin(option) is tuple:
            yield from _walk(get_args(option)[0], f"{at}[]", depth + 1)


def _inside(shape: Any, part: str | int) -> Iterator[Any]:
    for option in _alternatives(shape):
        if _is_model(option) and part in option.model_fields:
            yield option.model_fields[str(part)].annotation
        elif get_origin(option) is dict and isinstance(part, str):
            yield get_args(option)[1]
        elif get_origin(option) is tuple and isinstance(part, int):
            yield get_args(option)[0]


def _alternatives(shape: Any) -> Iterator[Any]:
    origin = get_origin(shape)
    if origin is Annotated:
        yield from _alternatives(get_args(shape)[0])
    elif origin is Union or origin is UnionType:
        for option in get_args(shape):
            yield from _alternatives(option)
    else:
        yield shape


def _is_model(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, BaseModel)
