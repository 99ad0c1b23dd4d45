"""JSON Schemas of contracts: checked, never fetched from anywhere, and followed along the path of a check."""

import re
from collections.abc import Iterator
from typing import Any

from evalspec.bench.dialect import REFERENCES, SlowSchemaError, bounded_in_time, dialect
from evalspec.bench.patterns import SECONDS
from evalspec.spec.source import YamlPath

_STEP = re.compile(r"([^.\[\]]+)|\[([0-9]+|\*)\]")


def schema_fault(schema: Any) -> str:
    """What keeps a value from being a JSON Schema (draft 2020-12) that can be used; empty where it is one."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        at = ".".join(str(step) for step in error.absolute_path)
        return f"{at + ': ' if at else ''}{_short(error.message)}"
    except RecursionError:
        return "it nests too deep"
    return _astray(schema)


def _astray(schema: Any) -> str:
    """A reference that leads out of the schema, nowhere, or round in a circle; empty where there is none."""
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    if not isinstance(schema, dict):
        return ""
    resolver = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
    parts = list(_parts(schema))
    named = {part["$ref"] for part in parts if "$ref" in part}
    for reference in sorted(named) if not any("$id" in part for part in parts) else ():
        try:
            target = resolver.lookup(reference).contents
        except (Unresolvable, ValueError):
            return f"$ref leads to {_short(reference)}, which is not in it"
        if not isinstance(target, dict | bool) or not _is_schema(target):
            return f"$ref leads to {_short(reference)}, which is no schema"
    probes: tuple[Any, ...] = (None, {})
    try:
        for value in probes:
            list(Validator(schema).faults(value))
    except ValueError as error:
        return str(error)
    return ""


def _is_schema(value: Any) -> bool:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(value)
    except (SchemaError, RecursionError):
        return False
    return True


def _parts(schema: Any) -> Iterator[dict[str, Any]]:
    """The objects of a schema that may be schemas, itself first; what is a value, as under `const`, is none."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref", ""), str):
            yield schema
        for key, inner in schema.items():
            if key not in ("const", "enum", "default", "examples"):
                yield from _parts(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _parts(inner)


class Validator:
    """Tells how values break a schema; references to other documents are refused, not fetched."""

    def __init__(self, schema: dict[str, Any]) -> None:
        from referencing import Registry

        self._validator = dialect()(schema, registry=Registry())

    def faults(self, value: Any) -> Iterator[tuple[YamlPath, str]]:
        """The path in the value and what is wrong there. Raises ValueError where the schema itself cannot be used."""
        from referencing.exceptions import Unresolvable

        try:
            with bounded_in_time():
                for error in self._validator.iter_errors(value):
                    yield tuple(error.absolute_path), _short(error.message)
        except SlowSchemaError as error:
            raise ValueError(str(error)) from None
        except TimeoutError:
            raise ValueError(f"a pattern takes over {SECONDS} s") from None
        except RecursionError:
            raise ValueError("it refers to itself without end, or the value nests too deep") from None
        except (Unresolvable, ValueError) as error:
            raise ValueError(_short(str(error) or type(error).__name__)) from None
        except Exception as error:  # what a reference leads to may be anything
            raise ValueError(f"it cannot be used: {_short(f'{type(error).__name__}: {error}')}") from None


def schema_at(schema: dict[str, Any] | None, path: str) -> dict[str, Any] | None:
    """The schema of what stands at a dotted path of a value; None where the schema does not say."""
    current: Any = schema
    for name, index in _STEP.findall(path):
        if not isinstance(current, dict) or not REFERENCES.isdisjoint(current):
            return None
        properties = current.get("properties")
        current = current.get("items") if index else (properties.get(name) if isinstance(properties, dict) else None)
    return current if isinstance(current, dict) and REFERENCES.isdisjoint(current) else None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:197] + "..."
