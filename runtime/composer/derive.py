"""Facts for a text that lists none: its sentences with figures, definitions, duties and terms.

A derived fact asks for what stands in a sentence; it claims nothing that the sentence does not say. The wrong value
is the right figure moved, or a value of the same kind from another sentence of the text.
"""

import re
from collections.abc import Sequence

from evalspec.runtime.composer.cases import scenario_of
from evalspec.runtime.composer.figures import moved
from evalspec.runtime.composer.finding import Finding, findings
from evalspec.runtime.composer.gaps import gaps
from evalspec.runtime.composer.naming import named
from evalspec.runtime.composer.phrasebook import Phrasebook, phrasebook
from evalspec.runtime.composer.sentences import Sentence
from evalspec.spec.dataclass import dataclass
from evalspec.spec.draw import pick, shuffled
from evalspec.spec.language import render
from evalspec.spec.passage import Boundary, Fact, Sensitive

MAX_FACTS = 24
"""Derived facts that one text gives at most."""
_LONGEST = 590
"""Characters that a line of a fact may have, less some."""
_Data = dict[str, str | None]


def derived_facts(found: Sequence[Sentence], language: str, seed: int, title: str = "") -> tuple[Fact, ...]:
    """Up to MAX_FACTS facts, at most one a sentence, in the order of the text; `title` names it in questions."""
    book = phrasebook(language)
    name = named(title, book)
    return _facts(list(findings(found, book, language, name, seed)), found, book, name.act, seed)


def gap_facts(found: Sequence[Sentence], language: str, seed: int, title: str = "") -> tuple[Fact, ...]:
    """Sentences with a figure or a word left out, for a text in which no pattern finds anything."""
    book = phrasebook(language)
    name = named(title, book)
    return _facts(list(gaps(found, book, language, name, seed)), found, book, name.act, seed)


def _facts(
    real: Sequence[Finding], found: Sequence[Sentence], book: Phrasebook, act: str, seed: int
) -> tuple[Fact, ...]:
    pools = _pools(real, book)
    read = _Read(found, real, pools, book, act, seed)
    out = [fact for finding in real if (fact := _fact(finding, read)) is not None]
    return tuple(fact.model_copy(update={"id": f"derived-{n}"}) for n, fact in enumerate(out[:MAX_FACTS]))


def _pools(real: Sequence[Finding], book: Phrasebook) -> dict[str, list[str]]:
    """Values that may stand for each other, by where a pattern takes its wrong value from."""
    pools: dict[str, list[str]] = {"actor": []}
    for finding in real:
        for source, value in finding.offers:
            if value not in pools.setdefault(source, []):
                pools[source].append(value)
    if len(pools["actor"]) < 3:
        pools["actor"] += [actor for actor in book.actors if actor not in pools["actor"]]
    return pools


@dataclass(frozen=True, slots=True)
class _Read:
    """A text with what was found in it."""

    found: Sequence[Sentence]
    real: Sequence[Finding]
    pools: dict[str, list[str]]
    book: Phrasebook
    act: str
    seed: int


def _fact(finding: Finding, read: _Read) -> Fact | None:
    found, real, book, seed = read.found, read.real, read.book, read.seed
    wrong = _wrong_values(finding, read.pools, book, seed)
    if not wrong:
        return None
    near = wrong[0]
    text = finding.statement
    values = {"value": finding.value, "near": near, "ask": finding.ask, "subject": finding.subject, "statement": text}
    data: _Data = {**values, "id": "derived", "kind": finding.kind}
    data["near_why"] = pick(book.near_why, seed, "why", text)
    data["condition"] = finding.condition
    data["exception"] = _exception(finding, found, book)
    data["unsaid"] = _unsaid(finding, found, book, read.act, seed)
    data |= _counterpart(finding, near, wrong, real, book, seed)
    data |= _confusable(finding, found, real, book, seed)
    if max(len(part) for part in data.values() if part) > _LONGEST:
        return None
    scenario = scenario_of(finding.scenario, values, book, seed)
    return Fact.model_validate({**data, "scenario": scenario and scenario.model_dump()})


def _wrong_values(finding: Finding, pools: dict[str, list[str]], book: Phrasebook, seed: int) -> list[str]:
    """Wrong values, the best first; none of them stands in the sentence."""
    text, value = finding.statement, finding.value
    match finding.near:
        case "figure":
            options = [moved(value, seed, text, turn, book=book) for turn in range(4)]
        case "modal":
            modal = next((m for m in sorted(book.modals, key=len, reverse=True) if value.startswith(f"{m} ")), None)
            options = [f"{book.modals[modal]}{value[len(modal) :]}"] if modal else []
        case source:
            others = shuffled([other for other in pools.get(source, []) if other != value], seed, "near", text)
            options = [_cased(other, value) for other in others]
    flat = text.casefold()
    kept = [o for o in dict.fromkeys(options) if o and o.casefold() not in flat and o.casefold() != value.casefold()]
    return [o for o in kept if o.casefold() not in value.casefold() and value.casefold() not in o.casefold()] or (
        kept if finding.near == "modal" else []
    )


def _cased(other: str, value: str) -> str:
    """A phrase with an article, in the case of the one that it stands for."""
    same = other[:1].casefold() == other[:1] == value[:1] or " " not in other or other[1:2].isupper()
    return other if same else (other[:1].lower() if value[:1].islower() else other[:1].upper()) + other[1:]


def _exception(finding: Finding, found: Sequence[Sentence], book: Phrasebook) -> str | None:
    """The sentence after it that limits it, or a clause of its own."""
    after = found[finding.at + 1] if finding.at + 1 < len(found) else None
    near = after is not None and after.paragraph - found[finding.at].paragraph <= 1
    if after and near and 30 <= len(after.body) <= 400 and re.match(f"{book.exception}.*\\.$", after.body):
        return after.body
    clause = re.search(book.exception_clause, finding.statement)
    if clause and finding.value not in clause[0] and not (finding.condition or "").startswith(clause[1][:12]):
        return render(book.exception_text, {"clause": clause[1]})
    return None


def _unsaid(finding: Finding, found: Sequence[Sentence], book: Phrasebook, act: str, seed: int) -> str:
    heading = _label(found[finding.at].heading)
    about = re.split(r"[,;:]", " ".join(finding.statement.split()[:9]))[0].rstrip(" .?!")
    matter = render(book.matter, {"heading": heading, "act": act}) if heading else ""
    matter = matter or render(book.own_matter, {"about": about})
    return render(pick(book.unsaid, seed, "unsaid", finding.statement), {"matter": matter})


def _counterpart(
    finding: Finding, near: str, wrong: Sequence[str], real: Sequence[Finding], book: Phrasebook, seed: int
) -> _Data:
    """A value that belongs to another sentence of the text, or else one that belongs elsewhere."""
    text = finding.statement.casefold()
    others = [
        other
        for other in real
        if other.near == finding.near != "modal"
        and (other.unit == finding.unit)
        and other.value.casefold() not in text
        and finding.value.casefold() not in other.value.casefold()
    ]
    if others:
        other = pick(others, seed, "counterpart", finding.statement)
        told = render(book.counterpart, {"value": other.value, "statement": other.statement})
        return {"counterpart": told, "counterpart_value": other.value}
    value = wrong[1] if len(wrong) > 1 else near
    told = render(pick(book.counterpart_elsewhere, seed, "elsewhere", finding.statement), {"value": value})
    return {"counterpart": told, "counterpart_value": value}


def _confusable(
    finding: Finding, found: Sequence[Sentence], real: Sequence[Finding], book: Phrasebook, seed: int
) -> _Data:
    """Another term that the text defines, for a definition; else a heading that shares a word or stands next."""
    terms = {other.term: other for other in real if other.term and other.term != finding.term}
    if finding.term and terms:
        close = [term for term in terms if _words(term) & _words(finding.term)]
        term = pick(close or list(terms), seed, "confusable", finding.statement)
        told = render(book.confusable_term, {"other": term, "statement": terms[term].statement})
        return {"confusable": term, "confusable_why": told}
    own = _label(found[finding.at].heading)
    labels = list(dict.fromkeys(label for sentence in found if (label := _label(sentence.heading))))
    at = labels.index(own) if own in labels else 0
    others = [label for label in labels if label.casefold() not in own.casefold() and " " in label]
    shared = [label for label in others if _words(label) & _words(own)]
    beside = [label for label in labels[max(0, at - 1) : at + 2] if label in others]
    if not own or finding.term or not (shared or beside):
        return _confusable_noun(finding, found, book, seed)
    other = pick(shared or beside, seed, "confusable", finding.statement)
    return {"confusable": other, "confusable_why": render(book.confusable_heading, {"other": other, "own": own})}


def _confusable_noun(finding: Finding, found: Sequence[Sentence], book: Phrasebook, seed: int) -> _Data:
    """Another thing of which the text says something."""
    nouns = {match["noun"]: s.body for s in found if (match := re.match(book.confusable_noun, s.body))}
    told = f"{finding.statement} {finding.ask}".casefold()
    nouns = {noun: text for noun, text in nouns.items() if noun.casefold() not in told and len(text) <= 400}
    if not nouns:
        return {}
    noun = pick(list(nouns), seed, "confusable", finding.statement)
    return {
        "confusable": noun,
        "confusable_why": render(book.confusable_term, {"other": noun, "statement": nouns[noun]}),
    }


def _label(heading: str) -> str:
    text = heading.strip().rstrip(".:;")
    return text if 3 <= len(text) <= 80 and "§" not in text and not re.search(r"\d|\s-\s|\s\w{1,3}$", text) else ""


def _words(label: str) -> set[str]:
    return {word.casefold() for word in re.findall(r"\w{4,}", label)}


def derived_boundaries(fact: Fact, language: str) -> tuple[Boundary, ...]:
    """Requests that cross a line on what the fact says, for a text that lists none."""
    return tuple(Boundary.model_validate(_filled(row, fact)) for row in phrasebook(language).boundaries)


def derived_sensitive(fact: Fact, language: str) -> tuple[Sensitive, ...]:
    """Legitimate requests with alarming words on what the fact says, for a text that lists none."""
    return tuple(Sensitive.model_validate(_filled(row, fact)) for row in phrasebook(language).sensitive)


def _filled(row: dict[str, str], fact: Fact) -> dict[str, str]:
    values = {"subject": fact.subject, "value": fact.value, "near": fact.near}
    return {key: render(text, values)[:600] for key, text in row.items()}
