"""JSON Schema as evalspec applies it: patterns against the clock, and plain values without a validator of their own.

jsonschema makes a validator for each property that it descends into, which takes three times as long as the check of a
text or a number. So a property whose schema says nothing of what is inside of it is checked by the keywords alone;
where one of them complains, jsonschema descends as ever, and says what is wrong and where.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from evalspec.bench.patterns import SECONDS, PatternError

_SAYS = "type enum const pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"
_NOTES = "title description default examples deprecated readOnly writeOnly $comment"
_PLAIN = frozenset(f"{_SAYS} {_NOTES}".split())
"""What the schema of a plain value says: it neither leads elsewhere nor into the value."""


@lru_cache(maxsize=8)
def dialect(name: str = "") -> Any:
    """The validator's class for a `$schema`; draft 2020-12 where it names none that is known."""
    from jsonschema import Draft202012Validator, validators

    base = validators.validator_for({"$schema": name} if name else {}, default=Draft202012Validator)
    changed = {"pattern": _pattern, "patternProperties": _pattern_properties}
    if base.VALIDATORS["properties"] is Draft202012Validator.VALIDATORS["properties"]:  # draft 3 has its own
        changed["properties"] = _properties
    extend: Any = validators.extend
    return extend(base, changed)


def _properties(validator: Any, properties: dict[str, Any], value: Any, _: Any) -> Iterator[Any]:
    if validator.is_type(value, "object"):
        for name, schema in properties.items():
            if name in value and not (_is_plain(schema) and _fits(validator, schema, value[name])):
                yield from validator.descend(value[name], schema, path=name, schema_path=name)


def _is_plain(schema: Any) -> bool:
    return isinstance(schema, dict) and _PLAIN.issuperset(schema)


def _fits(validator: Any, schema: dict[str, Any], value: Any) -> bool:
    """Whether no keyword of a plain schema complains."""
    keywords = validator.VALIDATORS
    for name, due in schema.items():
        if name in keywords:
            for _ in keywords[name](validator, due, value, schema) or ():
                return False
    return True


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if isinstance(value, str) and not _found(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: dict[str, Any], value: Any, _: Any) -> Iterator[Any]:
    for pattern, inner in patterns.items() if isinstance(value, dict) else ():
        for key, item in value.items():
            if _found(pattern, key):
                yield from validator.descend(item, inner, path=key, schema_path=pattern)


def _found(pattern: str, text: str) -> bool:
    """Whether a pattern is found. Raises TimeoutError, and PatternError for a pattern that is none."""
    import regex

    try:
        return regex.search(pattern, text, timeout=SECONDS) is not None
    except regex.error as error:
        raise PatternError(str(error)) from None
