"""What `--target` names: a file of settings, or a target in short form."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast, get_args
from urllib.parse import urlsplit

from pydantic import ValidationError

from evalspec.bench.targets.config import (
    KINDS,
    HttpSettings,
    ProviderSettings,
    PythonSettings,
    TargetConfig,
    TargetSettings,
)
from evalspec.bench.targets.looking import is_path
from evalspec.bench.targets.turns import ROOTS, is_name, names
from evalspec.bench.yamlfile import YamlFile, read_yaml
from evalspec.compiler.document import Document
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.compiler.rules.es102_missing_key import missing
from evalspec.compiler.rules.es105_value_not_allowed import not_allowed
from evalspec.runtime.providers.endpoint import bare
from evalspec.spec.diagnostic import Diagnostic, found, has_errors
from evalspec.spec.generation import ProviderName
from evalspec.spec.source import Place, YamlPath, render_path

SUFFIXES = (".yaml", ".yml")
FORMS = (
    "a YAML file, http://HOST/PATH, python:MODULE:FUNCTION, command:PROGRAM, recorded:FILE.jsonl, PROVIDER:MODEL, "
    "or PROVIDER:MODEL@URL"
)
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_SHORT = re.compile(r"(?P<kind>[a-z]+):(?P<rest>.+)", re.DOTALL)


def read_target(given: str, folder: Path) -> tuple[TargetConfig | None, tuple[Diagnostic, ...]]:
    """The settings of a target, and what is wrong with them; None where that is an error.

    `given` is a YAML file, seen from `folder`, or a short form. Raises nothing.
    """
    short = _short(given, folder)
    if short is not None:
        return short
    path = folder / given
    if not given.lower().endswith(SUFFIXES) and not _is_file(path):
        return None, (_no_target(given),)
    return _read_file(path, given)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _no_target(given: str) -> Diagnostic:
    if re.fullmatch(r"[A-Za-z_][\w./]*:[A-Za-z_]\w*", given):
        hint = f"for a Python function: python:{given}"
    else:
        hint = f"a target is {FORMS}"
    return found("ES730", f"{given[:100]!r} is no file, and no target in short form", Place("--target"), hint=hint)


# -- short forms


def _short(given: str, folder: Path) -> tuple[TargetConfig | None, tuple[Diagnostic, ...]] | None:
    """The target of a short form; None where `given` is none."""
    match = _SHORT.fullmatch(given)
    if match is None:
        return None
    kind, rest = match["kind"], match["rest"].strip()
    data: dict[str, Any]
    match kind:
        case "http" | "https":
            data = {"kind": "http", "url": given}
        case "python":
            module, _, function = rest.rpartition(":")
            data = {"kind": "python", "function": f"{module.removesuffix('.py').replace('/', '.')}:{function}"}
        case "command":
            data = {"kind": "command", "command": rest}
        case "recorded":
            data = {"kind": "recorded", "file": rest}
        case _ if kind in get_args(ProviderName):
            model, at, url = rest.partition("@http")
            named = {"provider": kind, "model_name": model} | ({"base_url": f"http{url}"} if at else {})
            data = {"kind": "provider", "model": named}
        case _:
            return None
    place = Place("--target")
    hint = f"a target is {FORMS}"
    if kind == "python" and not _FUNCTION.fullmatch(data["function"]):
        return None, (found("ES730", f"{given[:100]!r} is no target: write python:MODULE:FUNCTION", place, hint=hint),)
    try:
        settings = cast("TargetSettings", KINDS[data["kind"]].model_validate(data))
    except ValidationError as error:
        shown = bare(given) if "://" in given else given
        return None, (found("ES730", f"{shown[:100]!r} is no target: {_reason(error)}", place, hint=hint),)
    return TargetConfig(settings, folder, place), ()


def _reason(error: ValidationError) -> str:
    entry = error.errors(include_url=False, include_input=False)[0]
    names = [str(part) for part in entry["loc"] if str(part).isidentifier()]  # others are members of a union
    field = names[-1] if names else "it"
    return {
        "url": "the address is not one",
        "base_url": "the address is not one",
    }.get(field, f"{field.replace('_', ' ')} is missing or too long")


# -- files


def _read_file(path: Path, name: str) -> tuple[TargetConfig | None, tuple[Diagnostic, ...]]:
    file = read_yaml(path, name, _hidden)
    if isinstance(file, Diagnostic):
        return None, (file,)
    model = _kind(file, name)
    if isinstance(model, Diagnostic):
        return None, (*file.diagnostics, model)
    instance, diagnostics = file.typed(model)
    if instance is None:
        return None, tuple(diagnostics)
    settings = cast("TargetSettings", instance)
    diagnostics += _faults(settings, file, name)
    place = file.places.key_place(name, ("kind",))
    config = TargetConfig(settings, path.parent, place, lambda at: file.places.place_of(name, at))
    return (None if has_errors(diagnostics) else config), tuple(diagnostics)


def _kind(file: YamlFile, name: str) -> Any:
    """The model of the file's kind, or the finding that it has none."""
    data = file.document.data
    if not isinstance(data, dict):
        return found("ES730", f"{name} holds no settings of a target", Place(name), hint="begin with kind: http")
    kind = data.get("kind")
    if kind is None:
        return missing("kind", "", file.places.place_of(name, ()))
    if not isinstance(kind, str) or kind not in KINDS:
        near = nearest(str(kind), KINDS)
        hint = f"did you mean {near}?" if near else ""
        return not_allowed(
            "kind", f"is {kind}; it may be {', '.join(KINDS)}", file.places.place_of(name, ("kind",)), hint
        )
    return KINDS[kind]


def _hidden(document: Document) -> frozenset[str]:
    """Values of headers, and keys, that are to be shown in no place."""
    data = document.data if isinstance(document.data, dict) else {}
    headers = data.get("headers")
    values = [str(value) for _, value in _held(headers)] if isinstance(headers, dict) else []
    password = urlsplit_password(data.get("url"))
    return frozenset(part for value in (*values, password) for part in value.split() if len(part) > 3)


def urlsplit_password(url: Any) -> str:
    """The password in an address; empty where it holds none."""
    try:
        return urlsplit(url).password or "" if isinstance(url, str) else ""
    except ValueError:
        return ""


def _held(headers: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Headers that hold a key themselves, instead of naming a variable."""
    for key, value in headers.items():
        if _SECRET_HEADER.search(key) and not _VARIABLE.search(str(value)):
            yield key, value


def _faults(settings: TargetSettings, file: YamlFile, name: str) -> list[Diagnostic]:
    """What no model can say: paths, names and headers that cannot be."""
    out = []
    for field, path in settings.map:
        if path is not None and not is_path(path):
            place = file.places.place_of(name, ("map", field))
            out.append(not_allowed(f"map.{field}", f"is {path!r}; a path is written a.b[0].c or a[*].b", place))
    if isinstance(settings, HttpSettings):
        out += [_stranger(at, given, file, name) for at, given in names(settings.body, ("body",)) if not is_name(given)]
        out += [_open_header(key, file, name) for key, _ in _held(settings.headers)]
    if isinstance(settings, PythonSettings) and not _FUNCTION.fullmatch(settings.function):
        problem = f"is {settings.function[:60]!r}; it is written module:function"
        out.append(not_allowed("function", problem, file.places.place_of(name, ("function",))))
    if isinstance(settings, ProviderSettings) and settings.model.provider in ("embedded", "replay"):
        problem = f"is {settings.model.provider}, which fills datasets and answers no chat"
        out.append(not_allowed("model.provider", problem, file.places.place_of(name, ("model", "provider"))))
    return out


def _stranger(path: YamlPath, given: str, file: YamlFile, name: str) -> Diagnostic:
    root = given.partition(".")[0]
    near = "" if root in ROOTS else nearest(root, ROOTS)
    hint = f"did you mean ${near}?" if near else f"there are {', '.join('$' + root for root in ROOTS)}; $$ is a dollar"
    return not_allowed(render_path(path), f"names ${given}, which no turn has", file.places.place_of(name, path), hint)


def _open_header(key: str, file: YamlFile, name: str) -> Diagnostic:
    message = f"the header {key} holds its value in the file"
    hint = f"name a variable of the environment: {key}: ${{MY_TOKEN}}"
    return found("ES732", message, file.places.key_place(name, ("headers", key)), hint=hint)
