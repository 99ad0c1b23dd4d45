"""What is plainly sound needs no parse, and nothing that is unsound passes for it."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from evalspec.compiler.soundness import without_sound_jinja
from evalspec.spec.language import faults

NAMES = frozenset({"a", "b", "not"})
PIECES = st.sampled_from(
    [
        "{a}",
        "{c}",
        "{a",
        "{{ a }}",
        "{{ a | upper }}",
        "{{ a | uper }}",
        "{{ c }}",
        "{{ not }}",
        "{{ a.b }}",
        "{% if a %}",
        "{% if a == 'x' %}",
        "{% elif b %}",
        "{% else %}",
        "{% endif %}",
        "{% if not a %}",
        "{% if c %}",
        "{% raw %}",
        "{# x #}",
        "{",
        "}",
        "text",
        "\n",
        "'",
        "{{",
        "}}",
        "%}",
        "{%",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=8))
@example(["{% if a %}", "{", "{% endif %}"])
@example(["{", "{{ a }}"])
def test_the_shortcut_finds_what_a_parse_finds(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert faults(text, NAMES) == faults(without_sound_jinja(text, NAMES), NAMES)


def test_plain_printing_and_branching_needs_no_parse() -> None:
    text = "{% if a == 'x' %}{{ a | upper }}{% elif not b %}{b}{% else %}-{% endif %}"
    assert "{%" not in without_sound_jinja(text, NAMES)
