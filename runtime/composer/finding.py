"""Sentences that a pattern fits, with the question that each of them answers."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from evalspec.runtime.composer.figures import shapes, unit_of
from evalspec.runtime.composer.naming import Named
from evalspec.runtime.composer.phrasebook import Pattern, Phrasebook, phrasebook
from evalspec.runtime.composer.sentences import Sentence
from evalspec.spec.dataclass import dataclass
from evalspec.spec.draw import pick
from evalspec.spec.language import render

_WORDS = (5, 70)
_CHARS = 480
_ASK_CHARS = 320
_SUBJECT_CHARS = 240
_NAMED = re.compile(r"(?<!\?P)<(\w+)>")
_GLUED = re.compile(r"\S\s(?:The|An?|Each|Every|This|In|If|You|We|It)\s")
"""A heading that runs into its sentence."""
_DANGLING = re.compile(r"\b(?:who|that|which|whom|and|or|if|not|than|as|to|of|it|is|are|be|the|a|an|qui|que|et|ou|de)$")


@dataclass(frozen=True, slots=True)
class Finding:
    """What a sentence gives: the value asked for, and the texts around it."""

    at: int
    """Its sentence, by position."""
    statement: str
    kind: str
    near: str
    value: str
    ask: str
    subject: str
    scenario: str
    unit: str
    condition: str | None
    term: str
    """The term that the sentence defines, if it is a definition."""
    offers: tuple[tuple[str, str], ...]
    """Values that it lends to others as wrong ones, by kind."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence taken apart: what opens it, and the clause that patterns are tried on."""

    at: int
    statement: str
    clause: str
    condition: str
    name: Named


def findings(found: Sequence[Sentence], book: Phrasebook, language: str, name: Named, seed: int) -> Iterator[Finding]:
    """Every sentence that a pattern fits, once, in the order of the text."""
    seen: set[str] = set()
    for at, sentence in enumerate(found):
        statement = sentence.body
        if statement in seen or not usable(statement):
            continue
        seen.add(statement)
        read = _read(at, statement, book, name)
        fits = [finding for p in _compiled(language) if (finding := _finding(read, *p, book, seed)) is not None]
        if fits:
            family = fits[0][0]
            yield pick([finding for key, finding in fits if key == family], seed, "pattern", statement)


def usable(statement: str) -> bool:
    """Whether a stretch can be a statement: a whole sentence of middle length, or an entry that ends in a semicolon."""
    if not _WORDS[0] <= len(statement.split()) <= _WORDS[1] or len(statement) > _CHARS:
        return False
    return statement.rstrip('”")»')[-1:] in ".!?;"


def _read(at: int, statement: str, book: Phrasebook, name: Named) -> _Read:
    clause = statement
    condition = ""
    lead = re.match(book.lead, clause)
    if lead:
        clause = clause[lead.end() :]
    given = re.match(book.given, clause[:1].upper() + clause[1:])
    if given:
        condition = _plain(given["condition"], book)
        condition = condition[:1].lower() + condition[1:]
        clause = clause[given.end() :]
    return _Read(at, statement, clause[:1].upper() + clause[1:], condition, name)


def _plain(text: str, book: Phrasebook) -> str:
    """Text without references to other provisions."""
    text = _references(book).sub(lambda match: "" if match[0].startswith(",") else match[1], text)
    text = re.sub(book.names.this_act, book.names.the_act, text)
    return re.sub(r"\s+([,.;?])", r"\1", " ".join(text.split())).strip(" ,;.")


@lru_cache(maxsize=16)
def _reference_pattern(reference: str, referring: str) -> re.Pattern[str]:
    more = rf"(?:,? (?:and|or|or of|and of) {reference})*"
    return re.compile(rf",?\s*\b(?:{referring})\s+(?:(?:any|either|one) of )?(?:the |that )?{reference}{more}(,?)")


def _references(book: Phrasebook) -> re.Pattern[str]:
    return _reference_pattern(book.reference, book.referring)


@lru_cache(maxsize=16)
def _compiled(language: str) -> tuple[tuple[Pattern, re.Pattern[str]], ...]:
    book, shape = phrasebook(language), shapes(language)
    parts = {**book.parts, "figure": shape.figure, "period": shape.period, "year": shape.year}
    out = []
    for pattern in book.patterns:
        text = pattern.match
        while _NAMED.search(text):
            text = _NAMED.sub(lambda match: parts[match[1]], text)
        out.append((pattern, re.compile(text)))
    return tuple(out)


def _finding(
    read: _Read, pattern: Pattern, regex: re.Pattern[str], book: Phrasebook, seed: int
) -> tuple[str, Finding] | None:
    if read.statement.endswith(";") and pattern.family != "definition":
        return None
    match = regex.match(read.clause) or regex.match(_plain(read.clause, book) + read.clause[-1])
    if match is None:
        return None
    groups = {key: text or "" for key, text in match.groupdict().items()}
    names = {key: _plain(text, book) for key, text in groups.items()}
    if names.get("meaning") != groups.get("meaning") or _circular(groups.get("term", ""), groups.get("meaning", "")):
        return None
    names = {key: f" {text}" if groups[key].startswith(" ") and text else text for key, text in names.items()}
    names |= {f"{key}_text": text for key, text in groups.items()}
    if groups.get("term") and groups["term"] not in read.statement:
        names["term"] = groups["term"][:1].lower() + groups["term"][1:]
    value = render(pattern.value, names | {"value": groups.get("value", "")}).strip()
    if read.statement.count(value) != 1:
        value = value[:1].lower() + value[1:]
    if read.statement.count(value) != 1 and not (pattern.near == "term" and read.statement.startswith(value)):
        return None
    if _GLUED.search(names.get("who", "")) or any(_DANGLING.search(names.get(key, "")) for key in ("who", "what")):
        return None
    texts = _texts(read, pattern, names, value, book, seed)
    if texts is None:
        return None
    ask, subject = texts
    near = pattern.near
    lent = (names.get("term", ""), names.get("meaning_text", ""))
    offers = (("term", lent[0]), ("meaning", lent[1])) if lent[0] else ((near, value),)
    unit = unit_of(value, book) if near == "figure" else ""
    unit = unit or (re.sub(r"\d[\d.,]*", "0", value) if near == "figure" else "")
    own = _condition(read.statement[:1].lower() + read.statement[1:], book)
    return pattern.family, Finding(
        read.at, read.statement, pattern.kind, near, value, ask, subject, pattern.scenario, unit, own, lent[0], offers
    )


def _texts(
    read: _Read, pattern: Pattern, names: dict[str, str], value: str, book: Phrasebook, seed: int
) -> tuple[str, str] | None:
    """The question and the subject; None where they would not stand alone."""
    who = names.get("who", "")
    given = f"{read.condition}, " if read.condition else ""
    shown = {key: book.shown.get(names[key], names[key]) for key in ("modal", "verb", "bound") if names.get(key)}
    unit = unit_of(value, book)
    values = {
        **names,
        **shown,
        "who": who if who[1:2].isupper() else _lowered(who),
        "unit": unit if unit.endswith(book.plural) else unit + book.plural,
        "base": book.base.get(names.get("modal", ""), names.get("modal", "")),
        "bounded": f" {shown['bound']}" if shown.get("bound") else "",
        "given": given.strip(),
        "value": value,
    }
    marks = {"act": "\x01", "under": f"\x02, {given}".strip(), "tail": "\x03"}
    told = [pick(pattern.ask, seed, "ask", read.statement), pattern.subject]
    told = [_spaced(render(text, values | marks), text) for text in told]
    if any(re.search(book.anaphora, text, re.IGNORECASE) for text in told):
        return None
    if any(re.search(rf"{book.reference}|\w\(", text) for text in told):
        return None
    if any(value.casefold() in text.casefold() for text in told):
        return None
    names_of = {"\x01": read.name.act, "\x02": read.name.under, "\x03": f" {read.name.under}"}
    ask, subject = (_named(text, names_of) for text in told)
    ask = ask[:1].upper() + ask[1:]
    return (ask, subject) if len(ask) <= _ASK_CHARS and len(subject) <= _SUBJECT_CHARS else None


def _spaced(text: str, template: str) -> str:
    """Text without the spaces that empty names leave; a template may have a space before its question mark."""
    text = re.sub(r"\s+,", ",", " ".join(text.split()))
    return text if " ?" in template else re.sub(r"\s+\?", "?", text)


def _named(text: str, names: dict[str, str]) -> str:
    for mark, name in names.items():
        text = text.replace(mark, name)
    return " ".join(text.split())


def _lowered(who: str) -> str:
    """A phrase for mid-sentence; capital letters stay where the phrase opens with a name."""
    first, _, rest = who.partition(" ")
    return f"{first.lower()} {rest}" if (rest and not rest[:1].isupper()) or first in {"The", "A", "An"} else who


def _circular(term: str, meaning: str) -> bool:
    return bool(term) and (term.casefold() in meaning.casefold() or len(meaning.split()) < 4)


def _condition(statement: str, book: Phrasebook) -> str | None:
    match = re.search(book.condition, statement)
    return _plain(match[0], book) if match else None
