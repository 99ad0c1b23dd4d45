"""From a judge's reply to its vote: pass or fail with the reason, or no vote with the reason, never a guess."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from evalspec.bench.checks import JudgedByPolicy, JudgedByRubric
from evalspec.bench.judging.grades import read_grade
from evalspec.bench.judging.objects import MAX_CHARS, Found, objects_in
from evalspec.bench.judging.prompts import condition_names
from evalspec.bench.results import JudgeLine
from evalspec.spec.dataclass import dataclass

_WIDEST = 100
"""A scale of more steps than this is not read from plain text."""
_LONGEST_REASON = 400


@dataclass(frozen=True, slots=True)
class Vote:
    """One vote: `passed` is None where it is unscored, and `reason` then says why."""

    passed: bool | None
    reason: str
    score: int | None = None
    """Within the rubric's scale, where a rubric was judged by."""
    failed_by: tuple[str, ...] = ()
    """The hard-fail conditions that apply, in words."""


def read_vote(spec: JudgedByPolicy | JudgedByRubric, line: JudgeLine) -> Vote:
    """The vote in one reply of a judge. Raises nothing."""
    if line.reply is None:
        return Vote(None, line.error or "the judge gave no reply")
    if line.finish == "refusal":
        return Vote(None, f"the judge refused to answer: {shortened(line.reply)}")
    if len(line.reply) > MAX_CHARS:
        return Vote(None, f"the judge's reply has over {MAX_CHARS:,} characters")
    if not line.reply.strip().lstrip("\ufeff"):
        return Vote(None, "the judge's reply is empty")
    found = objects_in(line.reply)
    if found.cut or (line.finish == "length" and not (found.objects and _idle(found.rest))):
        return Vote(None, "the judge's reply was cut off before its end")
    match spec:
        case JudgedByPolicy():
            return _read(found, "pass", _by_policy) if found.braces else _graded_policy(line.reply)
        case JudgedByRubric():
            if found.braces:
                return _read(found, "score", lambda verdict: _by_rubric(verdict, spec))
            return _graded_rubric(line.reply, spec)


def unless_repeated(vote: Vote, reply: str | None, answers: Iterable[str]) -> Vote:
    """The vote; none where it passes an answer by what stands in the answer itself, object or last line.

    So a judge that is led to copy a verdict from what it judges cannot pass it.
    """
    if not vote.passed or reply is None:
        return vote
    objects, line = objects_in(reply).objects, _folded(reply.strip().rpartition("\n")[2])
    for answer in answers:
        given = objects_in(answer[:MAX_CHARS]).objects if objects else ()
        copied = bool(objects) and all(verdict in given for verdict in objects)
        if copied or (not objects and any(_folded(part) == line for part in answer.splitlines())):
            return Vote(None, "the judge's verdict stands word for word in the answer that it judges")
    return vote


def shortened(text: str) -> str:
    """A judge's own words on one line, for a reason."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 3] + "..."


def _idle(rest: str) -> bool:
    """Whether nothing was being said when the reply was cut."""
    return not rest.strip().strip("`")


def _read(found: Found, key: str, by: Callable[[dict[str, Any]], Vote]) -> Vote:
    """The vote of the objects that hold `key`: of one, or of several that say the same."""
    if not found.objects:
        return Vote(None, "the judge's reply holds no JSON object that can be read")
    votes = [by(verdict) for verdict in found.objects if key in verdict]
    if not votes:
        return Vote(None, f"the judge's verdict lacks `{key}`")
    if len({(vote.passed, vote.score, vote.failed_by) for vote in votes}) > 1:
        return Vote(None, f"the judge's reply holds {len(votes)} verdicts that differ")
    return votes[-1]


def _by_policy(verdict: dict[str, Any]) -> Vote:
    passed = verdict["pass"]
    if not isinstance(passed, bool):
        return Vote(None, f"the judge's `pass` is {_described(passed)}, not true or false")
    return Vote(passed, _rationale(verdict))


def _by_rubric(verdict: dict[str, Any], spec: JudgedByRubric) -> Vote:
    score = _score(verdict["score"], spec.scale)
    if isinstance(score, str):
        return Vote(None, score)
    failed_by = _conditions(verdict, spec)
    if isinstance(failed_by, str):
        return Vote(None, failed_by)
    return _scored(score, failed_by, spec, _rationale(verdict))


def _scored(score: int, failed_by: tuple[str, ...], spec: JudgedByRubric, rationale: str) -> Vote:
    if failed_by:
        return Vote(False, _with(f"hard fail: {'; '.join(failed_by)}", rationale), score, failed_by)
    passed = score >= spec.min_passing_score
    low, high = spec.scale
    said = f"score {score} on {low} to {high}, passing at {spec.min_passing_score}"
    return Vote(passed, _with(said, rationale), score)


def _score(value: Any, scale: tuple[int, int]) -> int | str:
    """A score on the scale, or why it is none."""
    low, high = scale
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f"the judge's score is {_described(value)}, not a number"
    if isinstance(value, float) and not (math.isfinite(value) and value.is_integer()):
        return f"the judge's score is {value}, not a whole number"
    if not low <= value <= high:
        return f"the judge's score is {_described(value)}, outside the scale of {low} to {high}"
    return int(value)


def _conditions(verdict: dict[str, Any], spec: JudgedByRubric) -> tuple[str, ...] | str:
    """The hard-fail conditions that a verdict names, in words, or why they cannot be told."""
    names = condition_names(spec)
    listed = verdict.get("hard_fail", None if names else [])
    if not isinstance(listed, list):
        return (
            "the judge's verdict lacks the list `hard_fail`"
            if listed is None
            else (f"the judge's `hard_fail` is {_described(listed)}, not a list")
        )
    known = {name.lower(): text for name, text in names.items()} | {_folded(text): text for text in names.values()}
    applying = []
    for entry in listed:
        text = known.get(_folded(entry)) if isinstance(entry, str) else None
        if text is None:
            return f"the judge names the hard-fail condition {_described(entry)}, which the rubric does not have"
        applying.append(text)
    return tuple(text for text in names.values() if text in applying)


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def _graded_policy(reply: str) -> Vote:
    grade, reason = read_grade(reply, ("PASS", "FAIL"))
    return (
        Vote(None, f"the judge's reply is not JSON, and {reason}")
        if grade is None
        else Vote(grade == "PASS", shortened(reply))
    )


def _graded_rubric(reply: str, spec: JudgedByRubric) -> Vote:
    low, high = spec.scale
    if spec.hard_fail_conditions or high - low > _WIDEST:
        return Vote(None, "the judge's reply is not JSON")
    grade, reason = read_grade(reply, [str(step) for step in range(low, high + 1)])
    if grade is None:
        return Vote(None, f"the judge's reply is not JSON, and {reason}")
    return _scored(int(grade), (), spec, shortened(reply))


def _rationale(verdict: dict[str, Any]) -> str:
    said = verdict.get("rationale")
    return shortened(said) if isinstance(said, str) else ""


def _with(said: str, rationale: str) -> str:
    return f"{said}: {rationale}" if rationale else said


def _described(value: Any) -> str:
    """A value of a reply in a few words; long ones are not shown whole."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if abs(value) >= 10**15:
            return "a number of many digits"
        case int() | float():
            return f"{value:g}" if isinstance(value, float) else str(value)
        case str():
            return f"the text {value if len(value) <= 40 else value[:37] + '...'!r}"
        case list():
            return "a list"
        case _:
            return "an object"
