"""The words and patterns by which facts are read out of plain text, for one language."""

from functools import lru_cache
from importlib.resources import files
from typing import Any

import tomli
from pydantic import BaseModel, ConfigDict

Texts = tuple[str, ...]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Pattern(_Model):
    """A form of sentence, with the question that it answers."""

    family: str
    kind: str
    match: str
    """A regular expression; `<figure>`, `<period>`, `<year>` and the names of `parts` stand for others."""
    ask: Texts
    subject: str
    near: str
    """Where the wrong value comes from: `figure`, `term`, `meaning`, `actor` or `modal`."""
    value: str = "{value}"
    scenario: str = "any"


class Case(_Model):
    """The texts of a worked case; the names in them are those that its computation gives."""

    setup: Texts
    ask: Texts
    why: str


class Names(_Model):
    """How a text is named by its title."""

    act: str
    """A regular expression that a title's first part matches where it is the name of a statute or a rule."""
    act_name: str
    section_name: str
    other_name: str
    this_act: str
    """A regular expression for what a statute calls itself, which `the_act` stands for in a question."""
    the_act: str
    under_act: str
    under_other: str


class Phrasebook(_Model):
    """All of one language; see `phrases.toml`."""

    numbers: dict[str, int]
    plural: str
    months: Texts
    date: str
    periods: Texts
    qualifiers: Texts
    percents: Texts
    units: Texts
    days: Texts
    month_words: Texts
    year_words: Texts
    names: Names
    parts: dict[str, str]
    reference: str
    referring: str
    anaphora: str
    lead: str
    given: str
    condition: str
    exception: str
    exception_clause: str
    exception_text: str
    own_text: str
    modals: dict[str, str]
    base: dict[str, str]
    """The verb of a question that does not give away whether it is denied."""
    shown: dict[str, str]
    actors: Texts
    patterns: tuple[Pattern, ...]
    blank: str
    cloze: dict[str, Texts]
    cloze_subject: dict[str, str]
    near_why: Texts
    matter: str
    """What a text says under a heading."""
    own_matter: str
    """The same by the words that a sentence opens with, for a text without headings."""
    unsaid: Texts
    counterpart: str
    counterpart_elsewhere: Texts
    confusable_heading: str
    confusable_term: str
    confusable_noun: str
    """A regular expression for a sentence about a thing, with the group `noun`."""
    people: Texts
    cases: dict[str, Case]
    boundaries: tuple[dict[str, str], ...]
    sensitive: tuple[dict[str, str], ...]


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    text = files("evalspec.runtime.composer").joinpath("phrases.toml").read_text(encoding="utf-8")
    return tomli.loads(text)


@lru_cache(maxsize=16)
def phrasebook(language: str) -> Phrasebook:
    """The phrases of a language, by its first subtag; English where there are none."""
    tables = _tables()
    return Phrasebook.model_validate(tables.get(language.split("-", maxsplit=1)[0].lower(), tables["en"]))
