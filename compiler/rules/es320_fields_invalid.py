"""Field rules that Cerberus cannot use.

## What it does
Checks each entry of `fields` with Cerberus, whose rules they are (`type`, `minlength`, `maxlength`, `regex`, `allowed`,
`schema`, ...). Reports rules that run code by name (`coerce`, `check_with`), a `meta` other than `role`, `shared` and
`grounded`, `choices`, and fields that take a name that a text or a reply already has. Warns of mappings in a prompt.

## Why
The rules become the schema that the LLM must answer in. A rule that is misspelt checks nothing.

## Example
```yaml
fields:
  question: {type: string, max_length: 300}
```

## Use instead
```yaml
fields:
  question: {type: string, maxlength: 300}
```
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from evalspec.compiler.fields import RESERVED, used_names
from evalspec.compiler.model import Spec
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.diagnostic import Diagnostic, Severity, found
from evalspec.spec.source import YamlPath

_CODE = frozenset({"coerce", "check_with", "default_setter", "rename", "rename_handler", "purge_unknown"})
_TEXT_RULES = {"type": str, "meta": dict, "minlength": int, "maxlength": int, "empty": bool, "required": bool}
_ROLES = ("excerpt", "answer", "text")
_FLAG = "true or false"
_META = {"role": "one of excerpt, answer, text", "shared": _FLAG, "grounded": _FLAG, "choices": _FLAG}


def check(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at fields and at single rules; a warning for mappings that a prompt or a form would need."""
    composed = spec.config.generation_model.provider == "embedded"
    for template_id, template in spec.templates.items():
        file = spec.template_files[template_id]
        for name in template.fields:
            rules = spec.fields[template_id][name]
            problems = list(_faults(name, rules))
            for path, problem in problems:
                where: YamlPath = ("fields", name, *path)
                yield found("ES320", f"the field {name}: {problem}", spec.places.place_of(file, where))
            if not problems and _maps(rules) and (composed or name in used_names(template)):
                place = spec.places.key_place(file, ("fields", name))
                message = f"the field {name} holds mappings: no prompt shows them well, and no form can give them"
                finding = found("ES320", message, place, hint="a text, or a list of texts, for each part of it")
                yield replace(finding, severity=Severity.WARNING)


def _maps(rules: Any) -> bool:
    """Whether a value by these rules is a mapping, or a list that holds one."""
    return isinstance(rules, dict) and (rules.get("type") == "dict" or _maps(rules.get("schema")))


def _faults(name: str, rules: dict[str, Any]) -> Iterator[tuple[YamlPath, str]]:
    if name in RESERVED:
        yield (), "this name is the slot's or the reply's own"
    if not name.isidentifier():
        yield (), "no placeholder can have this name; it takes letters, digits and _"
    code = _CODE & rules.keys()
    for rule in sorted(code):
        yield (rule,), f"{rule} is not a rule that a spec may use"
    yield from _meta_faults(rules["meta"])
    plain = {key: value for key, value in rules.items() if key not in _CODE}
    if not _bounded_text(plain):
        faults = list(_cerberus_faults(name, plain))
        yield from faults
        if faults:
            return
    yield from _value_faults(plain)


def _value_faults(rules: dict[str, Any]) -> Iterator[tuple[YamlPath, str]]:
    """What Cerberus finds only when it meets a value: bounds that none can meet, patterns that are none."""
    for bound in ("minlength", "maxlength", "min", "max"):
        if isinstance(rules.get(bound), bool):
            yield (bound,), f"{bound} is no number"
            return
    if rules.get("maxlength", 1) < 1:
        yield ("maxlength",), f"maxlength is {rules['maxlength']}, so that nothing fits"
        return
    for low, high in (("minlength", "maxlength"), ("min", "max")):
        if low in rules and high in rules and rules[low] > rules[high]:
            yield (low,), f"{low} is {rules[low]}, over the {high} of {rules[high]}"
    if "regex" in rules:
        try:
            re.compile(rules["regex"])
        except re.error as error:
            yield ("regex",), f"regex: {error.msg} at character {(error.pos or 0) + 1}"
            return
    if "allowed" in rules and not _any_fits(rules):
        what = "none of the values that it lists fits the field's other rules" if rules["allowed"] else "it is empty"
        yield ("allowed",), f"allowed: {what}, so that nothing fits"


def _any_fits(rules: dict[str, Any]) -> bool:
    """Whether a value that is allowed meets the other rules; of a list the entries are what is allowed."""
    allowed = list(rules["allowed"])
    if not allowed or rules.get("type", "string") in ("list", "set"):
        return bool(allowed)
    from cerberus import Validator

    judge = Validator({"it": {key: value for key, value in rules.items() if key != "meta"}})
    try:
        return any(judge.validate({"it": value}, normalize=False) for value in allowed)
    except TypeError:  # values that do not compare with a bound
        return True


def _bounded_text(rules: dict[str, Any]) -> bool:
    """Whether the rules are those of a text of some length: most are, and need no Cerberus to be found sound."""
    return rules.get("type") == "string" and all(type(value) is _TEXT_RULES.get(key) for key, value in rules.items())


def _meta_faults(meta: dict[str, Any]) -> Iterator[tuple[YamlPath, str]]:
    for key, value in meta.items():
        if key not in _META:
            yield ("meta", key), f"meta has no key {key}; it takes {', '.join(_META)}"
        elif (value not in _ROLES) if key == "role" else not isinstance(value, bool):
            yield ("meta", key), f"meta.{key} is {_META[key]}"


def _cerberus_faults(name: str, rules: dict[str, Any]) -> Iterator[tuple[YamlPath, str]]:
    from cerberus import SchemaError, Validator

    try:
        Validator({name: rules})
    except SchemaError as error:
        details = error.args[0] if error.args else ""
        inner = details.get(name, [details]) if isinstance(details, dict) else [details]
        first = inner[0] if isinstance(inner, list) and inner else inner
        if isinstance(first, dict):
            for rule, messages in sorted(first.items(), key=lambda item: str(item[0])):
                near = nearest(str(rule), Validator.rules) if "unknown rule" in str(messages) else ""
                said = _sentence(messages)
                if said.startswith("Unsupported types"):
                    near = nearest(str(rules.get("type")), Validator.types_mapping)
                yield (str(rule),), f"{rule}: {said}" + (f"; did you mean {near}?" if near else "")
        else:
            yield (), str(first)
    except (TypeError, ValueError, AttributeError, RecursionError, RuntimeError) as error:
        yield (), f"Cerberus cannot use these rules: {error}"


def _sentence(messages: Any) -> str:
    while isinstance(messages, list) and messages:
        messages = messages[0]
    return str(messages)
