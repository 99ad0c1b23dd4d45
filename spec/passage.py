"""A passage of a corpus: text with TOML front matter that lists its facts.

A passage is a Markdown or text file. Front matter stands between two lines of three plus signs, as TOML, so
that reading a corpus at run time needs no YAML. A file without front matter is a passage with no facts.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

import tomli
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

FENCE = "+++"
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=600)]


class PassageError(ValueError):
    """The front matter of a passage cannot be used; the message says where and why."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Scenario(_Model):
    """A worked case on a fact, with the step at which a careless reader goes wrong."""

    setup: Line
    """One to three full sentences that give the situation, figures included."""
    ask: Line
    """The question on the situation, a full sentence with a question mark."""
    answer: Line
    """The right answer, short."""
    wrong: Line
    """The answer of a reader who took the tempting step, short, of the same kind as `answer`."""
    why: Line
    """The reasoning to the right answer, one or two sentences."""


class Fact(_Model):
    """One thing that a passage states, with what makes it a hard question."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    kind: Literal["figure", "date", "term", "rule", "name"]
    subject: Line
    """A noun phrase in mid-sentence form: "the annual TFSA dollar limit for 2024"."""
    ask: Line
    """A full question to which `value` is the answer."""
    statement: Line
    """One sentence, verbatim in the passage's text."""
    value: Line
    """The answer, verbatim in `statement`."""
    near: Line
    """A wrong value that a reader could believe; put in place of `value` it leaves a grammatical sentence."""
    near_why: Line
    """Why `near` tempts, a clause in mid-sentence form: "it was the limit for 2023"."""
    condition: Line | None = None
    """A clause in mid-sentence form that starts with if, when, where, for, only or unless."""
    exception: Line | None = None
    """A full sentence."""
    counterpart: Line | None = None
    """A full sentence on the same thing in the other country."""
    counterpart_value: Line | None = None
    """The other country's value, which is wrong here."""
    confusable: Line | None = None
    """A term that is easily taken for the one of this fact."""
    confusable_why: Line | None = None
    """How the two differ, a full sentence."""
    unsaid: Line
    """What the passage does not say of this, an indirect question in mid-sentence form: "whether …"."""
    scenario: Scenario | None = None


class Boundary(_Model):
    """A request that a policy disallows, professionally framed, without operational harm."""

    request: Line
    """A verb phrase in mid-sentence form without a full stop: "write a rule that …"."""
    line: Line
    """What it crosses, a full sentence."""
    instead: Line
    """What a helpful reply offers in its place, a verb phrase in mid-sentence form."""


class Sensitive(_Model):
    """A legitimate professional request that holds words which tempt a model to refuse."""

    request: Line
    """A verb phrase in mid-sentence form without a full stop: "explain how …"."""
    trigger: Line
    """The words that tempt, verbatim in `request`."""
    answer: Line
    """What a good reply covers, a full sentence."""


class FrontMatter(_Model):
    """What a passage says of itself."""

    title: Line
    domains: tuple[str, ...] = ()
    """The source domains that the passage serves; none means all."""
    geographies: tuple[str, ...] = ()
    """The geographies that the passage serves; none means all."""
    as_of: Annotated[str, StringConstraints(pattern=r"^\d{4}(-\d{2}){0,2}$")] | None = None
    """The date to which the facts hold, `YYYY`, `YYYY-MM` or `YYYY-MM-DD`."""
    facts: tuple[Fact, ...] = ()
    boundaries: tuple[Boundary, ...] = ()
    sensitive: tuple[Sensitive, ...] = ()


class Passage(_Model):
    """Front matter and the text that follows it."""

    front: FrontMatter
    text: Annotated[str, Field(min_length=1)]


def parse_passage(source: str, title: str) -> Passage:
    """Read a passage from `source`; a file without front matter takes `title` and has no facts.

    Raises PassageError with a line number where TOML is broken, or with the key where a value does not fit.
    """
    lines = source.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].strip() != FENCE:
        return Passage(front=FrontMatter(title=title), text="\n".join(lines).strip() or "\n")
    try:
        end = next(i for i, line in enumerate(lines[1:], 1) if line.strip() == FENCE)
    except StopIteration:
        raise PassageError(f"front matter opens with {FENCE} on line 1 and is never closed") from None
    try:
        table = tomli.loads("\n".join(lines[1:end]))
        front = FrontMatter.model_validate(table, strict=False)
    except tomli.TOMLDecodeError as error:
        raise PassageError(f"front matter is not TOML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PassageError(f"{where}: {first['msg']}") from None
    return Passage(front=front, text="\n".join(lines[end + 1 :]).strip() or "\n")


def faults(passage: Passage) -> Iterator[str]:
    """What the composer would trip over: one sentence for each fact that its own text does not bear out."""
    flat = " ".join(passage.text.split())
    seen: set[str] = set()
    for fact in passage.front.facts:
        if fact.id in seen:
            yield f"fact {fact.id}: the id stands twice"
        seen.add(fact.id)
        if " ".join(fact.statement.split()) not in flat:
            yield f"fact {fact.id}: its statement does not stand verbatim in the text"
        if fact.value not in fact.statement:
            yield f"fact {fact.id}: its value {fact.value!r} does not stand in its statement"
        if fact.near == fact.value:
            yield f"fact {fact.id}: near and value are the same"
        if (fact.counterpart is None) != (fact.counterpart_value is None):
            yield f"fact {fact.id}: counterpart and counterpart_value go together"
        if (fact.confusable is None) != (fact.confusable_why is None):
            yield f"fact {fact.id}: confusable and confusable_why go together"
    for item in passage.front.sensitive:
        if item.trigger.lower() not in item.request.lower():
            yield f"sensitive: {item.trigger!r} does not stand in its request"
