"""What each service takes of JSON Schema, in one table, and the lowering of a schema to it.

A keyword that a service would refuse is dropped and never sent; the prompt says the same in words, and the reply is
validated in full whatever was sent.
"""

from dataclasses import dataclass
from typing import Any, Literal

DialectName = Literal["openai", "anthropic", "mistral", "local"]

_CORE = frozenset({"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"})
_TEXTS = frozenset({"description", "title"})
_COUNTS = frozenset({"minItems", "maxItems"})
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


DIALECTS: dict[DialectName, Dialect] = {
    # strict mode: lengths and patterns are refused by some models and ignored by none
    "openai": Dialect(_CORE | _TEXTS | _COUNTS | _RANGES),
    # output_config.format: as the SDK's own `transform_schema` lowers a model's schema
    "anthropic": Dialect(_CORE | _TEXTS | {"minItems"}, most_min_items=1, typed_literals=False, max_temperature=1.0),
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
    if not dialect.typed_literals and ("enum" in out or "const" in out):
        out.pop("type", None)
    return out


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
