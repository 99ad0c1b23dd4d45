"""The lowering of schemas to what a service takes."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from evalspec.runtime.providers.dialects import DIALECTS, Lowering, lowered
from evalspec.runtime.shapes import Shapes


def nodes(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for item in schema for found in nodes(item)]
    if not isinstance(schema, dict):
        return []
    inner = [found for key, value in schema.items() if key != "properties" for found in nodes(value)]
    return [schema, *inner, *(found for value in schema.get("properties", {}).values() for found in nodes(value))]


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("strategy", [None, "leading", "conflict"])
def test_schemas_stay_sound_and_keep_to_their_dialect(plan_of: Any, strategy: str | None, name: Any) -> None:
    plan = plan_of(strategy=strategy)
    shapes = Shapes(plan)
    for group in plan.groups:
        schema = lowered(shapes.of(group).schema, name)
        Draft202012Validator.check_schema(schema)
        for node in nodes(schema):
            assert set(node) <= DIALECTS[name].keywords
            if node.get("type") == "object":
                assert (False, list(node["properties"])) == (node["additionalProperties"], node["required"])


@pytest.mark.parametrize("name", DIALECTS)
def test_what_fits_a_schema_fits_what_it_is_lowered_to(plan_of: Any, good: Any, name: Any) -> None:
    shapes = Shapes(plan_of())
    for group in plan_of().groups:
        schema = shapes.of(group).schema
        prompt = "Request A.\n=====SOURCE1=====\n\nRule sets ten. More.\n\n=====SOURCE1====="
        body = {"messages": [{}, {"content": prompt}], "response_format": {"json_schema": {"schema": schema}}}
        reply = good(body)
        assert list(Draft202012Validator(schema).iter_errors(reply)) == []
        assert list(Draft202012Validator(lowered(schema, name)).iter_errors(reply)) == []


def test_fields_that_are_named_like_keywords_stay() -> None:
    schema = {"type": "object", "properties": {"pattern": {"type": "string", "maxLength": 3}}}
    assert lowered(schema, "openai") == {"type": "object", "properties": {"pattern": {"type": "string"}}}


@pytest.mark.parametrize(
    ("name", "schema", "expected"),
    [
        ("anthropic", {"type": "array", "minItems": 3, "maxItems": 3}, {"type": "array"}),
        ("anthropic", {"type": "array", "minItems": 1}, {"type": "array", "minItems": 1}),
        ("anthropic", {"type": ["string", "null"], "enum": ["a", None]}, {"enum": ["a", None]}),
        ("anthropic", {"type": "string", "const": "a"}, {"const": "a"}),
        ("openai", {"type": "integer", "minimum": 1, "multipleOf": 2}, {"type": "integer", "minimum": 1}),
        ("local", {"type": "string", "maxLength": 4000, "pattern": "a"}, {"type": "string", "maxLength": 1200}),
        ("mistral", {"anyOf": [{"type": "string", "minLength": 1}]}, {"anyOf": [{"type": "string"}]}),
    ],
)
def test_keywords_are_dropped_where_they_would_be_refused(
    name: Any, schema: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert lowered(schema, name) == expected


def test_a_schema_is_lowered_once_and_left_as_it_was() -> None:
    schema = {"type": "string", "maxLength": 5}
    lowering = Lowering("openai")
    assert lowering.of(schema) is lowering.of(schema)
    assert schema == {"type": "string", "maxLength": 5}
