"""Lists of checks as contracts and the native form write them, their arguments perhaps taken from the case."""

from collections.abc import Iterable, Iterator
from dataclasses import MISSING, field, fields, replace
from typing import Any

from pydantic import ValidationError

from evalspec.bench import checks as kinds
from evalspec.bench.checks import Check, CheckSpec
from evalspec.bench.reading.arguments import CHECKS, KEYS, listed, made_of, model_of
from evalspec.bench.reading.parts import Part, Shifted, document_of
from evalspec.bench.reading.references import MissingError, resolve, uses_case
from evalspec.bench.reading.soundness import Fault, spec_faults
from evalspec.compiler.errors import errors_of
from evalspec.compiler.refusals import Refusals
from evalspec.compiler.rules.es101_unknown_key import nearest, unknown
from evalspec.compiler.rules.es103_wrong_type import described, wrong_type
from evalspec.compiler.typed import frozen
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place, YamlPath

BESIDE = ("name", "metric", "when")
"""Keys that stand beside the key of the check."""
MAX_MADE = 1000
"""Checks of one template that are kept, not made anew for each case."""
Made = tuple[Check, tuple[Fault, ...]] | str
"""A check with what is wrong with it, or why the arguments make none."""


@dataclass(frozen=True, slots=True)
class Template:
    """One entry of a list of checks, before it meets a case."""

    kind: type[Any]
    arguments: dict[str, Any]
    name: str
    metric: str | None
    tags: frozenset[str]
    """The case must carry all of them."""
    part: Part
    fixed: Check | None = None
    """The check itself where nothing of it depends on the case."""
    made: dict[str, Made] = field(default_factory=dict, init=False, compare=False, repr=False)
    """What came of arguments, by how they read: many cases give the same."""

    def refs(self) -> Iterator[tuple[str, Any]]:
        """The arguments that depend on the case."""
        return ((key, value) for key, value in self.arguments.items() if uses_case(value))


def templates_of(parts: Iterable[Part], diagnostics: list[Diagnostic]) -> list[Template]:
    """The templates of a list; entries that cannot be used are reported and left out."""
    made = (_template(part, diagnostics) for part in parts)
    return [template for template in made if template is not None]


def _template(part: Part, diagnostics: list[Diagnostic]) -> Template | None:
    entry = part.data
    if not isinstance(entry, dict):
        message = f"a check is a mapping of its key to what it expects, found {described(entry, str(entry))}"
        diagnostics.append(found("ES706", message, part.place(), hint="write, for example, {contains_all: [refund]}"))
        return None
    keys = [key for key in entry if key not in BESIDE]
    strange = [key for key in keys if key not in CHECKS]
    for key in strange:
        near = nearest(key, [*CHECKS, *BESIDE])
        hint = f"did you mean {near}?" if near else f"checks are {', '.join(CHECKS)}"
        diagnostics.append(found("ES706", f"there is no check {key}", part.key_place(key), hint=hint))
    if len(keys) != 1:
        if not strange:
            what = f"{' and '.join(keys)} in one entry" if keys else "an entry without a check"
            diagnostics.append(found("ES706", what, part.place(), hint="write one check an entry of the list"))
        return None
    if strange:
        return None
    return _of_kind(part, keys[0], diagnostics)


def _of_kind(part: Part, key: str, diagnostics: list[Diagnostic]) -> Template | None:
    kind, entry = CHECKS[key], part.data
    given = entry[key]
    if given is None and all(field.default is not MISSING for field in fields(kind)):
        given = {}
        part = Part({**entry, key: given}, part.origin, part.prefix)
    if not isinstance(given, dict):  # the first field stands for itself: {contains_all: [a, b]}
        first = fields(kind)[0].name
        inner = Part({first: given}, part.origin, (*part.prefix, key))
        short = True
    else:
        inner, short = part.sub(key), False
    inner = Part(listed(kind, inner.data), inner.origin, inner.prefix)
    arguments = inner.data
    name, metric, tags = _beside(part, diagnostics)
    refs = {field for field, value in arguments.items() if uses_case(value)}
    before = len(diagnostics)
    diagnostics += _argument_faults(inner, kind, refs, short)
    if len(diagnostics) > before:
        return None
    template = Template(kind, arguments, name or key, metric, tags, part)
    if refs:
        return template
    spec = made_of(kind, arguments)
    assert not isinstance(spec, str)
    for at, fault in spec_faults(spec):
        diagnostics.append(found(fault.code, fault.message, inner.place(*at), hint=fault.hint))
    fixed = Check(template.name, spec, metric, detail_of(spec))
    return Template(kind, arguments, template.name, metric, tags, part, fixed)


def _beside(part: Part, diagnostics: list[Diagnostic]) -> tuple[str, str | None, frozenset[str]]:
    texts: dict[str, str] = {}
    for key in ("name", "metric"):
        value = part.data.get(key)
        if isinstance(value, str) and value.strip():
            texts[key] = value
        elif key in part.data:
            message = f"{key} wants text, found {described(value, str(value))}"
            diagnostics.append(found("ES103", message, part.place(key)))
    when = part.data.get("when", {})
    tags = when.get("tags", []) if isinstance(when, dict) else None
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        message = "when wants a mapping with a list of tags"
        diagnostics.append(found("ES103", message, part.place("when"), hint="write when: {tags: [a-tag]}"))
        tags = []
    if isinstance(when, dict):
        for key in when:
            if key != "tags":
                diagnostics.append(unknown(str(key), "when", ["tags"], part.key_place("when", key)))
    return texts.get("name", ""), texts.get("metric"), frozenset(tags)


def _argument_faults(part: Part, kind: type[Any], refs: set[str], short: bool) -> list[Diagnostic]:
    """What is wrong with arguments that do not depend on the case."""
    model, data = model_of(kind), frozen(part.data)
    try:
        model.model_validate(data)
    except ValidationError as error:
        kept = [entry for entry in errors_of(error.errors(include_url=False), data) if entry.path[0] not in refs]
    else:
        return []
    if not kept:
        return []
    key, field = str(part.prefix[-1]), fields(kind)[0].name
    if not short:
        wrong = Refusals(document_of(part, set()), model, Shifted(part)).diagnostics(kept)
        return [replace(d, message=d.message.replace("the document", key, 1), hint=_takes(d.hint, key)) for d in wrong]
    wanted = {"tuple_type": "a list", "bool_type": "true or false", "string_type": "text"}.get(kept[0].kind, "")
    wanted = wanted or ("a number" if kept[0].kind.startswith("float") else f"a mapping with {field}")
    rest = [other.name for other in fields(kind) if other.default is MISSING]
    if len(rest) > 1:
        wanted = f"a mapping with {', '.join(rest)}"
    value = part.data[field]
    return [wrong_type(key, wanted, value, str(value), part.place())]


def _takes(hint: str, key: str) -> str:
    return hint.replace("the document", key, 1)


@dataclass(frozen=True, slots=True)
class Applied:
    """A check that a template makes of a case, and the path in the case that it leans on, if any."""

    check: Check
    leans_on: YamlPath | None
    template: Template


def apply(
    template: Template, case: Part, tags: frozenset[str], strict: bool, diagnostics: list[Diagnostic]
) -> Applied | None:
    """The check that a template makes of a case; None where it is not for this case.

    A reference to what the case does not hold takes the check away; it is a finding with `strict`, and wherever the
    template is for certain tags only. One that ends with `?` leaves its argument at the default, or takes the check
    away where there is none.
    """
    if not template.tags <= tags:
        return None
    if template.fixed is not None:
        return Applied(template.fixed, None, template)
    arguments: dict[str, Any] = {}
    leans: YamlPath | None = None
    for key, value in template.arguments.items():
        try:
            resolved, path = resolve(value, case.data)
        except MissingError as gone:
            if gone.optional:
                if _needed(template.kind, key):
                    return None
                continue
            if strict or template.tags:
                diagnostics.append(_unresolved(template, case, gone))
            return None
        arguments[key] = resolved
        leans = leans or path
    made = _made(template, arguments)
    if isinstance(made, str):
        message = f"what the case gives does not fit {KEYS[template.kind]}: {made}"
        diagnostics.append(found("ES708", message, case.place(*(leans or ()))))
        return None
    check, faults = made
    for fault in faults:
        diagnostics.append(found(fault.code, fault.message, case.place(*(leans or ())), hint=fault.hint))
    return Applied(check, leans, template)


def _made(template: Template, arguments: dict[str, Any]) -> Made:
    key = repr(arguments)
    if key not in template.made:
        if len(template.made) >= MAX_MADE:
            template.made.clear()
        spec = made_of(template.kind, arguments)
        if isinstance(spec, str):
            template.made[key] = spec
        else:
            check = Check(template.name, spec, template.metric, detail_of(spec))
            template.made[key] = check, tuple(fault for _, fault in spec_faults(spec))
    return template.made[key]


def _needed(kind: type[Any], key: str) -> bool:
    return any(field.name == key and field.default is MISSING for field in fields(kind))


def _unresolved(template: Template, case: Part, gone: MissingError) -> Diagnostic:
    metric = f" for {template.metric}" if template.metric else ""
    message = f"{KEYS[template.kind]}{metric} needs {gone.written}, which the case does not hold"
    hint = f"did you mean {gone.near}?" if gone.near else f"write {gone.written.removeprefix('$')} in the case"
    return found("ES708", message, _near_place(case, gone.reached), hint=hint)


def _near_place(case: Part, path: YamlPath) -> Place:
    return case.key_place(*path) if path else case.place()


def detail_of(spec: CheckSpec) -> str:
    """What a check asks, in a few words."""
    match spec:
        case kinds.JudgedByPolicy():
            return "keeps the policy"
        case kinds.JudgedByRubric(scale, least):
            return f"{least} or more of {scale[0]} to {scale[1]}"
        case kinds.RatedByPeople():
            return "rated by people"
        case kinds.FitsSchema():
            return "fits the schema"
    said = [
        _words(field.name, value)
        for field in fields(spec)
        if field.name != "path" and (value := getattr(spec, field.name)) != field.default and value not in ((), "")
    ]
    at = f" at {path}" if (path := getattr(spec, "path", "")) else ""
    text = KEYS[type(spec)].replace("_", " ") + at + (f": {', '.join(said)}" if said else "")
    return text if len(text) <= 160 else text[:157] + "..."


def _words(name: str, value: Any) -> str:
    if isinstance(value, tuple):
        return " | ".join(repr(item) if isinstance(item, str) else str(item) for item in value)
    shown = repr(value) if isinstance(value, str | dict | list) else str(value)
    return shown if name in ("expected", "value", "seconds", "tool", "source") else f"{name} {shown}"
