"""The dialect says of any value what jsonschema says, in the same words and at the same places."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft3Validator, Draft4Validator, Draft202012Validator

from evalspec.bench.dialect import dialect

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
