"""Documents cut into chunks: the stretches of text that prompts are made from."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from itertools import pairwise
from math import ceil

from evalspec.runtime.sources import Document
from evalspec.spec.dataclass import dataclass
from evalspec.spec.passage import Boundary, Fact, Sensitive

MOST = 600
"""A document of no more words stays whole; a longer one is cut evenly into chunks of about 500."""
PIECE = 150
"""A paragraph of more than two pieces is cut into pieces of about so many words."""
SLACK = 100
"""So many words later a chunk may end, where it would end within a list otherwise, and so many sooner before one."""
FEWEST = 100
"""A remainder of fewer words joins the chunk before it."""
_SENTENCE_END = re.compile(r"(?<=[.!?…;])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W\d_a-zà-ÿ]|[\"'“‘(\[]?\d|\()")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"“‘'/-])(?:(?P<firm>Inc|Corp|Ltd|Co|Cos|Bros|Jr|Sr|etc|al|p\.c|a\.m|p\.m|(?:[A-Z]\.)+[A-Z])"
    r"|(?P<number>No|Nos|Art|Arts|Sec|Secs|Fig|Figs|Vol|Ch|Pt|Pts|Sch|Reg|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
    r"|no|nos|art|sec|fig|vol|ch|pt|pp?|paras?|ss?|cl|c|r|reg|sch|approx|ca)"
    r"|[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Ste|Mt|Hon|Rev|Gen|Gov|Sen|Rep|Messrs|vs?|cf|viz|e\.g|i\.e|Mme|Mlle)\.$"
)
"""What ends in a full stop that may end no sentence: `firm` before a name or a figure, `number` before a figure."""
_OPENING = re.compile(
    r"(?:The|This|These|That|Those|A|An|It|Its|In|On|At|As|By|For|From|If|When|Where|While|With|Under|However|But|And|Or"
    r"|We|Our|They|Their|He|She|His|Her|You|Your|There|Each|Every|Any|All|Such|No|Not|To|Some|Most|After|Before|Since"
    r"|Because|Although)\b(?!\.)"
)
"""Words that begin a sentence after a firm's name."""
_OWN_LINE = re.compile(r"^\s*(?:[-*+•|>]|\d{1,3}[.)]\s|\([a-z0-9ivx]{1,4}\)\s)")
_QUOTES = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "`": "'", "´": "'", "\u00a0": " "}
)


def flatten(text: str) -> str:
    """Text as grounding compares it: runs of space as one, quote characters as straight ones, case kept."""
    return " ".join(text.translate(_QUOTES).split())


@dataclass(frozen=True, slots=True)
class Cells:
    """The domains and geographies that a document is for; all, where it names none."""

    domains: tuple[str, ...]
    geographies: tuple[str, ...]


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
    serves: tuple[Cells, ...]
    """What its document is for; of a text that several documents hold, what each of them is for."""
    as_of: str | None
    facts: tuple[Fact, ...]
    """Those whose statement stands in this chunk."""
    boundaries: tuple[Boundary, ...]
    sensitive: tuple[Sensitive, ...]


def chunks_of(documents: Iterable[Document]) -> tuple[Chunk, ...]:
    """All chunks of all documents, in order; of exact duplicates the first stays, and serves what the others do."""
    seen: dict[str, Chunk] = {}
    for document in documents:
        for text in split(document.text):
            chunk = _chunk(document, text)
            first = seen.setdefault(chunk.digest, chunk)
            if chunk.serves[0] not in first.serves:
                seen[chunk.digest] = replace(first, serves=(*first.serves, *chunk.serves))
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
        serves=(Cells(document.domains, document.geographies),),
        as_of=document.as_of,
        facts=tuple(fact for fact in document.facts if fact.statement in text or flatten(fact.statement) in flat),
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
        if packed[-1] and late > _slack(block, packed[-1][-1]):
            packed.append([])
        packed[-1].append(block)
        done += words
    return _joined(packed)


def _slack(block: str, before: str) -> int:
    """How many words late a chunk may be for a border to come before this block."""
    if _continues(block, before):
        return SLACK
    return -SLACK if block.endswith((":", "—")) else 0


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
                yield _text_of(held)
                held, size = [], 0
            held.append(sentence)
            size += words
        if held:
            yield _text_of(held)


def _text_of(sentences: list[str]) -> str:
    return " ".join(sentences).replace(" \n", "\n").strip("\n")


def _sentences(block: str) -> Iterator[str]:
    """Sentences of a block; one that begins a line of its own, such as an entry of a list, begins with a line end."""
    for line in block.split("\n"):
        start = 0
        for end in (*(match.end() for match in _SENTENCE_END.finditer(line) if _is_end(line, match)), len(line)):
            words = line[start:end].split()
            for at in range(0, len(words), PIECE):
                yield ("" if start or at else "\n") + " ".join(words[at : at + PIECE])
            start = end


def _is_end(line: str, match: re.Match[str]) -> bool:
    """Whether a sentence ends at a match of what looks like an end, and no abbreviation does."""
    found = _ABBREVIATION.search(line[max(0, match.start() - 20) : match.start()])
    if found is None:
        return True
    after = line[match.end() : match.end() + 20].lstrip("\"'“‘([")
    if found["number"]:
        return not after[:1].isdigit() and not (len(found["number"]) == 1 and after[:1].isupper())
    return found["firm"] is not None and _OPENING.match(after) is not None
