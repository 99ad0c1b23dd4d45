"""Sentences of a text as verbatim stretches, and the excerpts that are cut from them."""

import re
from dataclasses import dataclass

_END = re.compile(r"(?<=[.!?])[\"”’)\]]?\s+(?=[\"“‘(\[]?[A-Z0-9À-Þ§$€£])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Inc|Ltd|Corp|Co|No|Nos|St|Mr|Mrs|Ms|Dr|vs|v|art|al|etc|e\.g|i\.e|p\.ex|cf|approx|para|s|ss|c)\.)$"
)
MAX_EXCERPT_CHARS = 700
"""Characters that an excerpt may have, so that a prompt with three of them stays under its limit."""
MAX_LONG_EXCERPT_CHARS = 1400
"""Characters that a long excerpt may have, which stands alone in its prompt."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of one paragraph: `text` is verbatim, without the space around it.

    Paragraphs that follow each other have successive numbers; a heading between them leaves a gap.
    """

    paragraph: int
    text: str


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text in order; headings and list markers are not sentences."""
    out: list[Sentence] = []
    number = 0
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        number += 1 + any(line.lstrip().startswith("#") for line in lines)
        paragraph = " ".join(line for line in lines if not line.lstrip().startswith("#"))
        out += [Sentence(number, part) for part in _split(" ".join(paragraph.split()))]
    return out


def _split(paragraph: str) -> list[str]:
    parts: list[str] = []
    for part in _END.split(paragraph):
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] += f" {part}"
        elif part:
            parts.append(part)
    return parts


def excerpt_around(
    found: list[Sentence], statement: str, max_chars: int = MAX_EXCERPT_CHARS, *, across: bool = False
) -> str | None:
    """The sentence that holds `statement` with its neighbours, up to `max_chars` characters.

    Neighbours are those of its paragraph, and with `across` those of the paragraphs around it too. None where no
    sentence holds the statement.
    """
    wanted = " ".join(statement.split())
    at = next((i for i, sentence in enumerate(found) if wanted in sentence.text), None)
    if at is None:
        return None
    low = high = at
    size = len(found[at].text)
    grown = True
    while grown:
        grown = False
        for step in (high + 1, low - 1):
            if not 0 <= step < len(found):
                continue
            edge = found[high if step > high else low].paragraph
            if abs(found[step].paragraph - edge) > int(across):
                continue
            if size + 1 + len(found[step].text) > max_chars:
                continue
            size += 1 + len(found[step].text)
            low, high = min(low, step), max(high, step)
            grown = True
    return " ".join(sentence.text for sentence in found[low : high + 1])
