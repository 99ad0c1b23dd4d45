"""From raw replies to objects: what stands around, what is broken, what is cut off."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalspec.runtime.reading import MAX_CHARS, ReadError, read_reply

WANTED = {"members": [{"question": 'Why, {really}? "yes"', "n": [1, 2]}]}
TEXT = json.dumps(WANTED)


def fits(found: object) -> bool:
    return isinstance(found, dict) and "members" in found


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        "\ufeff" + TEXT,
        f"```json\n{TEXT}\n```",
        f"Here it is:\n{TEXT}",
        f"{TEXT}\nI hope that this helps {{you}}!",
        f'{{"thought": "first"}}\n{TEXT}',
        f"{TEXT}\n{TEXT.replace('Why', 'How')}",
        f"The shape {{shared, members}} was asked for: {TEXT}",
        f"An open brace {{ stands here. {TEXT}",
        TEXT.replace("2]}", "2,]},"),
        TEXT[:-1] + " ,\n}",
    ],
)
def test_the_object_is_found_whatever_stands_around_it(reply: str) -> None:
    assert read_reply(reply, fits) == WANTED


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "the reply is empty"),
        ("  \n", "the reply is empty"),
        ("null", "the reply is null, not an object"),
        ("[]", "the reply is a list, not an object"),
        ('"text"', "the reply is a string, not an object"),
        ("12", "the reply is a number, not an object"),
        ("I cannot do that.", "the reply holds no complete JSON object"),
        ('{"members": [NaN]}', "the reply holds no complete JSON object"),
        ("{" * 5000, "the reply holds no complete JSON object"),
        ("[" * 200_000, "the reply holds no complete JSON object"),
        ("x" * (MAX_CHARS + 1), "the reply has 1,000,001 characters, at most 1,000,000 are read"),
    ],
)
def test_what_holds_no_object_is_refused_with_the_reason(reply: str, reason: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_reply(reply, fits)
    assert reason == str(caught.value)


@given(st.integers(min_value=1, max_value=len(TEXT) - 1))
def test_a_reply_cut_off_anywhere_is_never_made_whole(cut: int) -> None:
    with pytest.raises(ReadError):
        read_reply(TEXT[:cut], fits)


def test_a_comma_inside_a_string_is_no_trailing_comma() -> None:
    assert read_reply('{"members": ["a,]", "b,}"],}', fits) == {"members": ["a,]", "b,}"]}


def test_an_object_that_does_not_fit_is_given_where_none_does() -> None:
    assert read_reply('Sorry: {"error": 1}', fits) == {"error": 1}


@given(st.dictionaries(st.text(), st.recursive(st.text() | st.integers() | st.none(), st.lists, max_leaves=5)))
def test_any_object_comes_back_from_a_fence(value: dict[str, object]) -> None:
    assert read_reply(f"```json\n{json.dumps(value)}\n```", lambda _found: True) == value


@given(st.text())
def test_no_text_makes_reading_fail_otherwise(text: str) -> None:
    try:
        assert isinstance(read_reply(text, fits), dict)
    except ReadError as error:
        assert str(error)


def test_half_a_character_is_read_and_not_an_error() -> None:
    assert read_reply('{"members": ["\ud83d"]}', fits) == {"members": ["\ud83d"]}
    assert read_reply('{"members": ["\\ud83d"]}', fits) == {"members": ["\ud83d"]}
