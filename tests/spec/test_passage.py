"""Passages: front matter is read, and what the text does not bear out is named."""

import pytest

from evalspec.spec.passage import PassageError, faults, parse_passage

GOOD = """+++
title = "Interest"
domains = ["banking"]
geographies = ["canada"]
[[facts]]
id = "rate"
kind = "figure"
subject = "the rate"
ask = "What is the rate?"
statement = "The rate is 5 per cent."
value = "5 per cent"
near = "6 per cent"
near_why = "it was the rate before"
unsaid = "whether it will fall"
+++
Some words. The rate
is 5 per cent. More words.
"""


def test_front_matter_and_text_are_told_apart() -> None:
    passage = parse_passage(GOOD, "x")
    assert (passage.front.title, passage.front.domains, passage.text) == (
        "Interest",
        ("banking",),
        "Some words. The rate\nis 5 per cent. More words.",
    )
    assert list(faults(passage)) == []


def test_a_file_without_front_matter_is_a_passage_without_facts() -> None:
    passage = parse_passage("\ufeffJust text.\r\nMore.", "the title")
    assert (passage.front.title, passage.front.facts, passage.text) == ("the title", (), "Just text.\nMore.")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[[facts]]", "[[facts"), "not TOML"),
        (('id = "rate"', 'id = "The Rate"'), "facts.0.id"),
        (('kind = "figure"', 'kind = "number"'), "facts.0.kind"),
        (("+++\nSome", "Some"), "never closed"),
    ],
)
def test_broken_front_matter_is_named(change: tuple[str, str], said: str) -> None:
    with pytest.raises(PassageError, match=said.replace(".", r"\.")):
        parse_passage(GOOD.replace(*change), "x")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("is 5 per cent. More", "is five. More"), "does not stand verbatim"),
        (('value = "5 per cent"', 'value = "7"'), "does not stand in its statement"),
        (('near = "6 per cent"', 'near = "5 per cent"'), "the same"),
    ],
)
def test_what_the_text_does_not_bear_out_is_named(change: tuple[str, str], said: str) -> None:
    assert any(said in fault for fault in faults(parse_passage(GOOD.replace(*change), "x")))
