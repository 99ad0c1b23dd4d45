"""What pydantic refuses, said in the language of the spec: one diagnostic an error, at its place."""

import re
from collections.abc import Iterator

from evalspec.compiler.document import Document
from evalspec.compiler.errors import Error
from evalspec.compiler.files import CONFIG_FILE, SOURCES_FILE
from evalspec.compiler.rules.es101_unknown_key import nearest, unknown
from evalspec.compiler.rules.es102_missing_key import missing
from evalspec.compiler.rules.es103_wrong_type import described, wrong_type
from evalspec.compiler.rules.es104_key_at_wrong_level import wrong_level
from evalspec.compiler.rules.es105_value_not_allowed import not_allowed
from evalspec.compiler.rules.es106_bad_identifier import bad_identifier, identifier_hint
from evalspec.compiler.rules.es202_share_out_of_range import out_of_range
from evalspec.compiler.rules.es302_negative_example_incomplete import incomplete
from evalspec.compiler.shape import Shape, homes, keys_of, model_at, pattern_at
from evalspec.compiler.sourcemap import SourceMap
from evalspec.compiler.tree import Branch
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.model import ADDRESS, IDENTIFIER, NOT_BLANK
from evalspec.spec.source import YamlPath, render_path

_LEAVE_OUT = "write a value, or leave the key out to take its default"
_SHORT = 100
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
    NOT_BLANK: "more than blanks",
    r"^\d+\.\d+\.\d+$": "three numbers with dots, such as 1.0.0",
    r"^[A-Z]{3}$": "a currency of three capitals, such as USD",
    r"^\d{4}-\d{2}(-\d{2})?$": "a date such as 2024-12 or 2024-12-31",
    r"^[A-Za-z_][A-Za-z0-9_]*$": "the name of an environment variable",
    r"^https?://[^\s]+$": "an address that starts with http:// or https://, without spaces",
    ADDRESS: "an address such as https://example.org/page",
    r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$": "a language tag such as en or fr-CA",
    r"^\S(?:[^\x00-\x1f\x7f]*\S)?$": "a text without control characters, and without blanks at its ends",
    r"^[^\r\n]+$": "one line",
}


class Refusals:
    """Turns the errors of one document into diagnostics."""

    def __init__(self, document: Document, model: Shape, places: SourceMap) -> None:
        self.document, self.model, self.places = document, model, places

    def diagnostics(self, errors: list[Error]) -> Iterator[Diagnostic]:
        """One diagnostic a fault: none for a missing key whose misspelling is reported, one for a shared value."""
        said: set[tuple[str, int, int]] = set()
        for error, diagnostic in self._each(errors):
            place = diagnostic.place
            where = (diagnostic.code, place.line, place.column)
            if error.kind == "missing" or where not in said:
                yield diagnostic
            said.add(where)

    def _each(self, errors: list[Error]) -> Iterator[tuple[Error, Diagnostic]]:
        absent = {error.path for error in errors if error.kind == "missing"}
        meant: set[YamlPath] = set()
        for error in errors:
            if error.kind == "extra_forbidden":
                diagnostic, near = self._unknown(error.path)
                meant |= {(*error.path[:-1], near)} & absent
                yield error, diagnostic
        for error in errors:
            if error.kind == "missing" and error.path not in meant:
                yield error, self._missing(error.path)
            elif error.kind not in ("missing", "extra_forbidden"):
                yield error, self._refused(error)

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
        from evalspec.spec.config import (  # a bench, whose files these are not, needs none
            GenerationConfig,
            SourceConfig,
        )

        others: tuple[tuple[Shape, str], ...] = ((GenerationConfig, CONFIG_FILE), (SourceConfig, SOURCES_FILE))
        return [_where(name) for model, name in others if model is not self.model and key in model.model_fields]

    def _missing(self, path: YamlPath) -> Diagnostic:
        key, section = str(path[-1]), path[:-1]
        place = self.places.key_place(self.document.file, section)
        if isinstance(path[-1], int):
            entries = "1 entry" if key == "1" else f"{key} entries"
            return not_allowed(render_path(section), f"holds {entries}, too few", place)
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
            hint = self._hint(error, wanted)
            return wrong_type(name, wanted or "another type", error.value, self._raw(path), place, hint)
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
        if isinstance(node, Branch):
            return self.document.text[node.start : node.start + 1]
        return node.text if node else ""

    def _hint(self, error: Error, wanted: str) -> str:
        """What to write where that follows from the section's shape, and not from the value alone."""
        path, value = error.path, error.value
        if value is None and (section := model_at(self.model, path[:-1])) is not None:
            info = section.model_fields.get(str(path[-1]))
            return "write a value" if info is None or info.is_required() else _LEAVE_OUT
        if isinstance(value, str) and wanted == "a mapping" and (shape := model_at(self.model, path)) is not None:
            needed = [key for key, info in shape.model_fields.items() if info.is_required()]
            given = f"{needed[0]}: {self._raw(path)}" if len(needed) == 1 else ", ".join(f"{k}: ..." for k in needed)
            return f"write a mapping: {{{given}}}" if needed and len(given) < _SHORT else ""
        if type(value) in (int, float) and wanted == "text":
            return form_wanted(self.model, path, self._raw(path))
        return ""


def form_wanted(model: Shape, path: YamlPath, raw: str) -> str:
    """What a text at a path must look like, where `raw` in quotes would not do; else empty."""
    pattern = pattern_at(model, path)
    if not pattern or re.search(pattern, raw):
        return ""
    return identifier_hint(raw) if pattern == IDENTIFIER else f"write {_PATTERNS.get(pattern, 'text')}"


def _empty(error: Error) -> bool:
    blank = error.kind == "string_pattern_mismatch" and error.context["pattern"] == NOT_BLANK
    return error.value is None or error.kind == "string_too_short" or blank


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
