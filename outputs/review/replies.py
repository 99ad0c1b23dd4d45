"""Where in the journal the reply behind a group stands: an index of places, so that no reply is held in memory."""

import json
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from evalspec.outputs.standing import GENERATED, standing
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.journal import JOURNAL_NAME, AttemptLine, FellLine, Journal, Line
from evalspec.spec.plan import Plan
from evalspec.spec.source import Place


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply that stands for a group: its number, the digest of its line in the journal, and where that begins."""

    attempt: int
    digest: str
    offset: int


@dataclass(frozen=True, slots=True)
class Replies:
    """`standing` by group; `rejected` are groups that a rejection made fall at some time; `path` is None where there
    is no journal.
    """

    standing: dict[str, Reply]
    rejected: frozenset[str]
    path: Path | None

    def line(self, group: str) -> dict[str, Any] | None:
        """The journal's line behind a group as plain data; None where there is none or it can no longer be read."""
        reply = self.standing.get(group)
        if reply is None or self.path is None:
            return None
        try:
            with self.path.open("rb") as file:
                file.seek(reply.offset)
                data = json.loads(file.readline())
        except (OSError, ValueError):
            return None
        same = isinstance(data, dict) and data.get("group") == group and data.get("attempt") == reply.attempt
        return data if same else None


class RepliesError(Exception):
    """The journal cannot be read; `diagnostic` is an ES511."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def index(plan: Plan, folder: Path, provider: str | None = None) -> Replies:
    """Index the journal under `folder` by the plan's groups. Raises RepliesError.

    With `provider`, only attempts that count for it stand; else those of the plan's provider, or where there are
    none those of the embedded one.
    """
    path = folder / GENERATED / JOURNAL_NAME
    if not path.is_file():
        return Replies({}, frozenset(), None)
    places: dict[tuple[str, int], Reply] = {}
    lines: list[Line] = []
    for line, reply in _lines(path):
        lines.append(line)
        if reply is not None and isinstance(line, AttemptLine):
            places[line.group, line.attempt] = reply
    journal = Journal(tuple(lines), 0, 0)
    attempts = standing(plan, journal, provider) or ([] if provider else standing(plan, journal, "embedded"))
    rejected = {
        group for line in lines if isinstance(line, FellLine) and line.reason == "rejected" for group in line.groups
    }
    found_at = {attempt.group: places[attempt.group, attempt.attempt] for attempt in attempts}
    return Replies(found_at, frozenset(rejected), path)


def _lines(path: Path) -> Iterator[tuple[Line, Reply | None]]:
    """The lines that say what stands, without their texts."""
    offset = 0
    try:
        with path.open("rb") as file:
            for number, row in enumerate(file, 1):
                if not row.endswith(b"\n"):
                    return  # torn: it never counted
                slim = _slim(row, number, path, offset)
                if slim is not None:
                    yield slim
                offset += len(row)
    except OSError as error:
        raise RepliesError(found("ES511", f"cannot read {path}: {error.strerror}", Place(str(path)))) from None


def _slim(row: bytes, number: int, path: Path, offset: int) -> tuple[Line, Reply | None] | None:
    try:
        data = json.loads(row)
        if data["kind"] == "fell":
            return FellLine(reason=data["reason"], groups=tuple(data["groups"])), None
        if data["kind"] != "attempt" or data["outcome"] != "accepted":
            return None
        digest = blake2b(row, digest_size=16).hexdigest()
        names = ("group", "attempt", "fingerprint", "provider", "form", "outcome")
        line = AttemptLine.model_construct(**{name: data.get(name) for name in names})
        return line, Reply(data["attempt"], digest, offset)
    except (ValueError, KeyError, TypeError) as error:
        place = Place(str(path), number, 1, number, 1)
        message = f"the journal cannot be read: line {number}: {type(error).__name__}"
        raise RepliesError(found("ES511", message, place)) from None
