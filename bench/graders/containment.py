"""The check that an answer says nothing that its input does not."""

from typing import Any

import regex

from evalspec.bench.checks import Contained
from evalspec.bench.graders.answers import MAX_TEXT, UngradableError, bounded, leaves, value_at
from evalspec.bench.graders.finding import Finding, failed, passed, quote
from evalspec.bench.graders.folding import fold
from evalspec.bench.paths import PathError, at
from evalspec.bench.results import TargetResult

# a number with its sign, decimals and per cent is one token; a word keeps its combining marks (Bengali vowels, virama)
_TOKEN = regex.compile(r"(?:(?<![^\s(])-)?\p{Sc}?\p{Nd}++(?:[.,]\p{Nd}++)*+%?|\p{Sc}|[\p{L}\p{M}]++|\p{N}++")


def tokens(text: str) -> list[str]:
    """The words and numbers of a text, folded, without punctuation."""
    return [match.group() for match in _TOKEN.finditer(fold(text))]


def contained(spec: Contained, input_: Any, result: TargetResult) -> Finding:
    """Each text at the paths stands in the input; with a share under 1, so much of its tokens does."""
    source = _source(input_, spec.source)
    joined = " " + " \n ".join(" ".join(tokens(text)) for text in source) + " "
    known = frozenset(token for text in source for token in tokens(text))
    for path in spec.paths:
        for text in leaves(bounded(value_at(result, path))):
            words = tokens(text)
            if not words:
                continue
            if spec.share >= 1:
                if not stands(" ".join(words), joined):
                    return failed(f"{path}: {quote(text)} is not in the input")
                continue
            inside = sum(word in known for word in words)
            if inside + 1e-9 < spec.share * len(words):
                return failed(f"{path}: {inside} of {len(words)} tokens of {quote(text)} are in the input")
    return passed()


def stands(words: str, joined: str) -> bool:
    """Whether words stand in a source, from the start of a word on.

    They may end within a word, as a stem does, but not within a number nor before a combining mark.
    """
    place = joined.find(f" {words}")
    while place >= 0:
        after = joined[place + 1 + len(words)]
        if after == " " or (not words[-1].isdigit() and regex.match(r"\p{L}", after) and words[-1] != "%"):
            return True
        place = joined.find(f" {words}", place + 1)
    return False


def _source(input_: Any, path: str) -> list[str]:
    try:
        texts = leaves(bounded(at(input_, path)))
    except PathError as error:
        raise UngradableError(f"the case's input has no source: {error}") from None
    if sum(map(len, texts)) > MAX_TEXT:
        raise UngradableError("the case's input is too long to compare with")
    return texts
