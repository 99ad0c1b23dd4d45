"""Sentences of a text as verbatim stretches, and the excerpts that are cut from them."""

import re
from collections.abc import Iterator, Sequence

from evalspec.spec.dataclass import dataclass

_END = re.compile(r"(?<=[.!?])(?P<close>[\"”’)\]]*)\s+(?=[\"“‘(\[«]?\s?[A-Z0-9À-Þ§$€£])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Inc|Ltd|Corp|Co|No|Nos|St|Mr|Mrs|Ms|Dr|vs|v|art|al|etc|e\.g|i\.e|p\.ex|cf|approx|para|s|ss|c)\.)$"
)
_MARKER = re.compile(r"^(?:(?:[-*+•|>]|\d{1,4}(?:\.\d+)*[.)]?|\([a-zA-Z0-9.]{1,6}\))\s+)+(?=[\"“A-ZÀ-Þ§$])")
MAX_EXCERPT_CHARS = 700
"""Characters that an excerpt may have, so that a prompt with three of them stays under its limit."""
MAX_LONG_EXCERPT_CHARS = 1400
"""Characters that a long excerpt may have, which stands alone in its prompt."""
_LONE_CHARS = 240
"""A paragraph under this many characters is no excerpt by itself, where there are others beside it."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of one paragraph: `text` is verbatim, without the space around it.

    Paragraphs that follow each other have successive numbers; a heading between them leaves a gap.
    """

    paragraph: int
    text: str
    heading: str = ""
    """The heading under which it stands."""

    @property
    def body(self) -> str:
        """The sentence without a list marker or a provision's number before it."""
        return self.text[match.end() :] if (match := _MARKER.match(self.text)) else self.text


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text in order; headings are not sentences."""
    out: list[Sentence] = []
    number = 0
    heading = ""
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        heads = [line.strip().lstrip("#").strip() for line in lines if line.lstrip().startswith("#")]
        heading = heads[-1] if heads else heading
        number += 1 + bool(heads)
        for run in _runs([line for line in lines if not line.lstrip().startswith("#")]):
            out += [Sentence(number, part, heading) for part in _split(" ".join(run.split()))]
    return out


def _runs(lines: list[str]) -> Iterator[str]:
    """Lines that belong together: wrapped ones as one, list items and table rows each by itself."""
    held: list[str] = []
    for line in lines:
        if held and re.match(r"\s*(?:[-*+•|>]\s|\d{1,3}[.)]\s)", line):
            yield " ".join(held)
            held = []
        held.append(line)
    if held:
        yield " ".join(held)


def _split(paragraph: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(paragraph):
        part = paragraph[start : match.end("close")]
        if _ABBREVIATION.search(part) or not part.strip():
            continue
        yield part
        start = match.end()
    if paragraph[start:]:
        yield paragraph[start:]


def excerpt_around(
    found: Sequence[Sentence], statement: str, max_chars: int = MAX_EXCERPT_CHARS, *, across: bool = False
) -> str | None:
    """The sentence that holds `statement` with its neighbours, up to `max_chars` characters.

    Neighbours are those of its paragraph, and with `across` those of the paragraphs around it too. A short paragraph
    takes in the ones beside it, up to the next heading. None where no sentence holds the statement.
    """
    wanted = " ".join(statement.split())
    at = next((i for i, sentence in enumerate(found) if wanted in sentence.text), None)
    if at is None:
        return None
    low, high = _grown(found, at, at, max_chars, int(across))
    if not across and sum(len(sentence.text) + 1 for sentence in found[low : high + 1]) < _LONE_CHARS:
        low, high = _grown(found, low, high, min(max_chars, 2 * _LONE_CHARS), 1)
    return " ".join(sentence.text for sentence in found[low : high + 1])


def _grown(found: Sequence[Sentence], low: int, high: int, max_chars: int, gap: int) -> tuple[int, int]:
    """The range widened by turns after and before, over gaps of at most `gap` paragraphs."""
    size = sum(len(sentence.text) + 1 for sentence in found[low : high + 1]) - 1
    grown = True
    while grown:
        grown = False
        for step in (high + 1, low - 1):
            if not 0 <= step < len(found):
                continue
            edge = found[high if step > high else low].paragraph
            if abs(found[step].paragraph - edge) > gap:
                continue
            if size + 1 + len(found[step].text) > max_chars:
                continue
            size += 1 + len(found[step].text)
            low, high = min(low, step), max(high, step)
            grown = True
    return low, high
