"""plan.json on disk: canonical on writing, checked on reading."""

import json
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.plan import FORMAT_VERSION, Plan
from evalspec.spec.source import Place
from evalspec.spec.writing import write_atomically

PLAN_NAME = "plan.json"


class PlanError(Exception):
    """plan.json cannot be used; `diagnostics` say why."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__(diagnostics[0].message)
        self.diagnostics = diagnostics


def plan_schema() -> dict[str, Any]:
    """The JSON Schema of plan.json as the models define it (draft 2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Plan.model_json_schema(mode="serialization"),
    }


@lru_cache(maxsize=1)
def published_schema() -> dict[str, Any]:
    """The JSON Schema that ships with the package."""
    text = files("evalspec.spec").joinpath("schemas/plan.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def encode(plan: Plan) -> bytes:
    """The one way to write a plan: sorted keys, one space of indent, UTF-8, a newline at the end."""
    return (_canonical(plan.model_dump(mode="json"), "\n") + "\n").encode("utf-8")


def _canonical(value: Any, newline: str) -> str:
    """A value as JSON; what `json.dumps` with an indent writes, in half its time."""
    inner = newline + " "
    match value:
        case str():
            return encode_basestring(value)
        case None:
            return "null"
        case True | False:
            return "true" if value else "false"
        case dict() if value:
            entries = [key + _canonical(value[name], inner) for name, key in _sorted_keys(tuple(value))]
            return f"{{{inner}{f',{inner}'.join(entries)}{newline}}}"
        case list() if value:
            return f"[{inner}{f',{inner}'.join([_canonical(item, inner) for item in value])}{newline}]"
    return json.dumps(value, allow_nan=False)


@lru_cache(maxsize=256)
def _sorted_keys(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """The names of an object in order, each with what is written before its value."""
    return [(name, f"{encode_basestring(name)}: ") for name in sorted(names)]


def write(plan: Plan, path: Path) -> None:
    """Write to a temporary name beside `path`, then rename. Raises OSError."""
    write_atomically(path, encode(plan))


def read(path: Path) -> Plan:
    """Read and check a plan. Raises PlanError with diagnostics of ES506 or ES507."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PlanError([_unreadable(path, f"cannot read {path}: {error.strerror}")]) from None
    try:
        plan = Plan.model_validate_json(content)
    except ValidationError as error:
        raise PlanError(_faults_in(content, path, error)) from None
    if plan.format_version != FORMAT_VERSION:
        raise PlanError([_other_version(path, plan.format_version)])
    plan.__dict__["digest"] = sha256(content).hexdigest()
    return plan


def _faults_in(content: bytes, path: Path, refused: ValidationError) -> list[Diagnostic]:
    """Why a file is no plan: what it is at all first, then what the model refuses of it."""
    try:
        data = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        return [_unreadable(path, f"{path} is not UTF-8 text")]
    except json.JSONDecodeError as error:
        place = Place(str(path), error.lineno, error.colno, error.lineno, error.colno + 1)
        return [found("ES506", f"{path} is not JSON: {error.msg}", place, hint=_HINT)]
    except RecursionError:
        return [_unreadable(path, f"{path} is no plan: it nests too deep")]
    version = data.get("format_version") if isinstance(data, dict) else None
    if version != FORMAT_VERSION:
        return [_other_version(path, version)]
    # the schema is the model's own: what the model takes needs no second look, twenty times as long
    first = refused.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    said = [_unreadable(path, f"{path} is not a plan at {where}: {first['msg']}")]
    return list(_schema_faults(data, path)) or said


def _other_version(path: Path, version: object) -> Diagnostic:
    message = f"{path} has plan format {version!r}, this evalspec reads {FORMAT_VERSION}"
    return found("ES507", message, Place(str(path)), hint=_HINT)


_HINT = "compile the spec again: evalspec compile"


def _unreadable(path: Path, message: str) -> Diagnostic:
    return found("ES506", message, Place(str(path)), hint=_HINT)


def _schema_faults(data: Any, path: Path) -> Iterator[Diagnostic]:
    """The first few faults against the published schema, by jsonschema."""
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(published_schema())
    for count, error in enumerate(validator.iter_errors(data)):
        if count == 10:
            return
        where = ".".join(str(part) for part in error.absolute_path) or "the document"
        yield _unreadable(path, f"{path} is not a plan at {where}: {error.message[:200]}")
