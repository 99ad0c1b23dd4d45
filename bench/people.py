"""What people are to rate: the list that they get, and what their ratings come to. `ratings` reads it back.

Two people rate an answer 0 or 1; where they disagree, a third does. A list is CSV, which spreadsheets open, or JSONL.
"""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any

from evalspec.bench.checks import Check, RatedByPeople
from evalspec.bench.results import CheckResult, TargetResult, TrialLine, Verdict
from evalspec.bench.suite import Case, Suite
from evalspec.spec.dataclass import dataclass
from evalspec.spec.writing import write_atomically

RATERS = ("rater_1", "rater_2", "rater_3")
HEAD = ("case_id", "epoch", "turn", "check", "question", "input", "answer", "expected", "answer_id")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""

Key = tuple[str, int, int, str]
"""Case id, epoch, turn and the check's name."""


@dataclass(frozen=True, slots=True)
class ForRating:
    """One answer that people are to rate: a line of the list. `expected` is what they may compare it with."""

    case_id: str
    epoch: int
    turn: int
    check: str
    question: str
    input: str
    answer: str
    expected: str = ""
    ratings: tuple[int, ...] = ()
    """Those that it has."""

    @property
    def waits(self) -> bool:
        """Whether its ratings decide nothing yet."""
        return decided(self.ratings)[0] is None


@dataclass(frozen=True, slots=True)
class Rated:
    """The ratings of one answer, in the order of the raters' columns."""

    values: tuple[int, ...]
    answer_id: str

    @property
    def agreed(self) -> bool:
        """Whether all who rated it said the same."""
        return len(set(self.values)) < 2


@dataclass(frozen=True, slots=True)
class Ratings:
    """What came back: ratings by answer."""

    rated: dict[Key, Rated] = field(default_factory=dict)

    @property
    def disagreements(self) -> int:
        """Answers that two people or more rated, and not alike."""
        return sum(not one.agreed for one in self.rated.values())

    def of(self, case_id: str, epoch: int, turn: int, check: str, answer: str) -> "Rated | None":
        """The ratings of this answer; None where there are none, or they are of another."""
        one = self.rated.get((case_id, epoch, turn, check))
        return one if one is not None and one.answer_id == answer_id(answer) else None

    @property
    def waiting(self) -> tuple[Key, ...]:
        """Answers whose ratings decide nothing yet."""
        return tuple(key for key, one in self.rated.items() if decided(one.values)[0] is None)


def answer_id(answer: str) -> str:
    """What ties a rating to the answer that was rated: the start of the SHA-256 of its text."""
    return sha256(answer.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def answer_of(result: TargetResult) -> str:
    """The answer as people read it: the text, or the JSON where there is no text."""
    return result.text if result.text or result.output is None else _shown(result.output)


def to_rate(suite: Suite, lines: Iterable[TrialLine], ratings: Ratings | None = None) -> list[ForRating]:
    """What people are to rate of the answers in `lines`: each answer without an error to a turn that asks for it.

    Each has the ratings that were given to this very answer.
    """
    cases = {case.case_id: case for case in suite.cases}
    return [
        ForRating(
            case_id=case.case_id,
            epoch=line.epoch,
            turn=number,
            check=check.name,
            question=check.spec.question,
            input=_shown(turn.input),
            answer=(answer := answer_of(result)),
            expected="" if case.expected is None else _shown(case.expected),
            ratings=known.values
            if ratings and (known := ratings.of(case.case_id, line.epoch, number, check.name, answer))
            else (),
        )
        for line in lines
        if (case := cases.get(line.case_id)) is not None
        for number, (turn, result) in enumerate(zip(case.turns, line.results, strict=False))
        if result.error is None
        for check in turn.checks
        if isinstance(check.spec, RatedByPeople)
    ]


def write_list(path: Path, items: Sequence[ForRating]) -> Path:
    """Write the list for people: CSV, or JSONL where the name ends in `.jsonl`. Raises OSError.

    A file of that name is left as it is, since people may have filled it in: the list gets the next free name then, and
    its path comes back. In CSV a cell that a spreadsheet would take for a formula begins with an apostrophe.
    """
    data = _list(items, jsonl=path.suffix == ".jsonl")
    stem, number = path.stem, 1
    while path.exists() and path.read_bytes() != data:
        number += 1
        path = path.with_name(f"{stem}-{number}{path.suffix}")
    write_atomically(path, data)
    return path


def _list(items: Sequence[ForRating], *, jsonl: bool) -> bytes:
    raters = max([len(RATERS), *(len(item.ratings) for item in items)])
    rows = [_row(item, raters) for item in items]
    if jsonl:
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return "".join(lines).encode("utf-8", "backslashreplace")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow((*HEAD, *(f"rater_{number}" for number in range(1, raters + 1))))
    writer.writerows([_cell(value) for value in row.values()] for row in rows)
    return out.getvalue().encode("utf-8-sig", "backslashreplace")


def decided(values: Sequence[int]) -> tuple[bool | None, str]:
    """What ratings come to, and why; None where they decide nothing yet."""
    yes, count = sum(values), len(values)
    if count < 2:
        return None, f"waits for people: {count} of 2 ratings"
    if yes * 2 == count:
        return (
            None,
            "the raters disagree: one more is needed" if count > 2 else "two raters disagree: a third is needed",
        )
    return yes * 2 > count, f"{yes} of {count} raters say 1"


def rated(
    check: Check, case: Case, ratings: Ratings, epoch: int, result: TargetResult | None = None, turn: int | None = None
) -> CheckResult:
    """The verdict of people on one answer of a case.

    `result` is the answer at hand: ratings of another one do not count. `turn` is where the check stands, by default
    the first turn that has it.
    """
    if turn is None:
        turn = next((number for number, one in enumerate(case.turns) if check in one.checks), 0)
    one = ratings.rated.get((case.case_id, epoch, turn, check.name))
    verdict: Verdict = "unscored"
    if not isinstance(check.spec, RatedByPeople):
        reason = "is not a check that people decide"
    elif result is not None and result.error is not None:
        reason = "the target gave no answer"
    elif one is None:
        reason = "waits for people: no rating"
    elif result is not None and one.answer_id != answer_id(answer_of(result)):
        reason = "the ratings are of another answer"
    else:
        outcome, reason = decided(one.values)
        verdict = "unscored" if outcome is None else "pass" if outcome else "fail"
    return CheckResult(check=check.name, turn=turn, verdict=verdict, reason=reason, metric=check.metric)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def _row(item: ForRating, raters: int) -> dict[str, Any]:
    row = {name: getattr(item, name) for name in HEAD[:-1]}
    given = dict(enumerate(item.ratings, 1))
    said = {f"rater_{number}": given.get(number) for number in range(1, raters + 1)}
    return {**row, "answer_id": answer_id(item.answer), **said}


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.lstrip("'").startswith(FORMULA) else text
