"""What each service takes of JSON Schema, in one table, and the lowering of a schema to it.

A keyword that a service would refuse is dropped and never sent; the prompt says the same in words, and the reply is
validated in full whatever was sent. How many items a list has is said all the same, where its bounds are not taken: a
fixed number by an object of that many numbered items, which comes back as the list, and a range in its description.
"""

import json
from typing import Any, Literal

from evalspec.spec.dataclass import dataclass

DialectName = Literal["openai", "anthropic", "mistral", "local"]

_CORE = frozenset({"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"})
_TEXTS = frozenset({"description", "title"})
_COUNTS = frozenset({"minItems", "maxItems"})
_MOST_NUMBERED = 20
"""Items of a list that is asked for as an object; the schema of an item stands in it as often."""
_RANGES = frozenset({"minimum", "maximum"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """A subset of JSON Schema, and the temperatures that go with it."""

    keywords: frozenset[str]
    most_min_items: int | None = None
    """`minItems` over this is dropped."""
    typed_literals: bool = True
    """Whether `type` may stand beside `enum` and `const`."""
    most_chars: int | None = None
    """`maxLength` is lowered to this."""
    max_temperature: float = 2.0
    numbered: bool = False
    """Whether lists of a fixed number of items are asked for as objects."""


DIALECTS: dict[DialectName, Dialect] = {
    # strict mode: lengths and patterns are refused by some models and ignored by none
    "openai": Dialect(_CORE | _TEXTS | _COUNTS | _RANGES),
    # output_config.format: as the SDK's own `transform_schema` lowers a model's schema; of the bounds of a list
    # it takes `minItems` of 0 and 1
    "anthropic": Dialect(
        _CORE | _TEXTS | {"minItems"}, most_min_items=1, typed_literals=False, max_temperature=1.0, numbered=True
    ),
    # response_format json_schema: documented for types, enums and required keys; bounds are left to validation
    "mistral": Dialect(_CORE | _TEXTS | _COUNTS, max_temperature=1.5),
    # constrained decoding here: every string must end, or a small model fills its context with one
    "local": Dialect(_CORE | _COUNTS | {"minLength", "maxLength"}, most_chars=1200),
}


def lowered(schema: Any, name: DialectName) -> Any:
    """The schema in the subset that `name` takes; the given one is left as it is."""
    return _lowered(schema, DIALECTS[name])


def _lowered(schema: Any, dialect: Dialect) -> Any:
    if isinstance(schema, list):
        return [_lowered(item, dialect) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if dialect.numbered and (count := _fixed(schema)) is not None:
        return _numbered(schema, count, dialect)
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key not in dialect.keywords or _over(key, value, dialect):
            continue
        match key:
            case "properties":
                out[key] = {name: _lowered(part, dialect) for name, part in value.items()}
            case "enum" | "const" | "required":
                out[key] = value
            case "maxLength" if dialect.most_chars is not None:
                out[key] = min(value, dialect.most_chars)
            case _:
                out[key] = _lowered(value, dialect)
    if "maxItems" in schema and "maxItems" not in dialect.keywords:
        out["description"] = " ".join([*([out["description"]] if "description" in out else []), _range(schema)])
    if not dialect.typed_literals and ("enum" in out or "const" in out):
        out.pop("type", None)
    return out


def _fixed(schema: dict[str, Any]) -> int | None:
    """How many items a list has, where that is fixed and they are few."""
    count = schema.get("minItems", 0)
    fixed = schema.get("type") == "array" and count == schema.get("maxItems") and isinstance(schema.get("items"), dict)
    return int(count) if fixed and count <= _MOST_NUMBERED else None


def _numbered(schema: dict[str, Any], count: int, dialect: Dialect) -> dict[str, Any]:
    """The schema of an object of `count` items by their numbers from 1; of null where there are none."""
    if not count:
        return {"type": "null"}
    names = [str(number) for number in range(1, count + 1)]
    item = _lowered(schema["items"], dialect)
    said = {"description": schema["description"]} if "description" in schema else {}
    return said | {
        "type": "object",
        "properties": dict.fromkeys(names, item),
        "required": names,
        "additionalProperties": False,
    }


def _range(schema: dict[str, Any]) -> str:
    least, most = schema.get("minItems", 0), schema["maxItems"]
    return f"({least} to {most} items)" if least else f"(at most {most} items)"


def raised(value: Any, schema: dict[str, Any]) -> Any:
    """A value that fits the lowered form of `schema` as it fits `schema`: with lists where they were numbered."""
    for part in schema.get("anyOf", ()):
        value = raised(value, part)
    count = _fixed(schema)
    if count is not None and ((value is None and not count) or _is_numbered(value, count)):
        value = [value[str(number)] for number in range(1, count + 1)]
    items, properties = schema.get("items"), schema.get("properties")
    if isinstance(value, list) and isinstance(items, dict):
        return [raised(item, items) for item in value]
    if isinstance(value, dict) and isinstance(properties, dict):
        return {name: raised(item, properties.get(name, {})) for name, item in value.items()}
    return value


def _is_numbered(value: Any, count: int) -> bool:
    return isinstance(value, dict) and len(value) == count and all(str(n) in value for n in range(1, count + 1))


def raised_text(text: str, schema: dict[str, Any]) -> str:
    """The same for a reply; one that is no JSON, as when it was cut off, is left as it came."""
    try:
        value = json.loads(text)
        lists = raised(value, schema)
    except (ValueError, RecursionError):
        return text
    return text if lists == value else json.dumps(lists, ensure_ascii=False)


def _over(key: str, value: Any, dialect: Dialect) -> bool:
    most = dialect.most_min_items
    return key == "minItems" and most is not None and value > most


class Lowering:
    """Lowered schemas at hand: a run has few schemas and many requests."""

    def __init__(self, name: DialectName) -> None:
        self._name = name
        self._kept: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}

    def of(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The lowered form of `schema`, which is not to be changed afterwards."""
        kept = self._kept.get(id(schema))
        if kept is None:
            kept = self._kept[id(schema)] = (schema, lowered(schema, self._name))
        return kept[1]
