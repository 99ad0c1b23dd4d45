"""The dialect says of any value what jsonschema says, in the same words and at the same places."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft3Validator, Draft4Validator, Draft202012Validator

from evalspec.bench.dialect import SlowSchemaError, bounded_in_time, dialect
from evalspec.bench.reading.schemas import schema_at, schema_fault

NUMBERS = st.integers(-3, 3) | st.sampled_from([0.5, 2.0, -1.5])
TEXTS = st.sampled_from(["", "a", "ab", "abc", "é", "1"])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
PLAIN = st.fixed_dictionaries(
    {},
    optional={
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "const": VALUES,
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(0, 2),
        "minimum": NUMBERS,
        "exclusiveMaximum": NUMBERS,
        "multipleOf": st.sampled_from([2, 0.5]),
        "pattern": st.sampled_from(["^a", "b$", "[0-9]"]),
        "title": TEXTS,
    },
)
NAMES = st.sampled_from("abc")
SCHEMAS = st.recursive(
    PLAIN | st.booleans(),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "required": st.lists(NAMES, max_size=2, unique=True),
            "additionalProperties": inner,
            "items": inner,
            "uniqueItems": st.booleans(),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "type": TYPES,
        },
    ),
    max_leaves=6,
)


def said(validator: Any, value: Any) -> list[tuple[Any, ...]]:
    return [
        (e.message, tuple(e.absolute_path), tuple(e.absolute_schema_path), e.validator, e.validator_value)
        for e in validator.iter_errors(value)
    ]


@given(schema=SCHEMAS, value=VALUES)
def test_it_says_what_jsonschema_says(schema: Any, value: Any) -> None:
    assert said(dialect()(schema), value) == said(Draft202012Validator(schema), value)


@pytest.mark.parametrize(
    ("draft", "schema", "value"),
    [
        (Draft4Validator, {"properties": {"a": {"maximum": 3, "exclusiveMaximum": True}}}, {"a": 3}),
        (Draft4Validator, {"properties": {"a": {"$ref": "#/definitions/b"}}, "definitions": {"b": {"enum": [1]}}}, {}),
        (Draft3Validator, {"properties": {"a": {"type": "string", "required": True}}}, {}),
        (Draft3Validator, {"properties": {"a": {"type": "string", "divisibleBy": 2}}}, {"a": 3}),
    ],
)
def test_it_keeps_to_older_drafts(draft: Any, schema: Any, value: Any) -> None:
    name = draft.META_SCHEMA["$schema"]
    faults = said(dialect(name)(schema), value)
    assert faults == said(draft(schema), value)
    assert bool(faults) == ("definitions" not in schema)


DRAFT_7 = "http://json-schema.org/draft-07/schema#"
SLOW = {"properties": {"a": {"$schema": DRAFT_7, "pattern": "^(a|aa)+$"}}}


@pytest.mark.parametrize(
    "schema",
    [SLOW, {"allOf": [SLOW]}, {"$schema": DRAFT_7, "definitions": {"x": SLOW}, "$ref": "#/definitions/x"}],
    ids=["a property", "allOf", "a reference"],
)
def test_patterns_run_against_the_clock_in_a_subschema_of_another_draft(schema: dict[str, Any]) -> None:
    validator = dialect(schema.get("$schema", ""))(schema)
    assert said(validator, {"a": "a" * 20}) == []
    with pytest.raises(TimeoutError):
        said(validator, {"a": "a" * 60 + "b"})


def test_a_subschema_keeps_to_the_draft_that_it_names() -> None:
    old = {"$schema": Draft4Validator.META_SCHEMA["$schema"], "maximum": 3, "exclusiveMaximum": True}
    schema = {"properties": {"a": old, "b": {"maximum": 3}}}
    assert [fault[1] for fault in said(dialect()(schema), {"a": 3, "b": 3})] == [("a",)]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"properties": {"a": {"$ref": "#"}}, "not": {"$ref": "#"}},
        {"if": {"$ref": "#"}},
        {"$dynamicRef": "#x", "$dynamicAnchor": "x"},
        {"oneOf": [{"allOf": [{"not": {"$ref": "#"}}]}]},
    ],
    ids=["itself", "not", "if", "dynamic", "within others"],
)
def test_a_schema_that_refers_to_itself_is_an_exception_from_any_depth(schema: dict[str, Any]) -> None:
    def called(depth: int) -> None:
        if depth:
            called(depth - 1)
        else:
            said(dialect()(schema), None)

    for depth in range(40):  # where Python's bound is met in compiled code depends on it
        with pytest.raises(RecursionError):
            called(depth)


def test_a_value_as_deep_as_answers_are_read_is_checked_by_a_schema_that_refers_to_itself() -> None:
    value: Any = None
    for _ in range(62):
        value = {"next": value}
    schema = {"type": ["object", "null"], "properties": {"next": {"$ref": "#"}}}
    assert said(dialect()(schema), value) == []


@pytest.mark.parametrize(
    "value",
    [[1, 1.0], [True, 1], [0, False], [{"a": 1, "b": 2}, {"b": 2.0, "a": 1}], [[1], [True]], ["1", 1], [None, "null"]],
    ids=str,
)
def test_equal_entries_are_those_of_jsonschema(value: Any) -> None:
    schema = {"uniqueItems": True}
    assert said(dialect()(schema), value) == said(Draft202012Validator(schema), value)


def test_a_schema_whose_references_multiply_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalspec.bench.dialect.MOST_SECONDS", 0.2)
    steps = {f"s{n}": {"allOf": [{"$ref": f"#/$defs/s{n + 1}"}] * 2} for n in range(40)}
    schema = {"$defs": {**steps, "s40": {"type": "object"}}, "$ref": "#/$defs/s0"}
    with pytest.raises(SlowSchemaError), bounded_in_time():
        said(dialect()(schema), {})
    assert schema_fault(schema) == "the check of a value takes over 0.2 s"
    assert said(dialect()({"$ref": "#/$defs/s38", "$defs": schema["$defs"]}), {}) == []  # and no later check is


@pytest.mark.parametrize(
    ("schema", "at"),
    [
        ({"type": "object", "$ref": "#/type"}, "#/type"),
        ({"required": ["a"], "$ref": "#/required"}, "#/required"),
        ({"minProperties": 1, "properties": {"a": {"$ref": "#/minProperties"}}}, "#/minProperties"),
        ({"title": "a", "properties": {"a": {"$ref": "#/title"}}}, "#/title"),
        ({"const": {"a": {"type": 5}}, "properties": {"a": {"$ref": "#/const/a"}}}, "#/const/a"),
    ],
)
def test_a_reference_to_what_is_no_schema_is_a_fault(schema: dict[str, Any], at: str) -> None:
    assert schema_fault(schema) == f"$ref leads to {at}, which is no schema"
    if at != "#/const/a":
        with pytest.raises(ValueError, match="no schema"):
            said(dialect()(schema), {"a": 1})


def test_the_schema_of_a_part_that_refers_elsewhere_is_not_known() -> None:
    schema = {
        "$defs": {"c": {"$dynamicAnchor": "n"}},
        "properties": {"a": {"$dynamicRef": "#n"}, "b": {"type": "null"}},
    }
    assert (schema_at(schema, "a"), schema_at(schema, "b")) == (None, {"type": "null"})
