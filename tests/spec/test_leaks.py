"""When a prompt gives its answer away."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalspec.spec.leaks import fixed_words, gives_away
from evalspec.spec.plan import PlannedTemplate

WORD = st.from_regex(r"[a-z]{4,9}", fullmatch=True).filter(lambda word: gives_away(word, word))


@pytest.mark.parametrize(
    ("answer", "prompt"),
    [
        ("40 dollars", "Is it 40 dollars a year?"),
        ("40 dollars", "Is it 40\n  Dollars?"),
        ("365%", "They charge 365 % on it."),
        ("365%", "They charge 365 per cent on it."),
        ("$7,000", "My room is $7,000, is it not?"),
        ("5", "Is it 5, or more?"),
        ("5 days.", "Are 5 days enough?"),
        ("CDIC", "Is the CDIC the one?"),
        ("zebra crossing", "Is it a Zebra-Crossing?"),
        ("four days", "Two to four days, I hear."),
        ("«éclair»", "Un éclair ?"),
    ],
)
def test_an_answer_in_the_words_of_the_prompt_is_given_away(answer: str, prompt: str) -> None:
    assert gives_away(answer, prompt)


@pytest.mark.parametrize(
    ("answer", "prompt"),
    [
        ("365%", "A year of 365 days."),
        ("365", "They charge 365% on it."),
        ("365", "They charge $365 on it."),
        ("7", "It is $7,000."),
        ("40", "Is it 140 dollars, or 40.5?"),
        ("None", "None can be looked up."),
        ("No.", "Yes or no?"),
        ("four", "Reply in two to four sentences."),
        ("Twelve", "Say it in twelve words."),
        ("aucune", "Il n'y en a aucune."),
        ("zebra crossing", "Where is the zebra? At the crossing."),
        ("zebra crossing", "Zebra crossings are many."),
        ("zebra crossing", "Which is it?\nA) zebra crossing\nB) lien"),
        ("", "Anything."),
        ("?!", "Anything?!"),
    ],
)
def test_what_is_another_value_or_an_ordinary_word_gives_nothing_away(answer: str, prompt: str) -> None:
    assert not gives_away(answer, prompt)


def template(system: str, message: str) -> Any:
    """A template, as far as its prompt goes."""
    return PlannedTemplate.model_construct(system_prompt=system, user_message_template=message)


def test_the_templates_own_words_count_only_as_often_as_they_stand_in_it() -> None:
    values = {"geography_name": "Canada", "domain_name": "banking"}
    made = template("You answer for readers in {geography_name}.", "{% if topic %}Topic{% endif %}: {question}")
    fixed = fixed_words(made, values)
    shown = "You answer for readers in Canada.\n\nTopic: "
    assert not gives_away("Canada", shown + "Which country is it?", fixed)
    assert gives_away("Canada", shown + "Is it Canada?", fixed)


def test_words_on_both_sides_of_a_field_are_not_read_as_one() -> None:
    fixed = fixed_words(template("", "A mutual {question} fund."), {})
    assert gives_away("mutual fund", "A mutual fund, is it? fund.", fixed)


def test_a_name_of_the_slot_within_jinja_is_the_templates_own() -> None:
    fixed = fixed_words(
        template("", "For {{ geography_name | upper }}: {{ question | lowfirst }}"), {"geography_name": "Canada"}
    )
    assert not gives_away("Canada", "For CANADA: which country?", fixed)


@given(st.lists(WORD, min_size=1, max_size=4), st.lists(WORD, max_size=6), st.lists(WORD, max_size=6))
def test_an_answer_that_was_written_is_found_wherever_it_stands(
    answer: list[str], before: list[str], after: list[str]
) -> None:
    said = " ".join(answer)
    assert gives_away(said, " ".join([*before, *answer, *after]))
    assert not gives_away(said, " ".join([*before, *answer, *after]), " ".join([*before, *answer, *after]))
