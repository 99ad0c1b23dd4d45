"""Field rules that Cerberus cannot use.

## What it does
Checks each entry of `fields` with Cerberus, whose rules they are (`type`, `minlength`, `maxlength`, `regex`, `allowed`,
`schema`, ...). Reports rules that run code by name (`coerce`, `check_with`), a `meta` other than `role`, `shared` and
`grounded`, `choices`, and fields that take a name that a text or a reply already has.

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

from collections.abc import Iterator
from typing import Any

from evalspec.compiler.fields import RESERVED
from evalspec.compiler.model import Spec
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import YamlPath

_CODE = frozenset({"coerce", "check_with", "default_setter", "rename", "rename_handler", "purge_unknown"})
_TEXT_RULES = frozenset({"type", "meta", "minlength", "maxlength"})
_ROLES = ("excerpt", "answer", "text")
_FLAG = "true or false"
_META = {"role": "one of excerpt, answer, text", "shared": _FLAG, "grounded": _FLAG, "choices": _FLAG}


def check(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at fields and at single rules."""
    for template_id, template in spec.templates.items():
        file = spec.template_files[template_id]
        for name in template.fields:
            rules = spec.fields[template_id][name]
            for path, problem in _faults(name, rules):
                where: YamlPath = ("fields", name, *path)
                yield found("ES320", f"the field {name}: {problem}", spec.places.place_of(file, where))


def _faults(name: str, rules: dict[str, Any]) -> Iterator[tuple[YamlPath, str]]:
    if name in RESERVED:
        yield (), "this name is the slot's or the reply's own"
    code = _CODE & rules.keys()
    for rule in sorted(code):
        yield (rule,), f"{rule} is not a rule that a spec may use"
    yield from _meta_faults(rules["meta"])
    plain = {key: value for key, value in rules.items() if key not in _CODE}
    if not _bounded_text(plain):
        yield from _cerberus_faults(name, plain)


def _bounded_text(rules: dict[str, Any]) -> bool:
    """Whether the rules are those of a text of some length: most are, and need no Cerberus to be found sound."""
    lengths = (value for key, value in rules.items() if key not in ("type", "meta"))
    return rules.get("type") == "string" and rules.keys() <= _TEXT_RULES and all(type(v) is int for v in lengths)


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
                yield (str(rule),), f"{rule}: {_sentence(messages)}" + (f"; did you mean {near}?" if near else "")
        else:
            yield (), str(first)
    except (TypeError, ValueError, AttributeError, RecursionError, RuntimeError) as error:
        yield (), f"Cerberus cannot use these rules: {error}"


def _sentence(messages: Any) -> str:
    while isinstance(messages, list) and messages:
        messages = messages[0]
    return str(messages)
