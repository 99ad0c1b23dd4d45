"""Draws are functions of their key: the same everywhere, and spread evenly."""

import uuid
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evalspec.spec.draw import draw, draw_uuid4, pick, shuffled


def test_a_draw_is_the_same_on_every_machine() -> None:
    assert draw(42, "a", 1) == 17344813098931363501
    assert draw_uuid4(42, "x") == "e76f9c8c-ef1c-4d61-85be-83cbcc62a05c"


def test_keys_that_read_alike_when_joined_draw_apart() -> None:
    assert draw(42, "a", 1) != draw(42, "a1")


@given(st.integers(0, 2**63 - 1), st.text(max_size=20))
def test_a_drawn_uuid_is_version_4(seed: int, key: str) -> None:
    drawn = uuid.UUID(draw_uuid4(seed, key))
    assert (drawn.version, drawn.variant) == (4, uuid.RFC_4122)


@given(st.lists(st.integers()), st.integers(0, 99))
def test_a_shuffle_keeps_every_item(items: list[int], seed: int) -> None:
    assert Counter(shuffled(items, seed, "key")) == Counter(items)


def test_picks_are_even_to_within_a_tenth() -> None:
    counts = Counter(pick("abcd", 7, number) for number in range(8000))
    assert all(1800 <= count <= 2200 for count in counts.values())
