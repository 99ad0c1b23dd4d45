"""Cutting documents into chunks."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalspec.runtime.chunks import FEWEST, MOST, chunks_of, split
from evalspec.runtime.sources import Document
from evalspec.runtime.sources.corpus import _passage


def words(count: int, start: int = 0) -> str:
    """Sentences of ten words."""
    out = [f"w{n}" for n in range(start, start + count)]
    for n in range(9, count, 10):
        out[n] += "."
    return " ".join(word.capitalize() if n % 10 == 0 else word for n, word in enumerate(out))


def paragraphs(count: int, size: int) -> str:
    return "\n\n".join(words(size, n * size) for n in range(count))


@pytest.mark.parametrize(("count", "chunks"), [(40, 1), (500, 1), (501, 1), (MOST, 1), (MOST + 1, 2), (2000, 4)])
def test_one_paragraph_is_cut_at_sentences_into_even_chunks(count: int, chunks: int) -> None:
    found = split(words(count))
    assert chunks == len(found)
    assert all(len(text.split()) <= MOST + 150 for text in found)
    assert words(count).split() == " ".join(found).split()
    assert all(text.endswith(".") for text in found[:-1])


@settings(max_examples=60)
@given(st.lists(st.integers(1, 700), min_size=1, max_size=12))
def test_no_word_is_lost_and_no_chunk_is_a_scrap(sizes: list[int]) -> None:
    text = "\n\n".join(words(size, at * 1000) for at, size in enumerate(sizes))
    found = split(text)
    assert text.split() == "\n\n".join(found).split()
    assert len(found) == 1 or min(len(chunk.split()) for chunk in found) >= FEWEST


def test_a_sentence_without_end_is_cut_at_words() -> None:
    found = split("word " * 5000)
    assert sum(len(text.split()) for text in found) == 5000
    assert max(len(text.split()) for text in found) <= MOST + 150


def test_a_heading_stays_with_its_text() -> None:
    text = "\n\n".join(f"## Part {n}\n\n{words(180, n * 200)}" for n in range(8))
    found = split(text)
    assert len(found) > 1
    assert [chunk[-40:] for chunk in found if chunk.split("\n\n")[-1].startswith("#")] == []
    assert all(chunk.startswith("#") for chunk in found)


def test_wrapped_lines_are_joined_and_lists_kept() -> None:
    assert split("# Head\nOne line\nthat goes on.\n\n- first\n  item\n- second") == [
        "# Head\n\nOne line that goes on.\n\n- first item\n- second"
    ]


def test_exact_duplicates_are_dropped_and_the_first_stays() -> None:
    documents = [Document(name, name, paragraphs(3, 50), "corpus") for name in ("a", "b")]
    assert [chunk.document for chunk in chunks_of(documents)] == ["a"]


def test_a_fact_goes_with_the_chunk_in_which_its_statement_stands(passage_of: Any) -> None:
    passage, _ = _passage(passage_of("parking", "banking"), "t")
    text = "\n\n".join(f"{block} {words(280)}" for block in passage.text.split("\n\n"))
    document = Document("a", "t", text, "corpus", facts=passage.front.facts)
    chunks = chunks_of([document])
    assert len(chunks) > 1
    assert [fact.id for chunk in chunks for fact in chunk.facts] == ["fact-1", "fact-2", "fact-3", "fact-4", "fact-5"]
    assert all(fact.statement in chunk.text for chunk in chunks for fact in chunk.facts)
