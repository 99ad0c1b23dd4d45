"""Checks on the answer's JSON: values, schema, order, emptiness."""

from functools import lru_cache
from typing import Any

from evalspec.bench.checks import Equals, FitsSchema, NotAbove, NotEmpty
from evalspec.bench.dialect import bounded_in_time, dialect
from evalspec.bench.graders.answers import UnfitError, bounded, output_of, text_of, value_at
from evalspec.bench.graders.finding import Finding, failed, passed, quote, unscored
from evalspec.bench.graders.folding import as_given, fold
from evalspec.bench.identity import Same
from evalspec.bench.results import TargetResult


def equals(spec: Equals, result: TargetResult) -> Finding:
    """The value at the path, or the whole answer, is the one that was due."""
    if spec.path:
        given = value_at(result, spec.path)
    elif isinstance(spec.value, str):
        given = result.output if isinstance(result.output, str) else text_of(result)
    else:
        given = output_of(result)
    if same(spec.value, given, exact=spec.exact):
        return passed()
    kinds = f", which is {_kind(given)} and not {_kind(spec.value)}" if _kind(given) != _kind(spec.value) else ""
    return failed(f"is {quote(given)}{kinds}" if kinds else f"is {quote(given)}, not {quote(spec.value)}")


def same(due: Any, given: Any, *, exact: bool = False) -> bool:
    """Whether two JSON values are one: texts folded, numbers by value, lists in order, objects key by key.

    A number is never a text, and true is never 1. With `exact`, texts are compared as they stand, but for white space
    around them and for composed letters.
    """
    bounded(due)
    if _kind(due) != _kind(given):
        return False
    if isinstance(due, str):
        return as_given(due) == as_given(given) if exact else fold(due) == fold(given)
    if isinstance(due, list | tuple):
        return len(due) == len(given) and all(same(*pair, exact=exact) for pair in zip(due, given, strict=True))
    if isinstance(due, dict):
        return due.keys() == given.keys() and all(same(value, given[key], exact=exact) for key, value in due.items())
    return bool(due == given)


def fits_schema(spec: FitsSchema, result: TargetResult) -> Finding:
    """The answer is JSON of the schema."""
    fault = schema_fault(spec.schema, output_of(result))
    return failed(fault) if fault else passed()


def schema_fault(schema: dict[str, Any], value: Any) -> str:
    """What does not fit, and where; empty where all does. No reference leaves the schema, no pattern takes forever.

    Raises what jsonschema raises for a schema that is none, and TimeoutError for a pattern that takes too long.
    """
    from jsonschema.exceptions import best_match

    with bounded_in_time():
        error = best_match(_validator(Same(schema)).iter_errors(value))
    if error is None:
        return ""
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    return f"{where or 'the answer'}: {quote(error.message)[1:-1]}"


@lru_cache(maxsize=8)
def _validator(schema: Same) -> Any:
    from referencing import Registry

    return dialect(str(schema.value.get("$schema", "")))(schema.value, registry=Registry())


@lru_cache(maxsize=64)
def _ranks(order: tuple[str, ...]) -> dict[str, int]:
    """The place of each name in an order."""
    return {fold(name): place for place, name in enumerate(order)}


def not_above(spec: NotAbove, result: TargetResult) -> Finding:
    """The value does not stand before the one that was due, in the order from the highest to the lowest."""
    ranks = _ranks(tuple(spec.order))
    due = ranks.get(fold(spec.value))
    if due is None:
        return unscored(f"the check expects {quote(spec.value)}, which is not in its order")
    given = value_at(result, spec.path)
    rank = ranks.get(fold(given)) if isinstance(given, str) else None
    if rank is None:
        return failed(f"{quote(given)} is none of {', '.join(spec.order)}")
    return passed() if rank >= due else failed(f"is {quote(given)}, above {quote(spec.value)}")


def not_empty(spec: NotEmpty, result: TargetResult) -> Finding:
    """The value at the path holds something, or nothing: blanks, nulls and lists of them are nothing."""
    given = value_at(result, spec.path)
    if holds(given) == spec.expected:
        return passed()
    return failed(f"'{spec.path}' is empty" if spec.expected else f"'{spec.path}' is {quote(given)}, not empty")


def holds(value: Any) -> bool:
    """Whether a JSON value holds a text that is not blank, a number or a boolean."""
    if isinstance(value, str):
        return bool(fold(value))
    if isinstance(value, dict):
        return any(holds(item) for item in value.values())
    if isinstance(value, list | tuple):
        return any(holds(item) for item in value)
    return value is not None


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    raise UnfitError(f"{quote(value)} is not JSON")
