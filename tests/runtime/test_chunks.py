"""Cutting documents into chunks."""

from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalspec import spec
from evalspec.runtime.chunks import FEWEST, MOST, Cells, chunks_of, split
from evalspec.runtime.sources import Document
from evalspec.runtime.sources.corpus import CorpusSource, _passage
from evalspec.spec.config import CorpusFolder


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


@pytest.mark.parametrize(
    "sentence",
    [
        "Under the U.S. Code the fee of Mr. Smith is what J. P. Morgan vs. The Bank Inc. No. 52 says that it is.",
        "See s. 5 of R.S.C., 1985, c. B-4, and Fig. 3 of it.",
        "It was paid on Dec. 31 to St. John’s Trust Co. Ltd. at 5 p.m. in full.",
        "The clerk, e.g. Dr. Jones, wrote in Vol. 2 of it.",
    ],
)
def test_a_long_paragraph_is_not_cut_at_an_abbreviation(sentence: str) -> None:
    found = split(" ".join([sentence] * 120))
    assert len(found) > 1
    assert {(chunk[:9], chunk[-9:]) for chunk in found} == {(sentence[:9], sentence[-9:])}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("It was bought by the Bank Inc.", "The price was not told."),
        ("The answer to that is no.", "Then it is yes."),
        ("He lives in the U.S.", "It is far from here."),
        ("The clerk said “no.”", "Nobody else did."),
        ("It pays 5 per cent.", "12 banks pay more."),
    ],
)
def test_a_sentence_ends_where_a_new_one_opens_and_keeps_its_quotes(first: str, second: str) -> None:
    text = " ".join(f"{first} {second}" for _ in range(200))
    found = split(text)
    assert text.split() == " ".join(found).split()
    assert {chunk.startswith((first, second)) and chunk.endswith((first, second)) for chunk in found} == {True}


def test_the_entries_of_a_long_list_keep_their_lines() -> None:
    entries = [f"- entry {n} of the list that the office keeps" for n in range(120)]
    assert "\n\n".join(split("\n".join(entries))).replace("\n\n", "\n").split("\n") == entries


def test_a_list_begins_in_the_chunk_of_its_lead_in() -> None:
    entries = "\n\n".join(f"entry {n} of the list, which has some words;" for n in range(30))
    text = f"{words(500)}\n\nThe office keeps all of these:\n\n{entries}\n\n{words(400, 900)}"
    assert [chunk.startswith("The office keeps all") for chunk in split(text)].count(True) == 1


def test_the_chunks_of_the_shipped_corpus_keep_their_digests() -> None:
    corpus = Path(spec.__path__[0]) / "bfsi"
    read = CorpusSource(corpus, CorpusFolder(path="corpus"), "en").documents()
    chunks = chunks_of(item for item in read if isinstance(item, Document))
    digests = " ".join(chunk.digest for chunk in chunks)
    assert (len(chunks), blake2b(digests.encode(), digest_size=16).hexdigest()) == (
        90,
        "3d9359c4ed54ea07ac0da6f203101e83",
    )


def test_wrapped_lines_are_joined_and_lists_kept() -> None:
    assert split("# Head\nOne line\nthat goes on.\n\n- first\n  item\n- second") == [
        "# Head\n\nOne line that goes on.\n\n- first item\n- second"
    ]


def test_exact_duplicates_are_dropped_and_the_first_stays() -> None:
    documents = [Document(name, name, paragraphs(3, 50), "corpus") for name in ("a", "b")]
    assert [chunk.document for chunk in chunks_of(documents)] == ["a"]


@pytest.mark.parametrize(
    ("second", "serves"), [(("investing", "canada"), 2), (("banking", "canada"), 2), (("banking", "usa"), 1)]
)
def test_the_first_of_two_duplicates_serves_what_both_do(second: tuple[str, str], serves: int) -> None:
    documents = [
        Document(domain, "t", paragraphs(3, 50), "web", domains=(domain,), geographies=(geography,))
        for domain, geography in (("banking", "usa"), second)
    ]
    (chunk,) = chunks_of(documents)
    assert (chunk.document, len(chunk.serves)) == ("banking", serves)
    assert chunk.serves[-1] == Cells((second[0],), (second[1],))


def test_a_fact_goes_with_the_chunk_in_which_its_statement_stands(passage_of: Any) -> None:
    passage, _ = _passage(passage_of("parking", "banking"), "t")
    text = "\n\n".join(f"{block} {words(280)}" for block in passage.text.split("\n\n"))
    document = Document("a", "t", text, "corpus", facts=passage.front.facts)
    chunks = chunks_of([document])
    assert len(chunks) > 1
    assert [fact.id for chunk in chunks for fact in chunk.facts] == ["fact-1", "fact-2", "fact-3", "fact-4", "fact-5"]
    assert all(fact.statement in chunk.text for chunk in chunks for fact in chunk.facts)
