"""The journal of a plan's folder, and which of its attempts count for the plan as it is.

A journal is read a line at a time, and little of it is kept: the attempts of a hundred thousand records would take half
a gigabyte. What fills the slots is held as far as the journal is small, and read again where it is not.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from sys import intern

from evalspec.outputs.comparing import Written
from evalspec.spec import journal as journals
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.fingerprint import form_digest
from evalspec.spec.journal import AttemptLine, FellLine, FilledSlot, Journal, RunLine, Standing
from evalspec.spec.plan import Plan, Slot
from evalspec.spec.source import Place

GENERATED = "data/generated"
HELD = 20_000_000
"""Bytes at the start of a journal whose filled slots are held; those of later lines are read again."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An accepted attempt that stands for its group, and the run that made it; `start` and `size` are the place of its
    line in the journal, in bytes.
    """

    group: str
    provider: str
    model: str
    run: RunLine | None
    written: tuple[Written, ...]
    """One a slot of the group, in order; none where the reply is for other slots than the plan's."""
    slots: tuple[FilledSlot, ...] | None
    """What fills the slots; None where that is to be read again."""
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Account:
    """What a journal says of a plan: the attempts that stand, by group, in the order in which they were accepted.

    `fell` are the groups that ever fell, `repeated` those that fell as a duplicate, `chunks` the digests of the texts
    that accepted replies stand on, by group, and `refused` what the last reply to each group was refused for.
    """

    path: Path
    attempts: dict[str, Attempt]
    fell: frozenset[str]
    repeated: frozenset[str]
    chunks: dict[str, tuple[str, ...]]
    refused: dict[str, str]

    def slots_of(self, attempts: Iterable[Attempt]) -> Iterator[tuple[FilledSlot, ...]]:
        """What fills the slots of each attempt, in turn. Raises JournalCorruptError, OSError."""
        with ExitStack() as opened:
            file = None
            for attempt in attempts:
                if attempt.slots is not None:
                    yield attempt.slots
                    continue
                file = file or opened.enter_context(self.path.open("rb"))
                file.seek(attempt.start)
                line = journals.decode(file.read(attempt.size), 0)
                assert isinstance(line, AttemptLine)
                yield line.slots


def read_account(plan: Plan, folder: Path, provider: str | None = None) -> Account | Diagnostic:
    """What the journal under `folder` says of `plan`; an ES511 where it cannot be read.

    `provider` is that of the run, where it is not the plan's.
    """
    path = folder / GENERATED / journals.JOURNAL_NAME
    try:
        return _account(plan, path, provider or plan.generation_model.provider)
    except (journals.JournalCorruptError, OSError) as error:
        return unreadable(path, error)


def unreadable(path: Path, error: journals.JournalCorruptError | OSError) -> Diagnostic:
    """An ES511 for the journal at `path`."""
    if isinstance(error, OSError):
        return found("ES511", f"cannot read {path}: {error.strerror}", Place(str(path)))
    place = Place(str(path), error.line, 1, error.line, 2)
    return found("ES511", f"the journal cannot be read: {error}", place)


def _account(plan: Plan, path: Path, provider: str) -> Account:
    prints = _prints(plan)
    live: Standing[Attempt] = Standing(prints, provider, _forms(plan) if provider == "embedded" else None)
    planned = {group.group_id: group.slots for group in plan.groups}
    fell: set[str] = set()
    repeated: set[str] = set()
    chunks: dict[str, tuple[str, ...]] = {}
    refused: dict[str, str] = {}
    run: RunLine | None = None
    for line, start, size in journals.lines(path):
        match line:
            case RunLine():
                run = line
            case FellLine():
                live.drop(line)
                fell.update(line.groups)
                repeated.update(line.groups if line.reason == "duplicate" else ())
            case AttemptLine(outcome="accepted"):
                if line.chunk is not None:
                    chunks[line.group] = (*chunks.get(line.group, ()), intern(line.chunk))
                if live.counts(line):
                    live.put(line.group, _attempt(line, run, planned[line.group], start, size))
            case AttemptLine(errors=(why, *_)) if prints.get(line.group) == line.fingerprint:
                refused[line.group] = intern(why)
            case _:
                pass
    return Account(path, live.kept, frozenset(fell), frozenset(repeated), chunks, refused)


def _attempt(line: AttemptLine, run: RunLine | None, planned: Sequence[Slot], start: int, size: int) -> Attempt:
    fits = [slot.slot_id for slot in line.slots] == [slot.slot_id for slot in planned]
    written = tuple(Written(hash(slot.prompt), slot.written) for slot in line.slots) if fits else ()
    held = line.slots if start < HELD else None
    return Attempt(line.group, intern(line.provider), intern(line.model), run, written, held, start, size)


def standing(plan: Plan, journal: Journal, provider: str | None = None) -> list[AttemptLine]:
    """The accepted attempts of a journal that count for `plan`, with the compose forms that it has now."""
    return list(journals.standing(journal, _prints(plan), provider, _forms(plan)))


def _prints(plan: Plan) -> dict[str, str]:
    return {group.group_id: group.fingerprint for group in plan.groups}


def _forms(plan: Plan) -> dict[str, str]:
    """The digest of the compose forms of each group's templates."""
    digests: dict[tuple[str, ...], str] = {}
    forms: dict[str, str] = {}
    for group in plan.groups:
        names = tuple(slot.template_id for slot in group.slots)
        if names not in digests:
            digests[names] = form_digest([plan.templates[name] for name in names])
        forms[group.group_id] = digests[names]
    return forms
