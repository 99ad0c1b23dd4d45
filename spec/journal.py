"""journal.jsonl: one line for each thing that became known while filling, appended and never changed.

A reader needs no other file to know what was paid for. Lines are UTF-8 JSON objects told apart by `kind`.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from evalspec.spec.dataclass import dataclass
from evalspec.spec.model import Model
from evalspec.spec.record import RecordCriteria

JOURNAL_NAME = "journal.jsonl"
T = TypeVar("T")
Outcome = Literal["accepted", "invalid", "cut_off", "refused", "unreachable", "no_chunk"]


class Usage(Model):
    """Tokens as the provider reports them; 0 where it does not."""

    input_tokens: int = 0
    output_tokens: int = 0


class FilledSlot(Model):
    """What an accepted reply made of one slot; a record lacks nothing but the plan's columns."""

    slot_id: str
    prompt: str
    written: str
    """What was written for this slot and is shown, without fixed text and excerpts: what dedup compares."""
    reference_context: str | None
    expected_behavior: str
    expected_failure_modes: tuple[str, ...]
    pass_criteria: RecordCriteria
    answer: str | None = None
    true_excerpt: str | None = None
    """The unaltered excerpt, where the strategy altered the one shown."""


class RunLine(Model):
    """A run began."""

    kind: Literal["run"] = "run"
    at: str
    """When, UTC, ISO 8601."""
    plan_digest: str
    provider: str
    model: str
    evalspec_version: str


class AttemptLine(Model):
    """A reply, or a failure to get one, for one group."""

    kind: Literal["attempt"] = "attempt"
    group: str
    attempt: Annotated[int, Field(ge=1)]
    """Counts from 1 over the life of the journal."""
    fingerprint: str
    provider: str
    model: str
    form: str | None = None
    """The digest of the compose blocks, for the embedded provider; null for others."""
    chunk: str | None
    """Digest of the chunk's text."""
    served: Literal["cell", "domain_general", "domain", "corpus"] | None = None
    """How near the chunk was: the slot's own cell, its domain in `general`, its domain anywhere, or the corpus."""
    request: str
    """Digest of the request."""
    reply: str | None
    """The raw reply, as it came."""
    usage: Usage = Usage()
    outcome: Outcome
    errors: tuple[str, ...] = ()
    slots: tuple[FilledSlot, ...] = ()
    """One a slot of the group, in order, where accepted."""


class FellLine(Model):
    """Groups whose accepted replies no longer count, marked together in one line so that a kill cannot part them."""

    kind: Literal["fell"] = "fell"
    reason: Literal["duplicate", "rejected"]
    groups: tuple[str, ...]
    details: tuple[str, ...] = ()
    """One a group: of what it was a duplicate, or the reviewer's note."""


Line = RunLine | AttemptLine | FellLine
_ADAPTER: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="kind")])


class JournalCorruptError(Exception):
    """A line that is not the last cannot be read."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


@dataclass(frozen=True, slots=True)
class Journal:
    """What a journal holds. `good_bytes` is where its last whole line ends; what follows is torn."""

    lines: tuple[Line, ...]
    good_bytes: int
    torn_bytes: int


def encode(line: Line) -> bytes:
    """One line as bytes, with its newline. Lone surrogates are written as escapes and come back as they were."""
    try:
        return line.model_dump_json().encode("utf-8") + b"\n"
    except ValueError:  # a lone surrogate
        escaped = json.dumps(line.model_dump(mode="python"), ensure_ascii=True, separators=(",", ":"))
        return escaped.encode("ascii") + b"\n"


def read(path: Path, keep: Callable[[AttemptLine], AttemptLine] | None = None) -> Journal:
    """Read a journal; a missing file is an empty one. Raises JournalCorruptError, OSError.

    `keep` makes of each attempt what is wanted of it, as it is read: replies are most of what a journal holds.
    """
    if not path.exists():
        return Journal((), 0, 0)
    lines: list[Line] = []
    good = torn = 0
    with path.open("rb") as file:
        for number, row in enumerate(file, 1):
            if not row.endswith(b"\n"):
                torn = len(row)
                break
            line = decode(row[:-1], number)
            if keep is not None and isinstance(line, AttemptLine):
                line = keep(line)
            lines.append(line)
            good += len(row)
    return Journal(tuple(lines), good, torn)


def lines(path: Path) -> Iterator[tuple[Line, int, int]]:
    """The whole lines of a journal, each with where it begins and its length, in bytes; none of a missing file.

    One line is held at a time. Raises JournalCorruptError, OSError.
    """
    if not path.exists():
        return
    start = 0
    with path.open("rb") as file:
        for number, row in enumerate(file, 1):
            if not row.endswith(b"\n"):
                return
            yield decode(row[:-1], number), start, len(row)
            start += len(row)


def without_reply(line: AttemptLine) -> AttemptLine:
    """The attempt less its raw reply, which half of a journal is made of."""
    return line if line.reply is None else line.model_copy(update={"reply": None})


def decode(row: bytes, number: int) -> Line:
    """One line from its bytes, without the newline. Raises JournalCorruptError with `number`."""
    try:
        return _ADAPTER.validate_json(row)
    except ValidationError:
        pass  # a lone surrogate, perhaps, which only Python's reader takes
    try:
        return _ADAPTER.validate_python(_tuples(json.loads(row)))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = f"it is no journal line: {where + ': ' if where else ''}{first['msg']}"
        raise JournalCorruptError(number, reason) from None
    except ValueError:
        raise JournalCorruptError(number, "it is not JSON") from None


def _tuples(value: Any) -> Any:
    """Lists as tuples, as the strict models want them."""
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return value


class Standing(Generic[T]):
    """What is kept of the accepted attempt that stands for each group, as the lines of a journal are met in order.

    An attempt stands if its fingerprint is the plan's, no later line made it fall, and no later one was accepted.
    With `provider`, attempts of the embedded provider only count for it, and no others do; with `forms`, an
    embedded attempt must have the form given for its group.
    """

    def __init__(
        self, fingerprints: dict[str, str], provider: str | None = None, forms: dict[str, str] | None = None
    ) -> None:
        self.kept: dict[str, T] = {}
        """By group, in the order in which the attempts were accepted."""
        self._fingerprints, self._provider, self._forms = fingerprints, provider, forms

    def counts(self, line: AttemptLine) -> bool:
        """Whether an attempt stands until a later line says otherwise."""
        if line.outcome != "accepted" or self._fingerprints.get(line.group) != line.fingerprint:
            return False
        embedded = line.provider == "embedded"
        if self._provider is not None and embedded != (self._provider == "embedded"):
            return False
        return self._forms is None or not embedded or self._forms.get(line.group) == line.form

    def put(self, group: str, kept: T) -> None:
        """Let an attempt that counts stand for its group."""
        self.kept.pop(group, None)
        self.kept[group] = kept

    def drop(self, line: FellLine) -> None:
        """Let groups have no attempt that stands."""
        for group in line.groups:
            self.kept.pop(group, None)


def standing(
    journal: Journal,
    fingerprints: dict[str, str],
    provider: str | None = None,
    forms: dict[str, str] | None = None,
) -> Iterator[AttemptLine]:
    """The accepted attempt that stands for each group, in the order in which they were accepted: see Standing."""
    live: Standing[AttemptLine] = Standing(fingerprints, provider, forms)
    for line in journal.lines:
        match line:
            case FellLine():
                live.drop(line)
            case AttemptLine() if live.counts(line):
                live.put(line.group, line)
            case _:
                pass
    yield from live.kept.values()
