"""What came of a trial: the target's answers, the verdict of each check, and the lines of the bench journal."""

from typing import Annotated, Any, Literal

from pydantic import Field

from evalspec.spec.model import Model

Verdict = Literal["pass", "fail", "unscored"]
Confidence = str


class ToolCall(Model):
    """One call of a tool by the target."""

    name: str
    args: dict[str, Any] = {}


class TargetResult(Model):
    """One answer of a target, as documents 2 and 3 of the brief describe it.

    None stands for what the target does not report: it is never taken for a value.
    """

    text: str = ""
    output: Any = None
    """The answer as JSON, where the target gives an object: what the paths of checks go into."""
    tool_calls: tuple[ToolCall, ...] | None = None
    retrieved_ids: tuple[str, ...] | None = None
    confidence: str | None = None
    abstained: bool | None = None
    validator_rejected: bool | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    latency_ms: float | None = None
    """Of the target alone; None for recorded answers that do not say."""
    error: str | None = None
    """Why there is no answer: then nothing else is set but perhaps the latency."""


class TrialLine(Model):
    """One attempt at one case in one epoch, with an answer a turn: what was paid for."""

    kind: Literal["trial"] = "trial"
    case_id: str
    epoch: Annotated[int, Field(ge=1)]
    key: str
    """Digest of all that decides the answers: turns, facts, target, model, settings, prompt version, epoch."""
    results: tuple[TargetResult, ...]


class JudgeLine(Model):
    """One reply of a judge."""

    kind: Literal["judge"] = "judge"
    key: str
    """Digest of model, parameters, prompt, rubric or policy, case, answer and epoch."""
    case_id: str
    epoch: int
    check: str
    turn: int = 0
    vote: int = 1
    """Counts the votes of a panel from 1: all of its first judge, then all of its second."""
    reply: str | None
    error: str | None = None
    finish: Literal["stop", "length", "refusal"] = "stop"
    """Whether the reply is whole, was cut off, or is a refusal."""
    input_tokens: int = 0
    output_tokens: int = 0


class CheckResult(Model):
    """The verdict of one check."""

    check: str
    turn: int = 0
    verdict: Verdict
    reason: str = ""
    """Why it failed, or was not scored; a few words also where it passed and more than one answer would do."""
    metric: str | None = None
    score: float | None = None
    """The judge's score on the rubric's scale."""
    judged: bool = False


Outcome = Literal["passed", "failed", "undecided", "error"]


class TrialScore(Model):
    """A trial with its verdicts: a row of the report.

    `error`: the target gave no answer to one of the turns. `failed`: a check failed. `undecided`: none failed, and one
    was not scored. `passed`: all passed.
    """

    case_id: str
    epoch: int
    set: str
    outcome: Outcome
    checks: tuple[CheckResult, ...]
    results: tuple[TargetResult, ...]
    severity: Literal["critical", "major", "minor"]
    blocking: bool
    tags: tuple[str, ...]
    facts: dict[str, Any]
    links: tuple[str, ...]
    inputs: tuple[Any, ...]
    error: str | None = None
    latency_ms: float | None = None
    """Of all turns together; None where one of them did not say."""
    tokens: int | None = None
    validator_rejected: bool = False
