"""The arguments of checks: a model a kind, made from its class, and the check that they make."""

import re
import warnings
from dataclasses import MISSING, fields
from functools import lru_cache
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError, create_model

from evalspec.bench import checks as kinds
from evalspec.bench.checks import CheckSpec
from evalspec.bench.reading.references import uses_case
from evalspec.compiler.rules.es103_wrong_type import described
from evalspec.compiler.typed import frozen
from evalspec.spec.model import Model
from evalspec.spec.source import render_path


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


CHECKS: dict[str, type[Any]] = {_snake(kind.__name__): kind for kind in get_args(CheckSpec)}
"""Check key to class: tool_called to ToolCalled."""
KEYS: dict[type[Any], str] = {kind: key for key, kind in CHECKS.items()}


def model_of(kind: type[Any]) -> type[BaseModel]:
    """The model of a check's arguments, made from its class."""
    return _model(KEYS[kind])


@lru_cache(maxsize=64)
def _model(key: str) -> type[BaseModel]:
    kind = CHECKS[key]
    hints = get_type_hints(kind, vars(kinds))
    shape: dict[str, Any] = {}
    for field in fields(kind):
        given = field.default if field.default is not MISSING else ...
        shape[field.name] = (hints[field.name], given)
    with warnings.catch_warnings():  # FitsSchema has a field `schema`, as pydantic once had a method
        warnings.simplefilter("ignore", UserWarning)
        return create_model(f"{kind.__name__}Arguments", __base__=Model, **shape)


def listed(kind: type[Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with a list of one where a text stands and a list of texts is wanted: {tool_called: lookup}."""
    texts = _texts(KEYS[kind])
    return {
        name: [value] if name in texts and isinstance(value, str) and not uses_case(value) else value
        for name, value in arguments.items()
    }


@lru_cache(maxsize=64)
def _texts(key: str) -> frozenset[str]:
    """The arguments that are lists of texts."""
    return frozenset(name for name, hint in get_type_hints(CHECKS[key], vars(kinds)).items() if hint == tuple[str, ...])


def made_of(kind: type[Any], arguments: dict[str, Any]) -> Any:
    """The spec of a check, or in words why the arguments do not fit."""
    model, arguments = model_of(kind), listed(kind, arguments)
    try:
        made = model.model_validate(frozen(arguments))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = render_path(tuple(part for part in first["loc"] if not isinstance(part, str) or part.isidentifier()))
        wrong = first["msg"].replace("Input should be", "must be").replace("valid tuple", "list")
        return f"{path} {wrong[:1].lower()}{wrong[1:]}, found {described(first['input'], str(first['input']))}"
    raw = {name: arguments[name] for name in _free(KEYS[kind]) if name in arguments}
    return kind(**{field.name: raw.get(field.name, getattr(made, field.name)) for field in fields(kind)})


@lru_cache(maxsize=64)
def _free(key: str) -> tuple[str, ...]:
    """The arguments that hold any JSON, and keep their lists."""
    hints = get_type_hints(CHECKS[key], vars(kinds))
    return tuple(name for name, hint in hints.items() if hint is Any or get_origin(hint) is dict)
