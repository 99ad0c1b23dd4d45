"""JSON Schema as evalspec applies it: bounded in time and depth, and plain values without a validator of their own.

Patterns and references run against the clock, in subschemas of another `$schema` too. A schema that refers to itself is
followed no deeper than Python's own bound allows: reached within compiled code, that is a panic and no exception.

jsonschema makes a validator for each property that it descends into, which takes three times as long as the check of a
text or a number. So a property whose schema says nothing of what is inside of it is checked by the keywords alone;
where one of them complains, jsonschema descends as ever, and says what is wrong and where.
"""

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import local
from typing import Any

from evalspec.bench.patterns import SECONDS, PatternError

_SAYS = "type enum const pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"
_NOTES = "title description default examples deprecated readOnly writeOnly $comment"
REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
"""The keywords that lead elsewhere in a schema."""
_PLAIN = frozenset(f"{_SAYS} {_NOTES}".split())
"""What the schema of a plain value says: it neither leads elsewhere nor into the value."""

MOST_SECONDS = 5.0
"""How long the check of a value may take; references alone let it grow out of all proportion to schema and value."""
RESERVE = 250
"""Frames below Python's bound that are left when a reference is followed: as many as lead to the next one."""


class SlowSchemaError(TimeoutError):
    """The check of a value takes too long."""


class _Due(local):
    """When the check that this thread makes is to be over (monotonic)."""

    at = math.inf


_due = _Due()


@contextmanager
def bounded_in_time() -> Iterator[None]:
    """Check a value within MOST_SECONDS: past them the dialect raises SlowSchemaError."""
    _due.at = time.monotonic() + MOST_SECONDS
    try:
        yield
    finally:
        _due.at = math.inf


@lru_cache(maxsize=8)
def dialect(name: str = "") -> Any:
    """The validator's class for a `$schema`; draft 2020-12 where it names none that is known.

    Its validators raise TimeoutError for a pattern that takes too long, PatternError for one that is none,
    ValueError for a reference to what is no schema, and RecursionError for a schema that refers to itself without end
    or a value that is nested too deep.
    """
    from jsonschema import Draft202012Validator, validators

    base = validators.validator_for({"$schema": name} if name else {}, default=Draft202012Validator)
    changed = {"pattern": _pattern, "patternProperties": _pattern_properties}
    if "uniqueItems" in base.VALIDATORS:
        changed["uniqueItems"] = _unique_items(base.VALIDATORS["uniqueItems"])
    changed |= {name: _referring(base.VALIDATORS[name]) for name in REFERENCES if name in base.VALIDATORS}
    if base.VALIDATORS["properties"] is Draft202012Validator.VALIDATORS["properties"]:  # draft 3 has its own
        changed["properties"] = _properties
    extend: Any = validators.extend
    made = extend(base, changed)
    made.evolve = _staying(made.evolve)
    return made


def _staying(evolve: Callable[..., Any]) -> Callable[..., Any]:
    """How a validator goes on with a subschema: by this dialect of the `$schema` that it names too."""

    def evolved(validator: Any, **changes: Any) -> Any:
        made = evolve(validator, **changes)
        if made.VALIDATORS.get("pattern") is _pattern:
            return made
        return dialect(str(made.schema["$schema"]))(made.schema, registry=made._registry, _resolver=made._resolver)

    return evolved


def _referring(keyword: Callable[..., Any]) -> Callable[..., Any]:
    """The keyword for a reference, which is not followed where the stack is nearly full."""

    def bounded(validator: Any, reference: Any, value: Any, schema: Any) -> Any:
        with suppress(ValueError):  # not as deep
            sys._getframe(sys.getrecursionlimit() - RESERVE)
            raise RecursionError
        if time.monotonic() > _due.at:
            raise SlowSchemaError(f"the check of a value takes over {MOST_SECONDS:g} s")
        if not isinstance(validator._resolver.lookup(reference).contents, dict | bool):
            raise ValueError(f"{reference} leads to what is no schema")
        return keyword(validator, reference, value, schema)

    return bounded


def _unique_items(keyword: Callable[..., Any]) -> Callable[..., Any]:
    """The keyword, which compares each with each, but where all are seen to differ as they are written."""

    def unique(validator: Any, due: Any, value: Any, schema: Any) -> Any:
        if due and isinstance(value, list) and len(value) > 1:
            with suppress(TypeError, ValueError, RecursionError):
                if len({json.dumps(_counted(item), sort_keys=True) for item in value}) == len(value):
                    return ()
        return keyword(validator, due, value, schema)

    return unique


def _counted(value: Any) -> Any:
    """The value with each number written in one way: 1.0 is 1."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: _counted(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_counted(item) for item in value]
    return value


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
