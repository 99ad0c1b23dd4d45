"""Facts for a text that lists none: its sentences with figures, defined terms and conditions.

A derived fact asks for what stands in a sentence; it claims nothing that the sentence does not say. The wrong value
is the right figure moved, or another term of the same text.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

import tomli

from evalspec.runtime.composer.sentences import Sentence
from evalspec.spec.draw import draw, pick
from evalspec.spec.language import render
from evalspec.spec.passage import Boundary, Fact, Sensitive

MAX_FACTS = 24
"""Derived facts that one text gives at most."""

_FIGURE = re.compile(
    r"(?:[$€£]\s?\d[\d,]*(?:\.\d+)?(?:\s(?:million|billion|trillion))?"
    r"|\b\d[\d,]*(?:[.,]\d+)?\s?(?:%|per\s?cent\b|percent\b|pour cent\b|€)"
    r"|\b\d{1,4}\s(?:(?:business|calendar|consecutive)\s)?(?:days?|months?|years?|weeks?|hours?|jours?|mois|ans?|heures?|minutes?|cm|g|kg|mm|°C)\b"
    r"|\b(?:19|20)\d{2}\b)"
)
_DEFINED = re.compile(r"^[“\"]?([A-Za-z][\w’' -]{2,50}?)[”\"]?,? means ((?:[\w’'-]+ ){1,6}[\w’'-]+)")
_SUBJECT = re.compile(r"^(?:The|An?|Each|Every)\s+[^,;:()]{6,90}?(?=\s(?:is|are|was|were)\s)")
_WORD = re.compile(r"[^\W\d_]{8,}")
_SENTENCE_WORDS = (8, 45)


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    text = files("evalspec.runtime.composer").joinpath("phrases.toml").read_text(encoding="utf-8")
    return tomli.loads(text)


def phrases(language: str) -> dict[str, Any]:
    """The phrases of a language, by its first subtag; English where there are none."""
    tables = _tables()
    found: dict[str, Any] = tables.get(language.split("-", maxsplit=1)[0].lower(), tables["en"])
    return found


def derived_facts(found: Sequence[Sentence], language: str, seed: int) -> tuple[Fact, ...]:
    """Up to MAX_FACTS facts, at most one a sentence: figures first, then definitions, then terms."""
    usable = [s.text for s in found if _SENTENCE_WORDS[0] <= len(s.text.split()) <= _SENTENCE_WORDS[1]]
    usable = [text for text in dict.fromkeys(usable) if text[-1] in ".!?" and len(text) <= 400]
    words = list(dict.fromkeys(w for text in usable for w in _WORD.findall(text) if w.islower()))
    out: list[Fact] = []
    for finder in (_figure_facts, _definition_facts, _term_facts):
        taken = {fact.statement for fact in out}
        rest = [text for text in usable if text not in taken]
        for text, kind, value, near in finder(rest, words, seed):
            if len(out) == MAX_FACTS:
                return tuple(out)
            fact = _fact(len(out), text, kind, value, near, phrases(language), seed)
            if fact is not None:
                out.append(fact)
    return tuple(out)


_Found = Iterator[tuple[str, str, str, str]]


def _figure_facts(texts: Sequence[str], words: Sequence[str], seed: int) -> _Found:
    del words
    for text in texts:
        matches = list(_FIGURE.finditer(text))
        if not matches:
            continue
        value = matches[draw(seed, "figure", text) % len(matches)][0]
        near = _moved(value, draw(seed, "near", text))
        if near != value and near not in text:
            yield text, "figure", value, near


def _definition_facts(texts: Sequence[str], words: Sequence[str], seed: int) -> _Found:
    for text in texts:
        match = _DEFINED.match(text)
        if match and words:
            near = pick([w for w in words if w not in text] or list(words), seed, "near", text)
            if near not in text:
                yield text, "term", match[1].strip(), near


def _term_facts(texts: Sequence[str], words: Sequence[str], seed: int) -> _Found:
    for text in texts:
        own = [w for w in _WORD.findall(text) if w.islower() and text.count(w) == 1]
        others = [w for w in words if w not in text]
        if own and others:
            value = max(own, key=lambda w: (len(w), draw(seed, "term", text, w)))
            yield text, "term", value, pick(others, seed, "near", text)


def _moved(figure: str, drawn: int) -> str:
    """Another figure of the same form: a year by one or two, a small count by a few, others by a half or a tenth."""
    match = re.search(r"\d[\d,]*(?:\.\d+)?", figure)
    if match is None:
        return figure
    digits = match[0].replace(",", "")
    number = float(digits)
    if re.fullmatch(r"(19|20)\d{2}", figure):
        moved: float = number + (1, -1, 2, -2)[drawn % 4]
    elif number <= 12:
        moved = number + (1, 2, 3)[drawn % 3]
    else:
        moved = number * (1.5, 2.0, 1.25, 0.5)[drawn % 4]
    places = len(digits.partition(".")[2])
    text = f"{moved:,.{places}f}" if "," in match[0] or number >= 10_000 else f"{moved:.{places}f}"
    return figure[: match.start()] + text + figure[match.end() :]


def _fact(number: int, text: str, kind: str, value: str, near: str, words: dict[str, Any], seed: int) -> Fact | None:
    blank = text.replace(value, words["blank"], 1)
    names = {"blank": blank, "value": value, "near": near, "statement": text}
    subject_match = _SUBJECT.match(text)
    plain = subject_match is not None and text.find(value) > subject_match.end() and kind == "figure"
    if plain and subject_match is not None:
        names["subject"] = subject_match[0][:1].lower() + subject_match[0][1:]
        ask = pick(words["ask_subject"], seed, "ask", text)
    else:
        names["subject"] = render(words[f"subject_{kind}"], names)
        ask = pick(words[f"ask_{kind}"], seed, "ask", text)
    condition = next(
        (m[0] for w in words["condition_words"] if (m := re.search(rf"\b{w} [^,;.]{{12,140}}", text))), None
    )
    data = {
        "id": f"derived-{number}",
        "kind": kind,
        "subject": names["subject"],
        "ask": render(ask, names),
        "statement": text,
        "value": value,
        "near": near,
        "near_why": pick(words["near_why"], seed, "why", text),
        "condition": condition,
        "unsaid": pick(words["unsaid"], seed, "unsaid", text),
    }
    if len(data["ask"] or "") > 590 or len(data["subject"] or "") > 590:
        return None
    return Fact.model_validate(data)


def derived_boundaries(fact: Fact, language: str) -> tuple[Boundary, ...]:
    """Requests that cross a line on what the fact says, for a text that lists none."""
    rows = phrases(language)["boundaries"]
    return tuple(Boundary.model_validate(_filled(row, fact)) for row in rows)


def derived_sensitive(fact: Fact, language: str) -> tuple[Sensitive, ...]:
    """Legitimate requests with alarming words on what the fact says, for a text that lists none."""
    rows = phrases(language)["sensitive"]
    return tuple(Sensitive.model_validate(_filled(row, fact)) for row in rows)


def _filled(row: dict[str, str], fact: Fact) -> dict[str, str]:
    values = {"subject": fact.subject, "value": fact.value, "near": fact.near}
    return {key: render(text, values)[:600] for key, text in row.items()}
