"""Sentences with a gap, for a text in which no pattern finds enough to ask for."""

import re
from collections.abc import Iterator, Sequence

from evalspec.runtime.composer.figures import shapes, unit_of
from evalspec.runtime.composer.finding import Finding, usable
from evalspec.runtime.composer.naming import Named
from evalspec.runtime.composer.phrasebook import Phrasebook
from evalspec.runtime.composer.sentences import Sentence
from evalspec.spec.draw import draw, pick
from evalspec.spec.language import render

_WORD = re.compile(r"[^\W\d_]{8,}")


def gaps(found: Sequence[Sentence], book: Phrasebook, language: str, name: Named, seed: int) -> Iterator[Finding]:
    """One a sentence: a figure where there is one, else its longest word that no other sentence has."""
    figure = re.compile(shapes(language).figure)
    texts = [sentence.body for sentence in found]
    fit = [at for at, text in enumerate(texts) if _whole(text) and text not in texts[:at]]
    alone = [at for at in fit if not re.search(book.anaphora, texts[at], re.IGNORECASE)]
    alone = [at for at in alone if not re.search(book.reference, texts[at])]
    for at in alone if len(alone) > 1 else fit:
        text = texts[at]
        figures = [match[0] for match in figure.finditer(text) if text.count(match[0]) == 1]
        words = [word for word in _WORD.findall(text) if word.islower() and text.count(word) == 1]
        if figures:
            yield _gap(at, text, "figure", pick(figures, seed, "figure", text), book, name, seed)
        elif words:
            value = max(words, key=lambda word: (len(word), draw(seed, "term", text, word)))
            yield _gap(at, text, "term", value, book, name, seed)


def _whole(text: str) -> bool:
    return usable(text) and not text.endswith(";") and text[:1].isupper()


def _gap(at: int, text: str, kind: str, value: str, book: Phrasebook, name: Named, seed: int) -> Finding:
    names = {"blank": text.replace(value, book.blank, 1), "act": name.act, "under": f"{name.under},"}
    ask = render(pick(book.cloze[kind], seed, "ask", text), names)
    subject = render(book.cloze_subject[kind], names)
    near = "figure" if kind == "figure" else "gap"
    unit = unit_of(value, book) if kind == "figure" else ""
    asked = ask[:1].upper() + ask[1:]
    return Finding(at, text, kind, near, value, asked, subject, "any", unit, None, "", ((near, value),))
