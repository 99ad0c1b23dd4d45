"""Duplicates are found exactly, and fall by whole groups."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalspec.outputs import database, dedup, pairs
from evalspec.outputs.dedup import Fallen, Text, find_duplicates
from evalspec.outputs.embedder import Hashed
from evalspec.outputs.facts import facts_of, jurisdiction_names
from evalspec.spec.config import Dedup

BASE = (
    "how does the issuer of a bond change the coupon and the yield that every holder of the bond is paid over the term"
)
LONG = f"{BASE} and which of the notices must the trustee of the fund send to holders and to brokers before a sale"
"""Long enough that a word more or less leaves the cosine over 0.97."""


def verdict(texts: Sequence[tuple[str, str]], **options: Any) -> dedup.Duplicates:
    """Of pairs (group, text), groups ranked as they first stand."""
    groups = list(dict.fromkeys(group for group, _ in texts))
    given = [Text(groups.index(group), group, f"{group}.{n}", text) for n, (group, text) in enumerate(texts)]
    with database.opened() as connection:
        return find_duplicates(connection, given, Dedup(**options))


def fallen(texts: Sequence[tuple[str, str]], **options: Any) -> list[str]:
    return [entry.group_id for entry in verdict(texts, **options).fallen]


def test_the_first_is_kept_and_the_later_group_falls_whole() -> None:
    texts = [("a", BASE), ("b", "what is a lien"), ("b", BASE.upper())]
    assert (Fallen("b", "b.2", "a", "a.0", 1.0),) == verdict(texts).fallen


def test_members_of_one_group_may_be_close() -> None:
    assert fallen([("a", BASE), ("a", BASE), ("a", f"{BASE}!")]) == []


def test_of_a_chain_whose_ends_differ_both_ends_are_kept() -> None:
    a, b, c = f"{LONG} alpha", f"{LONG} alpha beta", f"{LONG} alpha beta gamma"
    assert fallen([("a", a), ("b", b), ("c", c)], threshold=0.99) == ["b"]
    assert fallen([("b", b), ("c", c)], threshold=0.99) == ["c"]
    assert fallen([("a", a), ("c", c)], threshold=0.99) == []


def test_a_group_that_falls_takes_no_other_with_it() -> None:
    other = "which notary must sign the lease of an estate"
    assert fallen([("a", BASE), ("b", BASE), ("b", other), ("c", other)]) == ["b"]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("2023 limit", "2024 limit"),
        ("a holder may", "a holder may not"),
        ("$1,000", "$10,000"),
        ("5 percent", "6 percent"),
        ("in June", "in July"),
        ("in Canada", "in the United States"),
        ("under the TFSA", "under the RRSP"),
        ("two holders", "three holders"),
        ("a Canadian broker", "an American broker"),
    ],
)
def test_prompts_that_differ_in_a_fact_are_kept_and_counted(one: str, two: str) -> None:
    pair = [("a", f"{LONG} {LONG} {one}"), ("b", f"{LONG} {LONG} {two}")]
    assert (len(verdict(pair).fallen), verdict(pair).spared) == (0, 1)
    assert fallen(pair, facts_distinguish=False) == ["b"]


def test_figures_written_in_two_ways_are_one_figure() -> None:
    assert facts_of("1,000.50 and 2024.") == facts_of("1\u202f000.50 and 2024")
    assert facts_of("you don't") == facts_of("you do not")
    assert facts_of("IN CANADA") == ("canada",)
    assert jurisdiction_names(["the United Kingdom"]) == ("kingdom", "united")


def test_a_threshold_of_one_keeps_everything() -> None:
    assert fallen([("a", BASE), ("b", BASE)], threshold=1.0) == []


def test_texts_without_words_are_like_nothing() -> None:
    assert fallen([("a", "?!"), ("b", "?!"), ("c", "")]) == []
    assert fallen([]) == []


def test_one_text_in_a_thousand_groups_leaves_one() -> None:
    assert len(fallen([(f"g{n}", BASE + "?" * (n % 7)) for n in range(1000)])) == 999


def test_texts_that_come_again_move_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dedup, "_MOVED", 3)
    texts = [Text(n, str(n), str(n), f"{LONG} {n // 2 if n % 3 else 'again'}") for n in range(40)]
    tables = dedup.compared(texts, Dedup(facts_distinguish=False, threshold=0.9999))
    numbers = tables["entries"]["text"].to_pylist()
    seen = [text.text for text in texts]
    assert [seen.index(text) for text in seen] == [numbers.index(number) for number in numbers]
    assert all(a == b for a, b in zip(*(tables["pairs"][side].to_pylist() for side in "ab"), strict=True))


def test_vectors_do_not_depend_on_the_other_texts() -> None:
    alone = Hashed().embed([BASE])
    among = Hashed().embed(["x y z", BASE, ""])
    assert np.array_equal(alone[0], among[1])
    assert np.linalg.norm(among, axis=1).round(6).tolist() == [1.0, 1.0, 0.0]


WAYS = ((0, 1e-4), (10**6, -1.0), (10**6, 2.0))
"""By directions, by whole rows, and by the first places: what `_SMALL` and `_FEW` are for each."""
WORD = st.sampled_from(["lien", "bond", "fund", "term", "sale", "coupon", "the", "of", "a"])
TEXT = st.lists(WORD, max_size=12).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(TEXT, min_size=1, max_size=40), threshold=st.sampled_from([0.5, 0.8, 0.9, 0.97, 0.999]))
def test_all_pairs_are_those_of_brute_force(texts: list[str], threshold: float) -> None:
    vectors = Hashed(256).embed(texts)
    exact = vectors.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1)
    expected = {
        (i, j)
        for i in range(len(texts))
        for j in range(i + 1, len(texts))
        if lengths[i] and lengths[j] and round(float(exact[i] @ exact[j]) / (lengths[i] * lengths[j]), 12) > threshold
    }
    for small, few in WAYS:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (("BLOCK", 7), ("WIDE", 13), ("_SMALL", small), ("_FEW", few), ("_PLACES", 16)):
                patch.setattr(pairs, name, value)
            left, right, _ = pairs.pairs_over(vectors, threshold)
        assert expected == set(zip(left.tolist(), right.tolist(), strict=True))
        assert len(expected) == len(left)


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 90),
    dimensions=st.integers(2, 40),
    spread=st.sampled_from([0.01, 0.1, 0.3, 1.0]),
    threshold=st.sampled_from([0.3, 0.9, 0.97, 0.999]),
)
def test_no_pair_of_clustered_vectors_is_missed_and_none_comes_twice(
    seed: int, rows: int, dimensions: int, spread: float, threshold: float
) -> None:
    """Clusters of all widths, with rows of zeros among them."""
    drawn = np.random.default_rng(seed)
    centres = drawn.standard_normal((5, dimensions))
    vectors = centres[drawn.integers(0, 5, rows)] + spread * drawn.standard_normal((rows, dimensions))
    vectors[drawn.random(rows) < 0.1] = 0
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0).astype(np.float32)
    exact = unit.astype(np.float64)
    norms = np.linalg.norm(exact, axis=1)
    cosines = np.round(exact @ exact.T / np.outer(norms, norms).clip(1e-30), 12)
    expected = sorted((i, j) for i in range(rows) for j in range(i + 1, rows) if cosines[i, j] > threshold)
    for small, few in WAYS:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (("BLOCK", 7), ("WIDE", 13), ("_SMALL", small), ("_FEW", few), ("_PLACES", 16)):
                patch.setattr(pairs, name, value)
            left, right, _ = pairs.pairs_over(unit, threshold)
        assert expected == list(zip(left.tolist(), right.tolist(), strict=True))


def greedy(texts: Sequence[tuple[str, str]], threshold: float) -> list[str]:
    """Keep groups in order, unless a member is close to a member of a kept one."""
    vectors = Hashed().embed([text for _, text in texts]).astype(np.float64)
    members: dict[str, list[int]] = {}
    for position, (group, _) in enumerate(texts):
        members.setdefault(group, []).append(position)
    kept: list[int] = []
    gone = []
    for group, positions in members.items():
        if any(round(float(vectors[a] @ vectors[b]), 6) > threshold for a in positions for b in kept):
            gone.append(group)
        else:
            kept += positions
    return gone


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(st.tuples(st.sampled_from("abcdefghij"), TEXT), max_size=30))
def test_groups_fall_as_one_pass_over_them_says(texts: list[tuple[str, str]]) -> None:
    assert greedy(texts, 0.75) == fallen(texts, threshold=0.75, facts_distinguish=False)
