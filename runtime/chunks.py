"""Documents cut into chunks: the stretches of text that prompts are made from."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from math import ceil

from evalspec.runtime.sources import Document
from evalspec.spec.passage import Boundary, Fact, Sensitive

MOST = 600
"""A document of no more words stays whole; a longer one is cut evenly into chunks of about 500."""
PIECE = 150
"""A paragraph of more than two pieces is cut into pieces of about so many words."""
SLACK = 100
"""So many words later a chunk may end, where it would end within a list otherwise."""
FEWEST = 100
"""A remainder of fewer words joins the chunk before it."""
_SENTENCE_END = re.compile(r"(?<=[.!?…;])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W\d_a-zà-ÿ]|[\"'“‘(\[]?\d|\()")
_OWN_LINE = re.compile(r"^\s*(?:[-*+•|>]|\d{1,3}[.)]\s|\([a-z0-9ivx]{1,4}\)\s)")
_QUOTES = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "`": "'", "´": "'", "\u00a0": " "}
)


def flatten(text: str) -> str:
    """Text as grounding compares it: runs of space as one, quote characters as straight ones, case kept."""
    return " ".join(text.translate(_QUOTES).split())


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of one document, on paragraph or sentence borders."""

    digest: str
    """Hexadecimal BLAKE2b (16 bytes) of its text."""
    text: str
    """Paragraphs with a blank line between them; a heading is a line that starts with `#`."""
    flat: str
    """The text as grounding compares it."""
    title: str
    document: str
    origin: str
    domains: tuple[str, ...]
    geographies: tuple[str, ...]
    as_of: str | None
    facts: tuple[Fact, ...]
    """Those whose statement stands in this chunk."""
    boundaries: tuple[Boundary, ...]
    sensitive: tuple[Sensitive, ...]


def chunks_of(documents: Iterable[Document]) -> tuple[Chunk, ...]:
    """All chunks of all documents, in order; of exact duplicates the first stays."""
    seen: dict[str, Chunk] = {}
    for document in documents:
        for text in split(document.text):
            chunk = _chunk(document, text)
            seen.setdefault(chunk.digest, chunk)
    return tuple(seen.values())


def _chunk(document: Document, text: str) -> Chunk:
    flat = flatten(text)
    return Chunk(
        digest=blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest(),
        text=text,
        flat=flat,
        title=document.title,
        document=document.name,
        origin=document.origin,
        domains=document.domains,
        geographies=document.geographies,
        as_of=document.as_of,
        facts=tuple(fact for fact in document.facts if flatten(fact.statement) in flat),
        boundaries=document.boundaries,
        sensitive=document.sensitive,
    )


def split(text: str) -> list[str]:
    """A text as chunks of about 500 words; no chunk is under 100 unless the text is."""
    blocks = list(_blocks(text))
    total = sum(len(block.split()) for block in blocks)
    if total <= MOST:
        return ["\n\n".join(blocks)] if blocks else []
    share = total / ceil(total / MOST)
    packed: list[list[str]] = [[]]
    done = 0
    for block in _pieces(blocks):
        words = len(block.split())
        late = done + words / 2 - share * len(packed)
        if packed[-1] and late > (SLACK if _continues(block, packed[-1][-1]) else 0):
            packed.append([])
        packed[-1].append(block)
        done += words
    return _joined(packed)


def _continues(block: str, before: str) -> bool:
    """Whether a block goes on with what the one before it began, as an entry of a list does."""
    return not before.startswith("#") and (block[:1].islower() or before.endswith((":", ",", ";", "—")))


def _joined(packed: list[list[str]]) -> list[str]:
    """Chunks as text; a heading goes with what follows it, a remainder with what precedes it."""
    for this, after in pairwise(packed):
        while len(this) > 1 and this[-1].startswith("#"):
            after.insert(0, this.pop())
    if len(packed) > 1 and sum(len(block.split()) for block in packed[-1]) < FEWEST:
        rest = packed.pop()
        packed[-1] += rest
    return ["\n\n".join(blocks) for blocks in packed if blocks]


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs, their wrapped lines joined; headings, list items and table rows keep lines of their own."""
    for raw in re.split(r"\n\s*\n", text):
        held: list[str] = []
        for line in raw.split("\n"):
            words = " ".join(line.split())
            if not words:
                continue
            if words.startswith("#"):
                if held:
                    yield "\n".join(held)
                    held = []
                yield words
            elif held and not _OWN_LINE.match(line):
                held[-1] += " " + words
            else:
                held.append(words)
        if held:
            yield "\n".join(held)


def _pieces(blocks: Iterable[str]) -> Iterator[str]:
    """Blocks; long ones cut at sentences, and sentences longer than a piece at words."""
    for block in blocks:
        if len(block.split()) <= 2 * PIECE:
            yield block
            continue
        held: list[str] = []
        size = 0
        for sentence in _sentences(block):
            words = len(sentence.split())
            if held and size + words > PIECE:
                yield " ".join(held)
                held, size = [], 0
            held.append(sentence)
            size += words
        if held:
            yield " ".join(held)


def _sentences(block: str) -> Iterator[str]:
    for line in block.split("\n"):
        for sentence in _SENTENCE_END.split(line):
            words = sentence.split()
            for start in range(0, len(words), PIECE):
                yield " ".join(words[start : start + PIECE])
