"""A reviewer's desk: a release, its journal and the decisions on it, and the one way in which they change."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evalspec.outputs.review import catalog, decisions, replies
from evalspec.outputs.review.catalog import Catalog, Row
from evalspec.outputs.review.decisions import Decision, Tally, Verdict
from evalspec.outputs.review.replies import Replies
from evalspec.outputs.writers import parquet
from evalspec.spec.dataclass import dataclass
from evalspec.spec.plan import Plan

__all__ = ["Chunk", "Desk", "DeskError", "opened", "summary"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """The source text behind a group."""

    title: str
    document: str
    text: str


ChunkOf = Callable[[str], Chunk | None]
"""From the digest of a chunk to the chunk, None where no source gives it."""


class DeskError(Exception):
    """What was asked cannot be done; the message says why."""


@dataclass(frozen=True, slots=True)
class Behind:
    """What the journal says of a group: the line's fields, and whether the release shows that reply."""

    line: Row
    chunk: Chunk | None
    current: bool


@dataclass(slots=True)
class Desk:
    """`plan` and `folder` are None for a release without a plan, on which nothing can be decided."""

    release: Path
    plan: Plan | None
    folder: Path | None
    catalog: Catalog
    replies: Replies
    decisions: dict[str, Decision]
    chunk_of: ChunkOf
    prints: Mapping[str, str]
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def behind(self, group: str, members: list[Row]) -> Behind | None:
        """The reply behind a group whose records are `members`; None where there is no journal for it."""
        line = self.replies.line(group)
        if line is None:
            return None
        chunk = self.chunk_of(line["chunk"]) if line.get("chunk") else None
        return Behind(line, chunk, _shows(line, members))

    def decide(self, group: str, verdict: Verdict | None, note: str) -> None:
        """Write a decision to review.yaml, or take it back with None. Raises DeskError, ReviewError."""
        if self.folder is None:
            raise DeskError("there is no plan: nothing can be decided")
        members = self.catalog.members(group)
        fingerprint = self.prints.get(group)
        if fingerprint is None or not members:
            raise DeskError(f"there is no group {group}")
        line = self.replies.line(group)
        if line is not None and not _shows(line, members):
            raise DeskError("the journal has another reply for this group: evalspec assemble makes the release anew")
        standing = self.replies.standing.get(group)
        decision = None
        if verdict is not None:
            decision = Decision(
                group=group,
                fingerprint=fingerprint,
                attempt=standing.attempt if standing else None,
                reply=standing.digest if standing else None,
                verdict=verdict,
                note=note.strip()[: decisions.NOTE_LENGTH],
                at=datetime.now(UTC).isoformat(timespec="seconds"),
            )
        with self._lock:
            self.decisions = decisions.decide(self.folder, group, decision)
            self.catalog.put(group, verdict)


def _shows(line: Mapping[str, Any], members: list[Row]) -> bool:
    """Whether the records of a group are those that a reply made."""
    return {slot["prompt"] for slot in line["slots"]} == {member["prompt"] for member in members}


@contextmanager
def opened(release: Path, plan: Plan | None, folder: Path | None, chunk_of: ChunkOf) -> Iterator[Desk]:
    """Open a release for review. Raises CatalogError, RepliesError, ReviewError."""
    known: Replies = Replies({}, frozenset(), None)
    decided: dict[str, Decision] = {}
    states: dict[str, decisions.State] = {}
    if plan is not None and folder is not None:
        known = replies.index(plan, folder)
        decided = decisions.read(folder)
        states = decisions.states(decided, plan, known)
    prints = {group.group_id: group.fingerprint for group in plan.groups} if plan else {}
    with catalog.opened(release / parquet.NAME, plan, states) as records:
        yield Desk(release, plan, folder, records, known, decided, chunk_of, prints)


def summary(plan: Plan, folder: Path) -> Tally | None:
    """What was decided on the groups of a plan; None where nothing was. Raises RepliesError, ReviewError."""
    decided = decisions.read(folder)
    return decisions.tally(decided, plan, replies.index(plan, folder)) if decided else None
