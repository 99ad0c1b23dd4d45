"""Records from a plan's slots and what the journal says fills them, and their Arrow schema.

The schema is derived from the Record model, never from data: a column that is null throughout keeps its type.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from evalspec.outputs.comparing import Written
from evalspec.outputs.standing import Account, Attempt
from evalspec.spec.dataclass import dataclass
from evalspec.spec.draw import draw
from evalspec.spec.journal import FilledSlot
from evalspec.spec.plan import Plan, Slot
from evalspec.spec.record import Record, RecordCriteria

FIELDS: tuple[str, ...] = tuple(Record.model_fields)
"""The columns of a release, in order."""

Row = dict[str, Any]
"""A record as plain data: the fields of Record, in order."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A slot and the attempt that fills it; `place` is its place in its group, from 0."""

    slot: Slot
    attempt: Attempt
    place: int

    @property
    def group_id(self) -> str:
        """Its group."""
        return self.attempt.group

    @property
    def written(self) -> Written:
        """What was written for it."""
        return self.attempt.written[self.place]


@lru_cache(maxsize=1)
def arrow_schema() -> Any:
    """The `pyarrow.Schema` of a release."""
    import pyarrow as pa

    return pa.schema([(name, _arrow_type(field.annotation)) for name, field in Record.model_fields.items()])


def _arrow_type(annotation: Any) -> Any:
    import pyarrow as pa

    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _arrow_type(arguments[0])
    if origin is Literal:
        return pa.string()
    if origin in (Union, UnionType):
        (inner,) = (argument for argument in arguments if argument is not type(None))
        return _arrow_type(inner)
    if origin is tuple:
        return pa.list_(_arrow_type(arguments[0]))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return pa.struct([(name, _arrow_type(field.annotation)) for name, field in annotation.model_fields.items()])
    return {str: pa.string(), int: pa.int64(), bool: pa.bool_(), float: pa.float64()}[annotation]


def filled_entries(plan: Plan, attempts: Mapping[str, Attempt]) -> list[Entry]:
    """What fills the plan's slots, in the order of the plan; a group is whole or not in it."""
    entries: list[Entry] = []
    for group in plan.groups:
        attempt = attempts.get(group.group_id)
        if attempt is not None and attempt.written:
            entries += [Entry(slot, attempt, place) for place, slot in enumerate(group.slots)]
    return entries


def make_rows(plan: Plan, entries: Sequence[Entry], version: str, account: Account) -> Iterator[Row]:
    """Records of the entries in the order that the seed draws; the place of one does not depend on the others.

    One is made at a time. Raises JournalCorruptError, OSError where the journal cannot be read again.
    """
    ids = {entry.slot.slot_id: entry.slot.record_id for entry in entries}
    ordered = sorted(entries, key=lambda entry: draw(plan.dataset.seed, "order", entry.slot.record_id))
    slots = account.slots_of(entry.attempt for entry in ordered)
    for entry, filled in zip(ordered, slots, strict=True):
        yield _row(plan, entry.slot, filled[entry.place], version, ids)


def _row(plan: Plan, slot: Slot, filled: FilledSlot, version: str, ids: dict[str, str]) -> Row:
    return {
        "id": slot.record_id,
        "version": version,
        "prompt": filled.prompt,
        "dimension": slot.dimension,
        "subdimension": slot.subdimension,
        "source_domain": slot.source_domain,
        "geography": slot.geography,
        "difficulty": slot.difficulty,
        "language": plan.dataset.language,
        "expected_behavior": filled.expected_behavior,
        "pass_criteria": _criteria(filled.pass_criteria),
        "prompt_template_id": slot.template_id,
        "reference_context": filled.reference_context,
        "is_adversarial": slot.is_adversarial,
        "adversarial_strategy": slot.adversarial_strategy,
        "expected_failure_modes": list(filled.expected_failure_modes),
        "linked_prompt_ids": [ids[other] for other in slot.linked_slots if other in ids],
    }


def _criteria(criteria: RecordCriteria) -> Row:
    """What `model_dump` gives, in a tenth of the time."""
    return {**vars(criteria), "hard_fail_conditions": list(criteria.hard_fail_conditions)}


def to_table(rows: Sequence[Row]) -> Any:
    """Rows as a `pyarrow.Table` of the declared schema."""
    import pyarrow as pa

    return pa.Table.from_pylist(list(rows), schema=arrow_schema())
