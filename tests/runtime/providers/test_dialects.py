"""The lowering of schemas to what a service takes."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from evalspec.runtime.providers.dialects import DIALECTS, Lowering, lowered, raised, raised_text
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
        sent = lowered(schema, name)
        assert (
            list(Draft202012Validator(sent).iter_errors(numbered(reply, schema) if name == "anthropic" else reply))
            == []
        )
        assert raised(numbered(reply, schema), schema) == reply


def numbered(value: Any, schema: dict[str, Any]) -> Any:
    """A value with an object in place of each list of a fixed number of items."""
    if isinstance(value, dict):
        return {name: numbered(item, schema["properties"][name]) for name, item in value.items()}
    if not isinstance(value, list):
        return value
    items = [numbered(item, schema["items"]) for item in value]
    if schema.get("minItems", 0) != schema.get("maxItems"):
        return items
    return {str(number): item for number, item in enumerate(items, 1)} or None


@pytest.mark.parametrize(
    ("text", "schema", "expected"),
    [
        (
            '{"1": "é", "2": {"1": 1}}',
            {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
            None,
        ),
        ("null", {"type": "array", "items": {}, "maxItems": 0}, "[]"),
        ('{"1": 1', {"type": "array", "items": {}, "minItems": 1, "maxItems": 1}, '{"1": 1'),
        ('{"2": 1}', {"type": "array", "items": {}, "minItems": 1, "maxItems": 1}, '{"2": 1}'),
        ("[" * 100_000, {"type": "array", "items": {}, "minItems": 1, "maxItems": 1}, "[" * 100_000),
        (
            '{"a": null}',
            {"type": "object", "properties": {"a": {"type": ["array", "null"], "items": {}}}},
            '{"a": null}',
        ),
        ('{"a":  [1]}', {"type": "object", "properties": {"a": {"type": "array", "items": {}}}}, '{"a":  [1]}'),
        (
            '{"a": {"1": {"b": null}}}',
            {
                "type": "object",
                "properties": {
                    "a": {
                        "anyOf": [
                            {"type": "null"},
                            {
                                "type": "array",
                                "minItems": 1,
                                "maxItems": 1,
                                "items": {
                                    "type": "object",
                                    "properties": {"b": {"type": "array", "items": {}, "maxItems": 0}},
                                },
                            },
                        ]
                    }
                },
            },
            '{"a": [{"b": []}]}',
        ),
    ],
)
def test_a_reply_of_numbered_items_comes_back_with_lists(
    text: str, schema: dict[str, Any], expected: str | None
) -> None:
    assert raised_text(text, schema) == (expected or '["é", {"1": 1}]')


def test_fields_that_are_named_like_keywords_stay() -> None:
    schema = {"type": "object", "properties": {"pattern": {"type": "string", "maxLength": 3}}}
    assert lowered(schema, "openai") == {"type": "object", "properties": {"pattern": {"type": "string"}}}


@pytest.mark.parametrize(
    ("name", "schema", "expected"),
    [
        (
            "anthropic",
            {"type": "array", "items": {"type": "string", "maxLength": 9}, "minItems": 2, "maxItems": 2},
            {
                "type": "object",
                "properties": {"1": {"type": "string"}, "2": {"type": "string"}},
                "required": ["1", "2"],
                "additionalProperties": False,
            },
        ),
        ("anthropic", {"type": "array", "items": {"type": "string"}, "minItems": 0, "maxItems": 0}, {"type": "null"}),
        (
            "anthropic",
            {"type": "array", "description": "Ways.", "minItems": 2, "maxItems": 4},
            {"type": "array", "description": "Ways. (2 to 4 items)"},
        ),
        ("anthropic", {"type": "array", "maxItems": 4}, {"type": "array", "description": "(at most 4 items)"}),
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
