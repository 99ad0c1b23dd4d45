"""review.yaml: what a reviewer decided about the groups of a release, one line a group.

A decision is about one reply. Where the group has been filled anew since, it says nothing of what stands there now.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from evalspec.outputs.review.replies import Replies
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.model import Model
from evalspec.spec.plan import Plan
from evalspec.spec.source import Place

NAME = "review.yaml"
NOTE_LENGTH = 10_000
Verdict = Literal["accepted", "rejected", "noted"]
State = Literal["accepted", "rejected", "noted", "remade"]
"""A verdict, or `remade`: it was about a reply that another one has replaced."""

_ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_HEAD = (
    "# What a reviewer decided, written by `evalspec review`. The next `evalspec run` makes rejected groups again.\n"
)


class Decision(Model):
    """What was decided about one group."""

    group: Annotated[str, Field(min_length=1)]
    fingerprint: str
    """Of the group in the plan, when it was decided."""
    attempt: int | None = None
    """Number of the reply that was judged; null where there was no journal."""
    reply: str | None = None
    """Digest of that reply."""
    verdict: Verdict
    note: Annotated[str, Field(max_length=NOTE_LENGTH)] = ""
    at: str = ""
    """When, UTC, ISO 8601."""


class ReviewError(Exception):
    """review.yaml cannot be used; `diagnostic` is an ES521 or ES510."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def read(folder: Path) -> dict[str, Decision]:
    """The decisions by group, those of a missing file none; of two on one group the later counts. Raises
    ReviewError.
    """
    path = folder / NAME
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ReviewError(_unreadable(path, getattr(error, "strerror", None) or "it is not UTF-8")) from None
    decisions: dict[str, Decision] = {}
    for number, item in enumerate(_items(path, text), 1):
        try:
            decision = Decision.model_validate(item)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "it"
            raise ReviewError(_unreadable(path, f"decision {number}: {where}: {first['msg']}")) from None
        decisions[decision.group] = decision
    return decisions


def _items(path: Path, text: str) -> list[Any]:
    """The entries as plain data; lines as `write` makes them are read at once, all else as the YAML it is."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    if lines[:1] == ["decisions:"]:
        try:
            return [json.loads(line.removeprefix("  - ")) for line in lines[1:]]
        except ValueError:
            pass
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        data = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, RecursionError) as error:
        reason = getattr(error, "problem", None) or str(error)
        raise ReviewError(_unreadable(path, " ".join(str(reason).split()))) from None
    items = (data.get("decisions") or []) if isinstance(data, dict) else [] if data is None else None
    if not isinstance(items, list):
        raise ReviewError(_unreadable(path, "it is not a mapping with a list of decisions"))
    return [_plain(item) for item in items]


def _plain(item: Any) -> Any:
    """An entry with its dates as text, as a person may have written them without quotes."""
    if not isinstance(item, dict):
        return item
    return {key: value.isoformat() if isinstance(value, date) else value for key, value in item.items()}


def _unreadable(path: Path, reason: str) -> Diagnostic:
    hint = "mend the line, or remove the file: evalspec review then begins anew"
    return found("ES521", f"{path} cannot be read as decisions: {reason}", Place(str(path)), hint=hint)


def write(folder: Path, decisions: Iterable[Decision]) -> None:
    """Write review.yaml whole or not at all. Raises ReviewError with ES510."""
    path = Path(os.path.realpath(folder / NAME))
    lines = [f"  - {_one_line(decision)}\n" for decision in decisions]
    text = _HEAD + ("decisions:\n" if lines else "decisions: []\n") + "".join(lines)
    new = path.with_name(f".{NAME}.new")
    try:
        with new.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        message = f"cannot write {path}: {error.strerror or error}"
        raise ReviewError(found("ES510", message, Place(str(path)))) from None


def _one_line(decision: Decision) -> str:
    """A decision as JSON that is YAML too: what YAML does not take as it is, or ends a line by, is escaped."""
    text = json.dumps(decision.model_dump(mode="json"), ensure_ascii=False)
    return _ODD.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def decide(folder: Path, group: str, decision: Decision | None) -> dict[str, Decision]:
    """Put a decision on a group, or take it back with None, and give all of them as they now are. Raises
    ReviewError.
    """
    decisions = read(folder)
    if decision is None:
        decisions.pop(group, None)
    else:
        decisions[group] = decision
    write(folder, decisions.values())
    return decisions


def state(decision: Decision, fingerprint: str | None, replies: Replies) -> State:
    """What a decision comes to now; `fingerprint` is that of its group in the plan."""
    if decision.fingerprint != fingerprint:
        return "remade"
    standing = replies.standing.get(decision.group)
    if standing is None:
        return decision.verdict
    if decision.attempt is None:
        return "remade" if decision.group in replies.rejected else decision.verdict
    judged = (decision.attempt, decision.reply or standing.digest)
    return decision.verdict if judged == (standing.attempt, standing.digest) else "remade"


def states(decisions: Mapping[str, Decision], plan: Plan, replies: Replies) -> dict[str, State]:
    """What each decision on a group of the plan comes to."""
    prints = {group.group_id: group.fingerprint for group in plan.groups}
    return {group: state(decision, prints[group], replies) for group, decision in decisions.items() if group in prints}


def to_reopen(decisions: Mapping[str, Decision], plan: Plan, replies: Replies) -> list[Decision]:
    """The rejections whose replies still count, in the order of the plan."""
    now = states(decisions, plan, replies)
    return [
        decisions[group.group_id]
        for group in plan.groups
        if now.get(group.group_id) == "rejected" and group.group_id in replies.standing
    ]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many groups of a plan are accepted, rejected and not yet made again, noted, and not judged."""

    accepted: int
    rejected: int
    noted: int
    unjudged: int


def tally(decisions: Mapping[str, Decision], plan: Plan, replies: Replies) -> Tally:
    """Count the groups of a plan by what was decided."""
    now = list(states(decisions, plan, replies).values())
    counts = {name: now.count(name) for name in ("accepted", "rejected", "noted")}
    judged = counts["accepted"] + counts["rejected"]
    return Tally(**counts, unjudged=len(plan.groups) - judged)
