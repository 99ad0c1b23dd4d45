"""Quota cells that a fill left open, named with what is missing in them."""

import re
from collections.abc import Collection, Mapping
from dataclasses import field

from evalspec.outputs import database, queries
from evalspec.outputs.places import origin_place
from evalspec.outputs.standing import GENERATED, Account
from evalspec.spec import journal as journals
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.plan import Plan

_OWN = re.compile(r"“[^”]*”|\d+")
"""What sets the reasons apart for which groups are refused alike: the text at hand, the record, a number."""
DUPLICATES = "duplicates.jsonl"
"""The list of pairs over the threshold, beside the journal."""


@dataclass(frozen=True, slots=True)
class OpenCell:
    """A cell of the plan with fewer records than slots; counts are records."""

    subdimension: str
    source_domain: str
    geography: str
    difficulty: str
    planned: int
    missing: int
    slots: tuple[str, ...]
    origin: str


def open_cells(connection: database.Connection) -> tuple[OpenCell, ...]:
    """The open cells of the plan in the database, in the order of the plan."""
    return tuple(
        OpenCell(
            row["subdimension"],
            row["source_domain"],
            row["geography"],
            row["difficulty"],
            row["planned"],
            row["missing"],
            tuple(row["missing_slots"]),
            row["origin"],
        )
        for row in database.rows(connection, queries.folder("stats")["open_cells"].sql)
    )


@dataclass(frozen=True, slots=True)
class Repeats:
    """What fell as a duplicate, by group: `now` in this assembly, `before` in an earlier round and open since.

    `chunks` are the digests of the texts that accepted replies stand on, and `refused` says why the last reply was.
    """

    now: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    chunks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def repeats_of(account: Account, fallen: Collection[str]) -> Repeats:
    """Read it from the journal; `fallen` are the groups that fall now."""
    now = frozenset(fallen)
    return Repeats(now, account.repeated - now, account.chunks, account.refused)


def cell_diagnostics(plan: Plan, cells: tuple[OpenCell, ...], repeats: Repeats | None = None) -> list[Diagnostic]:
    """One ES501 a subdimension, at the YAML that asked for it, with all its open cells by name, and their cause: groups
    fell as duplicates, or what most of their last replies were refused for.
    """
    by_subdimension: dict[str, list[OpenCell]] = {}
    for cell in cells:
        by_subdimension.setdefault(cell.subdimension, []).append(cell)
    out = []
    for name, some in by_subdimension.items():
        cause, hint = _cause(plan, name, some, repeats or Repeats())
        out.append(found("ES501", _message(name, some) + cause, origin_place(plan, some[0].origin), hint=hint))
    return out


def _cause(plan: Plan, name: str, cells: list[OpenCell], repeats: Repeats) -> tuple[str, str]:
    """Why records are missing, where it is known, and what to do."""
    missing = {slot for cell in cells for slot in cell.slots}
    groups = {slot.slot_id: group.group_id for group in plan.groups for slot in group.slots if slot.slot_id in missing}
    now = sum(group in repeats.now for group in groups.values())
    fell = now + sum(group in repeats.before for group in groups.values())
    if not fell:
        return _refusals(set(groups.values()), repeats.refused)
    own = [group.group_id for group in plan.groups if group.subdimension == name]
    chunks = len({digest for group in own for digest in repeats.chunks.get(group, ())})
    what = "1 fell as a duplicate of another record" if fell == 1 else f"{fell:,} fell as duplicates of other records"
    texts = "1 chunk" if chunks == 1 else f"{chunks:,} chunks"
    log = f"{GENERATED}/{DUPLICATES}" if now else f"{GENERATED}/{journals.JOURNAL_NAME}"
    hint = f"{log} names the pairs; give these cells more text, or ask for fewer records of them"
    return f"; {what} ({name} was written from {texts} of text)", hint


def _refusals(groups: set[str], refused: Mapping[str, str]) -> tuple[str, str]:
    """What most of the open groups' last replies were refused for, where they had any, and what to do."""
    again = "run again: it fills what is open and asks for nothing that is there"
    log = f"{GENERATED}/validation_errors.jsonl"
    kinds: dict[str, list[str]] = {}
    for why in (refused[group] for group in sorted(groups & refused.keys())):
        kinds.setdefault(_OWN.sub("", why), []).append(why)
    if not kinds:
        return "", f"{again}; {log} says why replies were refused"
    alike = max(kinds.values(), key=len)
    whose = "its last reply was" if len(groups) == 1 else f"{len(alike):,} of {len(groups):,} last replies were"
    return (
        f"; {whose} refused: {min(alike)}",
        f"{again}; if the same comes back, mend what the template asks for ({log})",
    )


def _message(name: str, cells: list[OpenCell]) -> str:
    missing = sum(cell.missing for cell in cells)
    listed = "; ".join(
        f"{cell.missing:,} of {cell.planned:,} in {cell.source_domain} / {cell.geography} / {cell.difficulty}"
        for cell in cells
    )
    slots = [slot for cell in cells for slot in cell.slots]
    what = "1 record is" if missing == 1 else f"{missing:,} records are"
    return f"{what} missing in {name}: {listed} ({_some(slots)})"


def _some(slots: list[str]) -> str:
    shown = ", ".join(slots[:3])
    return shown if len(slots) <= 3 else f"{shown} and {len(slots) - 3:,} more"
