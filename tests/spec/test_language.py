"""The text language: what is a placeholder, what is literal, and what the sandbox refuses."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalspec.spec.language import RenderError, faults, names_used, placeholders, render
from evalspec.spec.sandbox import FILTERS

NAMES = frozenset({"question", "excerpt", "value"})


def test_json_braces_are_literal() -> None:
    text = 'Return {"answer": "...", "source_ids": [1], "unknown": true|false} for {question}'
    assert faults(text, NAMES) == []
    assert render(text, {"question": "Why?"}) == text.replace("{question}", "Why?")


def test_a_value_that_holds_a_placeholder_is_not_expanded_again() -> None:
    assert render("{question}", {"question": "{excerpt} {{ value }}", "excerpt": "no", "value": "no"}) == (
        "{excerpt} {{ value }}"
    )


@pytest.mark.parametrize(
    ("text", "kind", "start", "end"),
    [
        ("Ask: {question", "unclosed", 5, 14),
        ("Say {unknown_name} now", "unknown", 4, 18),
        ("a\n{{ question.b.c }}", "sandbox", 16, 17),
        ("{% for x in question %}", "sandbox", 0, 23),
        ("a\n{% if question %}\nb", "syntax", 2, 19),
        ("a {{ question\nb", "syntax", 2, 4),
        ("{% if question %}{% set a = 1 %}{% endif %}", "sandbox", 17, 32),
        ("{{ ''.__class__.__mro__ }}", "sandbox", 16, 23),
        ("{% include '/etc/passwd' %}", "sandbox", 0, 27),
        ("{{ 'a' * 10**10 }}", "sandbox", 0, 18),
        ("{{ lipsum() }}", "sandbox", 0, 14),
        ("{{ question | center(10) }}", "unknown", 14, 20),
        ("{{ missing }}", "unknown", 3, 10),
    ],
)
def test_a_fault_is_found_at_its_characters(text: str, kind: str, start: int, end: int) -> None:
    first = faults(text, NAMES)[0]
    assert (first.kind, first.start, first.end) == (kind, start, end)


@pytest.mark.parametrize(
    "attack",
    [
        "{{ [].__class__ }}",
        "{{ question['__class__'] }}",
        "{{ self }}",
        "{{ range(10**9) }}",
        "{% set x = question %}",
        "{% macro m() %}{% endmacro %}",
        "{{ question ~ question }}",
        "{{ (1, 2) }}",
        "{{ {1: 2} }}",
        "{% call question() %}{% endcall %}",
        "{% import 'x' as y %}",
        "{% extends 'x' %}",
        "{{ 9 ** 9 ** 9 }}",
        "{{ question | attr('x') }}",
    ],
)
def test_the_sandbox_refuses(attack: str) -> None:
    assert faults(attack, NAMES) != []
    with pytest.raises(RenderError):
        render(attack, dict.fromkeys(NAMES, "x"))


def test_a_name_without_a_value_is_an_error() -> None:
    with pytest.raises(RenderError):
        render("{{ value | upper }}", {"question": "q"}, NAMES)


def test_names_are_found_in_placeholders_and_in_blocks() -> None:
    text = "{question} {% if value %}{{ excerpt | lower }}{% endif %} {other}"
    assert names_used(text, NAMES) == {"question", "value", "excerpt"}
    assert [name for name, _, _ in placeholders(text)] == ["question", "other"]


@given(st.text(max_size=300))
def test_any_text_is_judged_without_an_exception(text: str) -> None:
    wrong = faults(text, NAMES)
    assert all(0 <= fault.start < fault.end <= max(len(text), 1) for fault in wrong)


@given(st.text(max_size=100), st.text(alphabet=st.characters(exclude_characters="{}\r"), max_size=100))
def test_a_value_comes_out_as_it_went_in(value: str, around: str) -> None:
    assert render(around + "{value}" + around, {"value": value}) == around + value + around


@given(st.text(min_size=1, max_size=80))
def test_filters_give_text_for_any_text(value: str) -> None:
    assert all(isinstance(function(value), str) for function in FILTERS.values())


def test_hurried_typing_keeps_figures() -> None:
    typed = FILTERS["noisy"]("What is the contribution limit for 2024, $7,000 or $6,500?")
    assert ("2024," in typed, "$7,000" in typed, "$6,500" in typed) == (True, True, True)


@given(
    st.text(alphabet='ab{}"#% \n<&é', max_size=30),
    st.sampled_from(["{question}", "{value}", "{excerpt}"]),
    st.text(alphabet='ab{}"#% \n<&é', max_size=30),
    st.dictionaries(st.sampled_from(sorted(NAMES)), st.text(max_size=20), min_size=3, max_size=3),
)
def test_plain_placeholders_give_what_jinja_gives(before: str, name: str, after: str, values: dict[str, str]) -> None:
    source = before + name + after
    assume(not faults(source, NAMES))
    assert render(source, values, NAMES) == render("{% if value %}{% endif %}" + source, values, NAMES)


def test_a_placeholder_without_a_value_says_which() -> None:
    with pytest.raises(RenderError, match="'value' is undefined"):
        render("{question} {value}", {"question": "a"}, NAMES)
