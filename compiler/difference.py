"""Difference: which slots appear, vanish or change between two plans, and what would be made again, and why."""

from collections import Counter
from collections.abc import Iterator

from evalspec.spec.dataclass import dataclass
from evalspec.spec.plan import Group, Plan, PlannedTemplate, Slot

_SLOT_FIELDS = (
    "slot_id",
    "template_id",
    "dimension",
    "subdimension",
    "source_domain",
    "geography",
    "difficulty",
    "adversarial_strategy",
    "is_adversarial",
    "linked_slots",
)
_TEMPLATE_PARTS = (
    "system_prompt",
    "user_message_template",
    "generation_instruction",
    "negative_examples",
    "pass_criteria",
    "fields",
)


@dataclass(frozen=True, slots=True)
class SlotRow:
    """A slot as it is named to a reader."""

    slot_id: str
    record_id: str
    template_id: str
    subdimension: str
    source_domain: str
    geography: str
    difficulty: str


@dataclass(frozen=True, slots=True)
class Change:
    """A slot that is in both plans, by its record id, and what became of it: field, old, new."""

    slot_id: str
    record_id: str
    fields: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Rebuy:
    """A group whose reply has to be made: it is new, or what it was made from changed."""

    group_id: str
    records: int
    new: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """What sets two plans apart."""

    appear: tuple[SlotRow, ...]
    vanish: tuple[SlotRow, ...]
    change: tuple[Change, ...]
    rebuy: tuple[Rebuy, ...]
    reasons: tuple[tuple[str, int, int], ...]
    """Reason, groups and records, the most records first; a group with two reasons is counted for both."""
    kept: int
    """Groups that stand as they are."""

    @property
    def same(self) -> bool:
        """Whether nothing has to be made again and no slot differs."""
        return not (self.appear or self.vanish or self.change or self.rebuy)


def diff(old: Plan, new: Plan) -> Difference:
    """What changes from `old` to `new`."""
    before = {slot.record_id: slot for slot in old.slots()}
    after = {slot.record_id: slot for slot in new.slots()}
    rebuy = tuple(_rebuys(old, new))
    return Difference(
        appear=tuple(_row(slot) for name, slot in after.items() if name not in before),
        vanish=tuple(_row(slot) for name, slot in before.items() if name not in after),
        change=tuple(
            Change(slot.slot_id, name, fields)
            for name, slot in after.items()
            if name in before and (fields := _changed(before[name], slot))
        ),
        rebuy=rebuy,
        reasons=_counted(rebuy),
        kept=len(new.groups) - len(rebuy),
    )


def _row(slot: Slot) -> SlotRow:
    return SlotRow(
        slot.slot_id,
        slot.record_id,
        slot.template_id,
        slot.subdimension,
        slot.source_domain,
        slot.geography,
        slot.difficulty,
    )


def _changed(old: Slot, new: Slot) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (name, _shown(getattr(old, name)), _shown(getattr(new, name)))
        for name in _SLOT_FIELDS
        if getattr(old, name) != getattr(new, name)
    )


def _shown(value: object) -> str:
    if value is None:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _rebuys(old: Plan, new: Plan) -> Iterator[Rebuy]:
    before = {group.group_id: group for group in old.groups}
    for group in new.groups:
        known = before.get(group.group_id)
        if known is None:
            yield Rebuy(group.group_id, len(group.slots), True, (f"new group of {group.subdimension}",))
        elif known.fingerprint != group.fingerprint:
            reasons = tuple(dict.fromkeys(_reasons(old, new, known, group))) or ("another format of fingerprints",)
            yield Rebuy(group.group_id, len(group.slots), False, reasons)


def _reasons(old: Plan, new: Plan, known: Group, group: Group) -> Iterator[str]:
    """Why the fingerprints of one group differ, by what the fingerprint holds."""
    fields = {name for one, other in zip(known.slots, group.slots, strict=False) for name, _, _ in _changed(one, other)}
    if [slot.record_id for slot in known.slots] != [slot.record_id for slot in group.slots]:
        yield f"the seed or the members of {group.subdimension} changed"
    for name in _SLOT_FIELDS:
        if name in fields and name not in ("slot_id", "linked_slots"):
            yield f"{name} changed"
    for template_id in dict.fromkeys(slot.template_id for slot in group.slots):
        if template_id in old.templates:
            for part in _parts(old.templates[template_id], new.templates[template_id]):
                yield f"{part} of template {template_id} changed"
    strategy = group.slots[0].adversarial_strategy
    if strategy is not None and old.strategies.get(strategy) != new.strategies.get(strategy):
        yield f"strategy {strategy} changed"
    for name in (group.slots[0].source_domain, group.slots[0].geography):
        if old.labels.get(name) != new.labels.get(name):
            yield f"the label of {name} changed"


def _parts(old: PlannedTemplate, new: PlannedTemplate) -> Iterator[str]:
    for part in _TEMPLATE_PARTS:
        if getattr(old, part) != getattr(new, part):
            yield part


def _counted(rebuys: tuple[Rebuy, ...]) -> tuple[tuple[str, int, int], ...]:
    groups: Counter[str] = Counter()
    records: Counter[str] = Counter()
    for rebuy in rebuys:
        for reason in rebuy.reasons:
            groups[reason] += 1
            records[reason] += rebuy.records
    ordered = sorted(groups, key=lambda reason: (-records[reason], reason))
    return tuple((reason, groups[reason], records[reason]) for reason in ordered)
