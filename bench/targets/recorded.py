"""Answers that were recorded before, given again by case, epoch and turn: to score a run anew, offline."""

import json
from collections.abc import Iterator
from dataclasses import field
from hashlib import sha256
from typing import Any

from evalspec.bench.bounded import read_bounded
from evalspec.bench.results import TargetResult
from evalspec.bench.suite import Case
from evalspec.bench.targets.config import RecordedSettings, TargetConfig
from evalspec.bench.targets.mapping import NAMES, ResultMap, failed, result_of
from evalspec.bench.targets.values import short
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.runtime.providers import SetupError
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import found
from evalspec.spec.source import Place

MAX_BYTES = 1 << 30
KEYS = ("case_id", "id", "epoch", "turn")
"""Keys of a line that say which turn it answers; all others are its answer."""
ANSWERS = tuple(
    dict.fromkeys(
        name
        for field in ("text", "tool_calls", "retrieved_ids", "abstained", "validator_rejected", "error")
        for name in NAMES[field]
    )
)
"""Keys of which a line has one at least, unless the settings say where its answer stands."""
Spot = tuple[str, int, int]
"""Case, epoch (0 where a line names none) and turn, from 0."""


def make_recorded(config: TargetConfig, model: str | None) -> "Recorded":
    """The recording that the settings name. Raises SetupError with ES731 or ES735."""
    settings = config.settings
    assert isinstance(settings, RecordedSettings)
    path = config.folder / settings.file
    try:
        data = read_bounded(path, MAX_BYTES)
        text = data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        message = f"the recording {settings.file} cannot be read: {reason}"
        raise SetupError(found("ES731", message, config.place_of("file"))) from None
    recording = _Recording(settings.file, settings.map)
    recording.read(text)
    digest = sha256(data + settings.map.model_dump_json().encode()).hexdigest()[:32]
    return Recorded(settings.name or settings.file, model or recording.model, digest, recording.answers)


@dataclass(slots=True)
class _Recording:
    """What a file holds, as it is read."""

    file: str
    mapping: ResultMap
    answers: dict[Spot, TargetResult] = field(default_factory=dict)
    model: str | None = None

    def read(self, text: str) -> None:
        """Take in a file. Raises SetupError with ES735."""
        if (report := _report(text)) is not None:
            self.model = report.get("model") if isinstance(report.get("model"), str) else None
            for row in report["rows"]:
                self._trial(row, Place(self.file))
            return
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                self._line(line, Place(self.file, number, 1, number, len(line) + 1, text=line.rstrip("\r")[:200]))
        if not self.answers:
            raise SetupError(found("ES735", f"{self.file} holds no answer", Place(self.file)))

    def _line(self, line: str, place: Place) -> None:
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SetupError(found("ES735", f"this line is no JSON: {error}", place)) from None
        if isinstance(data, dict) and isinstance(data.get("results"), list):
            self._trial(data, place)
        elif not isinstance(data, dict) or data.get("kind") not in ("judge", "head"):
            self._answer(data, place)

    def _answer(self, data: Any, place: Place) -> None:
        case = (data.get("case_id") or data.get("id")) if isinstance(data, dict) else None
        if not isinstance(case, str) or not case:
            hint = 'write {"case_id": "...", "text": "..."} for each answer'
            raise SetupError(found("ES735", "this line does not say which case it answers", place, hint=hint))
        epoch, turn = (_number(data, key, least, place) for key, least in (("epoch", 1), ("turn", 0)))
        answer = {key: value for key, value in data.items() if key not in KEYS}
        self._known(answer, place)
        self._keep((case, epoch or 0, turn or 0), self._result(answer), place)

    def _known(self, answer: dict[str, Any], place: Place) -> None:
        """See that a line holds an answer under some known name. Raises SetupError with ES735."""
        others = [key for key in answer if key not in TargetResult.model_fields]
        if not others or self.mapping != ResultMap() or not answer.keys().isdisjoint(ANSWERS):
            return
        near = next((match for key in others if (match := nearest(key, ANSWERS))), "")
        hint = f"did you mean {near}? " if near else ""
        hint += "an answer stands under text; one that is an object, under output"
        has = ", ".join(short(key, 40) for key in others[:5])
        message = f"this line has no answer under a known name; it has {has}"
        raise SetupError(found("ES735", message, place, hint=hint))

    def _result(self, answer: dict[str, Any]) -> TargetResult:
        """The answer of a line."""
        error = answer.get("error")
        if not answer:
            result = failed("the recording holds no answer for this turn")
        elif isinstance(error, str) and error and not answer.get("text") and self.mapping == ResultMap():
            result = failed(error)
        else:
            result = result_of(answer, self.mapping)
        return _whole(result, answer)

    def _trial(self, data: Any, place: Place) -> None:
        """A line of a journal, or a row of a report."""
        try:
            case, epoch = str(data["case_id"]), int(data["epoch"])
            results = [TargetResult.model_validate_json(json.dumps(result)) for result in data["results"]]
        except (LookupError, TypeError, ValueError, OverflowError, RecursionError):
            raise SetupError(found("ES735", "this is no trial of `bench`", place)) from None
        kept = [self.answers.get((case, epoch, turn)) for turn in range(len(results))]
        if kept and all(result is not None and result.error is None for result in kept):
            return  # the first whole trial stands, as in the journal
        for turn, result in enumerate(results):
            self.answers[(case, epoch, turn)] = result

    def _keep(self, spot: Spot, result: TargetResult, place: Place) -> None:
        if spot in self.answers:
            where = f"turn {spot[2]} of {spot[0]}" + (f" in epoch {spot[1]}" if spot[1] else "")
            raise SetupError(found("ES735", f"{where} is answered twice", place, hint="keep one of the two"))
        self.answers[spot] = result


def _report(text: str) -> dict[str, Any] | None:
    """A report of `bench`, where the file is one."""
    if '"rows"' not in text:
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and isinstance(data.get("rows"), list) else None


def _number(data: dict[str, Any], key: str, least: int, place: Place) -> int | None:
    value = data.get(key)
    if value is None:
        return None
    if type(value) is not int or value < least:
        raise SetupError(found("ES735", f"{key} is {value!r:.40}, not a whole number from {least}", place))
    return value


def _whole(result: TargetResult, answer: dict[str, Any]) -> TargetResult:
    """The result with the latency that its line tells of; without an output, where the line holds a result alone."""
    update: dict[str, Any] = {}
    latency = answer.get("latency_ms")
    if not isinstance(latency, bool) and isinstance(latency, int | float) and 0 <= latency < 1e12:
        update["latency_ms"] = float(latency)
    if "text" in answer and answer.get("output") is None and set(answer) <= set(TargetResult.model_fields):
        update["output"] = None
    return result.model_copy(update=update)


@dataclass(slots=True)
class Recorded:
    """Recorded answers."""

    name: str
    model: str | None
    digest: str
    answers: dict[Spot, TargetResult] = field(repr=False)
    kind: str = "recorded"
    most_at_once: int = 1024
    has_answered: bool = True

    def shown(self) -> dict[str, Any]:
        """What a report shows of it."""
        return {"kind": self.kind, "name": self.name, "model": self.model, "digest": self.digest}

    def session(self, case: Case, epoch: int) -> "RecordedSession":
        """The recorded answers of one trial, in order."""
        return RecordedSession(self._turns(case.case_id, epoch))

    def _turns(self, case: str, epoch: int) -> Iterator[TargetResult | None]:
        turn = 0
        while True:
            given = self.answers.get((case, epoch, turn))
            yield given if given is not None else self.answers.get((case, 0, turn))
            turn += 1

    async def close(self) -> None:
        """Nothing is held open."""


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """The answers to the turns of one trial."""

    turns: Iterator[TargetResult | None]

    async def ask(self, input: Any) -> TargetResult:
        """The next recorded answer; a result with an error where there is none."""
        del input
        return next(self.turns) or failed("the recording holds no answer for this turn")

    async def close(self) -> None:
        """Nothing is held open."""
