"""What pydantic refuses, said in the language of the spec: one diagnostic an error, at its place."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalspec.compiler.document import Document
from evalspec.compiler.model import CONFIG_FILE, SOURCES_FILE
from evalspec.compiler.rules.es101_unknown_key import nearest, unknown
from evalspec.compiler.rules.es102_missing_key import missing
from evalspec.compiler.rules.es103_wrong_type import described, wrong_type
from evalspec.compiler.rules.es104_key_at_wrong_level import wrong_level
from evalspec.compiler.rules.es105_value_not_allowed import not_allowed
from evalspec.compiler.rules.es106_bad_identifier import bad_identifier
from evalspec.compiler.rules.es202_share_out_of_range import out_of_range
from evalspec.compiler.rules.es302_negative_example_incomplete import incomplete
from evalspec.compiler.shape import Shape, homes, keys_of, model_at
from evalspec.compiler.sourcemap import SourceMap
from evalspec.compiler.tree import Leaf
from evalspec.spec.config import GenerationConfig, SourceConfig
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.model import IDENTIFIER
from evalspec.spec.source import YamlPath, render_path

SPLITS = ("domain_split", "difficulty_split", "geography_split")
_WANTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "string_type": "text",
    "string_unicode": "text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "mapping_type": "a mapping",
}
_PATTERNS = {
    r"^\d+\.\d+\.\d+$": "three numbers with dots, such as 1.0.0",
    r"^[A-Z]{3}$": "a currency of three capitals, such as USD",
    r"^\d{4}-\d{2}(-\d{2})?$": "a date such as 2024-12 or 2024-12-31",
    r"^[A-Za-z_][A-Za-z0-9_]*$": "the name of an environment variable",
    r"^https?://[^\s]+$": "an address that starts with http:// or https://",
    r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$": "a language tag such as en or fr-CA",
}


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


class Refusals:
    """Turns the errors of one document into diagnostics."""

    def __init__(self, document: Document, model: Shape, places: SourceMap) -> None:
        self.document, self.model, self.places = document, model, places

    def diagnostics(self, errors: list[Error]) -> Iterator[Diagnostic]:
        """One diagnostic an error, but for a missing key whose misspelling is reported."""
        absent = {error.path for error in errors if error.kind == "missing"}
        meant: set[YamlPath] = set()
        for error in errors:
            if error.kind == "extra_forbidden":
                diagnostic, near = self._unknown(error.path)
                meant |= {(*error.path[:-1], near)} & absent
                yield diagnostic
        for error in errors:
            if error.kind == "missing" and error.path not in meant:
                yield self._missing(error.path)
            elif error.kind not in ("missing", "extra_forbidden"):
                yield self._refused(error)

    def _unknown(self, path: YamlPath) -> tuple[Diagnostic, str]:
        key, section = str(path[-1]), path[:-1]
        place = self.places.key_place(self.document.file, path)
        shape = model_at(self.model, section)
        known = keys_of(shape) if shape else []
        here = render_path(section)
        elsewhere = [_where(home) for home in homes(self.model).get(key, ()) if home != _generic(section)]
        elsewhere = elsewhere or self._other_file(key)
        if elsewhere:
            return wrong_level(key, here, elsewhere[:3], place), ""
        return unknown(key, here, known, place), nearest(key, known)

    def _other_file(self, key: str) -> list[str]:
        others: tuple[tuple[Shape, str], ...] = ((GenerationConfig, CONFIG_FILE), (SourceConfig, SOURCES_FILE))
        return [_where(name) for model, name in others if model is not self.model and key in model.model_fields]

    def _missing(self, path: YamlPath) -> Diagnostic:
        key, section = str(path[-1]), path[:-1]
        place = self.places.key_place(self.document.file, section)
        if section[:1] == ("negative_examples",):
            return incomplete(key, render_path(section), place)
        return missing(key, render_path(section), place)

    def _refused(self, error: Error) -> Diagnostic:
        file, path, kind = self.document.file, error.path, error.kind
        name = render_path(path)
        place = (self.places.key_place if error.key else self.places.place_of)(file, path)
        if path[:1] == ("negative_examples",) and len(path) == 3 and _empty(error):
            return incomplete(str(path[-1]), render_path(path[:-1]), self.places.key_place(file, path))
        if error.key:
            return self._bad_key(error)
        if kind == "string_pattern_mismatch" and error.context["pattern"] == IDENTIFIER:
            return bad_identifier(name, error.value, place)
        wanted = " or ".join(error.wanted) if kind == "union" else _WANTED.get(kind, "")
        if wanted or kind.endswith("_type"):
            return wrong_type(name, wanted or "another type", error.value, self._raw(path), place)
        if path[0] in SPLITS and len(path) == 2:
            return out_of_range(name, self._raw(path), place)
        problem, hint = _limits(error, self._raw(path))
        return not_allowed(name or "the document", problem, place, hint)

    def _bad_key(self, error: Error) -> Diagnostic:
        place = self.places.key_place(self.document.file, error.path)
        if error.kind == "literal_error":
            key = str(error.path[-1])
            problem, hint = _limits(error, key)
            return not_allowed(
                render_path(error.path[:-1]), f"has the key {key}; {problem.partition('; ')[2]}", place, hint
            )
        return bad_identifier(render_path(error.path[:-1]), str(error.path[-1]), place)

    def _raw(self, path: YamlPath) -> str:
        node = self.document.nodes.get(path)
        return node.text if isinstance(node, Leaf) else ""


def _empty(error: Error) -> bool:
    return error.value is None or error.kind == "string_too_short"


def _generic(section: YamlPath) -> str:
    """A section as `homes` names it."""
    out = ""
    for index, part in enumerate(section):
        if isinstance(part, int):
            out += "[]"
        elif index == 1 and section[0] in ("subdimensions", "strategies", "rubrics"):
            out += ".<name>"
        else:
            out += f".{part}" if out else part
    return out


def _where(home: str) -> str:
    return f"in {home}" if home else "at the top of the document"


def _limits(error: Error, raw: str) -> tuple[str, str]:
    """How a value breaks its limits, and what would do."""
    context, hint = error.context, ""
    short = raw if len(raw) <= 60 else raw[:57] + "..."
    match error.kind:
        case "literal_error":
            options = str(context["expected"]).replace("'", "").replace(" or ", ", ").split(", ")
            near = nearest(str(error.value), options)
            problem, hint = f"is {short}; it may be {', '.join(options)}", f"did you mean {near}?" if near else ""
        case "string_pattern_mismatch":
            problem = f"is {short!r}; it must be {_PATTERNS.get(context['pattern'], 'of another form')}"
        case "string_too_short":
            problem = "is an empty text"
        case "string_too_long":
            problem = f"has more than {context['max_length']:,} characters"
        case "too_short" | "too_long":
            least = error.kind == "too_short"
            limit = f"at least {context['min_length']}" if least else f"at most {context['max_length']}"
            problem = f"holds {context['actual_length']} entries; it must hold {limit}"
        case "finite_number":
            problem = f"is {short}; it must be a finite number"
        case kind if kind in _BOUNDS:
            key, words = _BOUNDS[kind]
            problem = f"is {short}; it must be {words} {_figure(context[key])}"
        case _:
            problem = f"cannot be {described(error.value, raw)}"
    return problem, hint


_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "over"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "under"),
}


def _figure(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"
