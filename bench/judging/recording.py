"""Recorded verdicts: a JSONL file of replies by case, check, turn, epoch and vote."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from evalspec.bench.reading.gathered import Gathered
from evalspec.bench.reading.lines import Line, read_lines
from evalspec.bench.reading.parts import checked
from evalspec.runtime.providers import SetupError
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Severity, found
from evalspec.spec.model import Model
from evalspec.spec.source import Place

Whole = Annotated[int, Field(ge=1)]
_HINT = (
    'a line is {"case_id": "...", "reply": {"rationale": "...", "pass": true}}, or a judge\'s line of a bench journal'
)


class RecordedVerdict(Model):
    """One line; what it leaves out it says for all: all checks, turns, epochs or votes of the case."""

    case_id: str
    check: str | None = None
    turn: Annotated[int, Field(ge=0)] | None = None
    epoch: Whole | None = None
    vote: Whole | None = None
    reply: str | dict[str, Any]
    """As the judge would give it: its text, or the JSON object."""


_Spot = tuple[str | int | None, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """The replies of a file."""

    name: str
    digest: str
    """SHA-256 of its bytes."""
    replies: dict[str, dict[_Spot, str]]
    """By case, then by check, turn, epoch and vote."""

    def find(self, case_id: str, check: str, turn: int, epoch: int, vote: int) -> str | None:
        """The reply that says most exactly what it is about; of two lines on the same, the later."""
        held = self.replies.get(case_id)
        if held is None:
            return None
        spot: _Spot = (check, turn, epoch, vote)
        fitting = [known for known in held if all(part in (None, own) for part, own in zip(known, spot, strict=True))]
        if not fitting:
            return None
        return held[max(fitting, key=lambda known: tuple(part is not None for part in known))]


def recorded(path: Path, name: str) -> Recording:
    """Read a recording. Raises SetupError at its first fault, with ES752 where it holds no verdicts."""
    gathered = Gathered("native", name, Place(name))
    replies: dict[str, dict[_Spot, str]] = {}
    for read in read_lines(path, name, gathered):
        line = _verdict(read, gathered)
        if line is not None:
            spot = (line.check, line.turn, line.epoch, line.vote)
            said = line.reply if isinstance(line.reply, str) else json.dumps(line.reply, ensure_ascii=False)
            replies.setdefault(line.case_id, {})[spot] = said
        if not gathered.sound:
            break
    if not gathered.sound:
        raise SetupError(next(d for d in gathered.diagnostics if d.severity is Severity.ERROR))
    if not replies:
        raise SetupError(found("ES752", f"{name} holds no verdicts", Place(name), hint=_HINT))
    return Recording(name, gathered.files[name], replies)


def _verdict(line: Line, gathered: Gathered) -> RecordedVerdict | None:
    """The verdict of a line; None for one that is faulty, and for a line of a bench journal that holds none."""
    part = line.part
    kind = part.data.get("kind")
    if kind == "trial" or (kind == "judge" and part.data.get("reply") is None):
        return None
    if kind == "judge":
        part = replace(part, data={key: part.data[key] for key in RecordedVerdict.model_fields if key in part.data})
    made, _ = checked(part, RecordedVerdict, gathered.diagnostics)
    return made
