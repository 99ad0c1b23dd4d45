"""What FieldRules says of a document is what Cerberus says of it."""

from itertools import product
from typing import Any

import pytest
from cerberus import Validator

from evalspec.runtime.field_rules import FieldRules

_VALUES: tuple[Any, ...] = ("fine", "", "  ", None, 7, 2.5, True, [], ["a", "b"], {"a": 1}, "yes", "far too long")
_RULES: tuple[dict[str, Any], ...] = (
    {"type": "string", "empty": False, "minlength": 1, "maxlength": 5, "required": True, "meta": {"role": "text"}},
    {"type": "string", "nullable": True, "required": False, "allowed": ["yes", "no"]},
    {"type": "string", "regex": "[a-z]+"},
    {"type": ["integer", "string"], "min": 3, "max": 9},
    {"type": "list", "minlength": 1, "maxlength": 1, "schema": {"type": "string"}},
    {"type": "dict", "schema": {"a": {"type": "string"}}},
)


def _cerberus(rules: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    judge = Validator(rules, require_all=True, allow_unknown=False)
    judge.validate(document, normalize=False)
    return dict(judge.errors)


@pytest.mark.parametrize("rule", _RULES)
def test_every_value_is_judged_as_cerberus_judges_it(rule: dict[str, Any]) -> None:
    judge = FieldRules({"field": rule})
    documents = [{}, *({"field": value} for value in _VALUES)]
    for first, second in product(documents, documents):  # nothing of one document stays for the next
        judge.errors(first)
        assert _cerberus({"field": rule}, second) == judge.errors(second)


def test_a_field_that_is_right_hides_none_that_is_wrong() -> None:
    rules = {"one": _RULES[0], "other": _RULES[2]}
    judge = FieldRules(rules)
    for one, other in product(_VALUES, _VALUES):
        document = {"one": one, "other": other}
        assert _cerberus(rules, document) == judge.errors(document)


def test_a_field_that_no_rule_names_is_told() -> None:
    expected = {"more": ["unknown field"]}
    assert expected == FieldRules({"one": _RULES[0]}).errors({"one": "fine", "more": "x"})
