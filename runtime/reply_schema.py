"""The JSON Schema of a group's reply, made from the Cerberus rules of its templates' fields."""

from collections.abc import Mapping, Sequence
from typing import Any

from evalspec.spec.plan import PlannedTemplate

_TYPES = {"string": "string", "integer": "integer", "float": "number", "number": "number", "boolean": "boolean"}
_MODE_CHARS = 400
_BEHAVIOUR_CHARS = 2000


def group_schema(
    templates: Sequence[PlannedTemplate],
    shared: frozenset[str],
    strategy: str | None,
    modes: tuple[int, int],
    wants_true_excerpt: bool,
    max_chars: int,
) -> dict[str, Any]:
    """The schema of `{"shared": {...}, "members": [...]}` with one member a template of `templates`, in order.

    All members have one schema: the union of the templates' fields, nullable where not all of them have one.
    `shared` stands only where a field is shared; `max_chars` bounds strings that have no bound of their own.
    """
    own = _union(templates, lambda name: name not in shared, max_chars)
    own["expected_behavior"] = {"type": "string", "minLength": 1, "maxLength": _BEHAVIOUR_CHARS}
    own["expected_failure_modes"] = {
        "type": "array",
        "items": {"type": "string", "minLength": 1, "maxLength": _MODE_CHARS},
        "minItems": modes[0],
        "maxItems": modes[1],
    }
    own["adversarial_strategy"] = {"type": "string", "const": strategy} if strategy else {"type": "null"}
    if wants_true_excerpt:
        own["true_excerpt"] = {"type": ["string", "null"], "maxLength": max_chars}
    count = len(templates)
    members = {"type": "array", "items": _object(own), "minItems": count, "maxItems": count}
    if not shared:
        return _object({"members": members})
    common = _union(templates, lambda name: name in shared, max_chars, partial=False)
    return _object({"shared": _object(common), "members": members})


def _union(templates: Sequence[PlannedTemplate], keep: Any, max_chars: int, *, partial: bool = True) -> dict[str, Any]:
    distinct = {template.id: template for template in templates}.values()
    out: dict[str, Any] = {}
    holders: dict[str, list[dict[str, Any]]] = {}
    for template in distinct:
        for name, rules in template.fields.items():
            if keep(name):
                holders.setdefault(name, []).append(field_schema(rules, max_chars))
    for name, schemas in holders.items():
        unique = [schema for at, schema in enumerate(schemas) if schema not in schemas[:at]]
        schema = unique[0] if len(unique) == 1 else {"anyOf": unique}
        everywhere = len(schemas) == len(distinct)
        out[name] = schema if everywhere or not partial else _nullable(schema)
    return out


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in schema:
        return {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    kinds = schema.get("type", "string")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    out = schema | {"type": kinds if "null" in kinds else [*kinds, "null"]}
    if "enum" in out and None not in out["enum"]:
        out["enum"] = [*out["enum"], None]
    return out


def field_schema(rules: Mapping[str, Any], max_chars: int) -> dict[str, Any]:
    """The schema of one field; rules that JSON Schema has no word for are left to validation."""
    kinds = rules.get("type", "string")
    kinds = list(kinds) if isinstance(kinds, list | tuple) else [kinds]
    schemas = [_of_kind(kind, rules, max_chars) for kind in kinds]
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    if rules.get("nullable") or rules.get("required") is False:
        return _nullable(schema)
    return schema


def _of_kind(kind: str, rules: Mapping[str, Any], max_chars: int) -> dict[str, Any]:
    if kind in ("dict", "object"):
        inner = rules.get("schema")
        return _object(
            {name: field_schema(sub, max_chars) for name, sub in inner.items()} if isinstance(inner, Mapping) else {}
        )
    if kind in ("list", "set"):
        inner = rules.get("schema")
        out: dict[str, Any] = {
            "type": "array",
            "items": field_schema(inner, max_chars) if inner else _text({}, max_chars),
        }
        return out | _renamed(rules, {"minlength": "minItems", "maxlength": "maxItems"})
    json_type = _TYPES.get(kind, "string")
    if "allowed" in rules:
        return {"type": json_type, "enum": list(rules["allowed"])}
    if json_type == "string":
        return _text(rules, max_chars)
    if json_type == "boolean":
        return {"type": "boolean"}
    return {"type": json_type} | _renamed(rules, {"min": "minimum", "max": "maximum"})


def _text(rules: Mapping[str, Any], max_chars: int) -> dict[str, Any]:
    out = {"type": "string", **_renamed(rules, {"minlength": "minLength"})}
    out["maxLength"] = rules.get("maxlength", max_chars)
    if "regex" in rules:
        out["pattern"] = f"^(?:{rules['regex']})$"
    return out


def _renamed(rules: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {new: rules[old] for old, new in names.items() if old in rules}
