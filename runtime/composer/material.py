"""What a chunk gives to composed texts: its facts, and the values of the names that forms use."""

import re
from collections.abc import Sequence
from typing import Protocol

from evalspec.runtime.composer.derive import derived_boundaries, derived_facts, derived_sensitive, gap_facts
from evalspec.runtime.composer.naming import name_alone, standing_alone
from evalspec.runtime.composer.phrasebook import phrasebook
from evalspec.runtime.composer.sentences import MAX_LONG_EXCERPT_CHARS, Sentence, excerpt_around, sentences
from evalspec.spec.dataclass import dataclass
from evalspec.spec.draw import pick, shuffled
from evalspec.spec.passage import Boundary, Fact, Sensitive

LETTERS = "ABCD"
_DIGITS = re.compile(r"\d[\d.,]*")


class Source(Protocol):
    """What the composer needs of a chunk."""

    @property
    def digest(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def as_of(self) -> str | None: ...
    @property
    def facts(self) -> tuple[Fact, ...]: ...
    @property
    def boundaries(self) -> tuple[Boundary, ...]: ...
    @property
    def sensitive(self) -> tuple[Sensitive, ...]: ...


@dataclass(frozen=True, slots=True)
class Material:
    """A chunk made ready: every fact has a sentence that holds it."""

    digest: str
    title: str
    as_of: str | None
    found: tuple[Sentence, ...]
    facts: tuple[Fact, ...]
    gaps: tuple[Fact, ...]
    """What can be asked of a text that gives no facts: its sentences with a word left out."""
    boundaries: tuple[Boundary, ...]
    sensitive: tuple[Sensitive, ...]
    language: str
    alone: str | None = None
    """What names the text in a prompt that shows none of it, where its title does not."""


def material_of(chunk: Source, language: str, seed: int) -> Material:
    """Read a chunk once; facts that no sentence of it bears out are left to their own chunk."""
    found = tuple(sentences(chunk.text))
    facts = tuple(fact for fact in chunk.facts if excerpt_around(list(found), fact.statement) is not None)
    if not facts:
        facts = derived_facts(found, language, seed, chunk.title)
    gaps = () if facts else gap_facts(found, language, seed, chunk.title)
    requests = (chunk.boundaries, chunk.sensitive)
    headings, opening = [sentence.heading for sentence in found], found[0].body if found else ""
    alone = name_alone(chunk.title, headings, opening, phrasebook(language))
    return Material(chunk.digest, chunk.title, chunk.as_of, found, facts, gaps, *requests, language, alone)


def fact_values(material: Material, fact: Fact, turn: int, seed: int) -> dict[str, str]:
    """The values of all names that `fact` and its chunk can give; names without a value are left out."""
    others = _others(material, fact, turn, seed)
    values = {
        "title": material.title,
        "subject": fact.subject,
        "ask": fact.ask,
        "statement": _closed(fact.statement),
        "value": fact.value,
        "near": fact.near,
        "near_why": fact.near_why,
        "unsaid": fact.unsaid,
        "kind": fact.kind,
        "false_statement": _closed(fact.statement.replace(fact.value, fact.near, 1)),
    }
    optional = {
        "as_of": material.as_of,
        "condition": fact.condition,
        "exception": fact.exception,
        "counterpart": fact.counterpart,
        "counterpart_value": fact.counterpart_value,
        "confusable": fact.confusable,
        "confusable_why": fact.confusable_why,
    }
    values |= {name: value for name, value in optional.items() if value}
    if fact.scenario:
        scenario = fact.scenario
        values |= {"setup": scenario.setup, "scenario_ask": scenario.ask, "scenario_answer": scenario.answer}
        values |= {"scenario_wrong": scenario.wrong, "scenario_why": scenario.why}
    for prefix, other in zip(("other", "another"), others, strict=False):
        values |= {
            f"{prefix}_{name}": _closed(getattr(other, name))
            for name in ("subject", "ask", "statement", "value", "near")
        }
    values |= _excerpts(material, fact, others)
    values |= _choices(material, fact, seed)
    values |= _requests(material, fact, turn)
    return values


def told_alone(values: dict[str, str], material: Material) -> dict[str, str]:
    """The values of `fact_values` for a prompt that shows nothing of the chunk."""
    if material.alone is None:
        return values
    return standing_alone(values, phrasebook(material.language).own_text, material.alone)


def _closed(text: str) -> str:
    """An entry of a list that ends in a semicolon, as a sentence."""
    return f"{text[:-1]}." if text.endswith(";") else text


def _others(material: Material, fact: Fact, turn: int, seed: int) -> list[Fact]:
    """The other facts in drawn order, less those that give away what `fact` asks for."""
    value = fact.value.lower()
    rest = [other for other in material.facts or material.gaps if other.id != fact.id]
    rest = [other for other in rest if value not in f"{other.ask} {other.statement}".lower()]
    return shuffled(rest, seed, "others", material.digest, fact.id, turn)


def _excerpts(material: Material, fact: Fact, others: Sequence[Fact]) -> dict[str, str]:
    found = list(material.found)
    excerpt = excerpt_around(found, fact.statement)
    if excerpt is None:
        return {}
    flat = " ".join(fact.statement.split())
    values = {
        "excerpt": excerpt,
        "false_excerpt": excerpt.replace(flat, flat.replace(fact.value, fact.near, 1)),
    }
    long = excerpt_around(found, fact.statement, MAX_LONG_EXCERPT_CHARS, across=True)
    values["long_excerpt"] = long or excerpt
    more: list[str] = []
    for statement in [
        *(other.statement for other in others),
        *(s.text for s in found if len(s.text.split()) > 7),
    ]:
        stretch = excerpt_around(found, statement, max_chars=420)
        if stretch and len(more) < 2 and not any(_overlap(stretch, taken) for taken in [excerpt, *more]):
            more.append(stretch)
    values |= {f"excerpt_{number}": stretch for number, stretch in enumerate(more, 2)}
    return values


def _overlap(one: str, two: str) -> bool:
    return one in two or two in one or bool({s.text for s in sentences(one)} & {s.text for s in sentences(two)})


def _choices(material: Material, fact: Fact, seed: int) -> dict[str, str]:
    """Options of one kind, the right one among them; two are enough."""
    wrong = [fact.near]
    if fact.counterpart_value:
        wrong.append(fact.counterpart_value)
    same = [other for other in material.facts or material.gaps if other.id != fact.id and _comparable(fact, other)]
    wrong += [value for other in same for value in (other.value, other.near)]
    wrong = [value for value in dict.fromkeys(wrong) if value.lower() != fact.value.lower()][:3]
    options = shuffled([fact.value, *wrong], seed, "choices", material.digest, fact.id)
    false = shuffled(wrong, seed, "false", material.digest, fact.id)
    out = {
        "choices": "\n".join(f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=False)),
        "choice": LETTERS[options.index(fact.value)],
    }
    if len(false) > 1:
        out["false_choices"] = "\n".join(f"{letter}) {o}" for letter, o in zip(LETTERS, false, strict=False))
    return out


def _comparable(one: Fact, other: Fact) -> bool:
    """Whether values of `other` can stand beside the value of `one`: of its kind, and figures of its unit.

    Rules are answers to their own question only.
    """
    if one.kind != other.kind or one.kind == "rule":
        return False
    return one.kind in {"term", "name"} or _unit(one.value) == _unit(other.value)


def _unit(value: str) -> str:
    return _DIGITS.sub("0", value.lower())


def _requests(material: Material, fact: Fact, turn: int) -> dict[str, str]:
    """One boundary and one sensitive request; successive turns take successive ones."""
    boundaries = material.boundaries or derived_boundaries(fact, material.language)
    sensitive = material.sensitive or derived_sensitive(fact, material.language)
    boundary = boundaries[turn % len(boundaries)]
    entry = sensitive[turn % len(sensitive)]
    return {
        "request": boundary.request,
        "line": boundary.line,
        "instead": boundary.instead,
        "sensitive_request": entry.request,
        "trigger": entry.trigger,
        "sensitive_answer": entry.answer,
    }


def spread(facts: Sequence[Fact], seed: int, key: str) -> list[Fact]:
    """The facts in an order drawn for `key`, so that turns of one template go through all before one comes again."""
    return shuffled(facts, seed, "facts", key)


def one_of(options: Sequence[str], seed: int, *key: object) -> str:
    """One entry of a word list, drawn."""
    return pick(options, seed, "list", *key)
