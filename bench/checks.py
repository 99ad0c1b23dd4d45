"""The checks that a case may make, as a closed union: what each expects, and nothing of how it is judged."""

from dataclasses import field
from typing import Any

from evalspec.spec.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """One of `accepted` was called; with none accepted, no tool at all was."""

    accepted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolNotCalled:
    """The tool was not called."""

    tool: str


@dataclass(frozen=True, slots=True)
class ToolsInOrder:
    """These were called in this order, others between them or not; a name that stands twice was called twice."""

    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContainsAll:
    """Each of the terms stands in the text, folded."""

    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContainsAny:
    """One of the terms stands in the text, folded."""

    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContainsNone:
    """None of the terms stands in the text, folded."""

    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchesNone:
    """None of the regexes (Python's, case-insensitive, `.` over lines) is found in the text."""

    patterns: tuple[str, ...]
    emails: bool = False
    """Whether an e-mail address fails it, too."""


@dataclass(frozen=True, slots=True)
class HasMoney:
    """An amount of money stands in the text, or none does."""

    expected: bool


@dataclass(frozen=True, slots=True)
class HasPercentage:
    """A percentage stands in the text, or none does."""

    expected: bool


@dataclass(frozen=True, slots=True)
class ConfidenceIn:
    """The confidence that the target reported is one of these; one that was not reported is unscored."""

    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LatencyUnder:
    """The target answered within so many seconds; judges and caches do not count."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Abstains:
    """The target said that it cannot answer, or did not."""

    expected: bool


@dataclass(frozen=True, slots=True)
class Equals:
    """The value at `path` of the output equals `value` (text folded, numbers by value); the text, without a path."""

    value: Any
    path: str = ""
    exact: bool = False
    """Whether texts must be the same letter for letter: a fallback that must come as it was given."""


@dataclass(frozen=True, slots=True)
class NumberIs:
    """The number at `path` of the output, or the only one in its text, is `value` within `tolerance` (absolute)."""

    value: float
    tolerance: float = 0.0
    path: str = ""
    percent: bool = False
    """Whether `value` is a percentage: 25 and 25 % are different numbers."""


@dataclass(frozen=True, slots=True)
class FitsSchema:
    """The output is JSON that fits the schema."""

    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class MentionsAny:
    """The text at `path` of the output mentions one of the terms, folded: a rationale that names what is missing."""

    path: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotAbove:
    """The value at `path` does not stand before `value` in `order`: P1 where P2 was due is above."""

    path: str
    value: str
    order: tuple[str, ...]
    """From the highest to the lowest."""


@dataclass(frozen=True, slots=True)
class CitationsIn:
    """Every citation's id at `citations` was retrieved, and is none of the `stale` ones; at least `least` are there."""

    citations: str = "citations"
    """Path of a list of ids, or of objects with `chunk_id`."""
    stale: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    """One of these must be cited, where there are any."""
    least: int = 0


@dataclass(frozen=True, slots=True)
class ClaimsCited:
    """Each sentence of the text at `path` carries a citation, or is covered by a cited claim in `claims`.

    The fallback string needs none.
    """

    path: str = "answer"
    claims: str = "claims"
    fallback: str = ""


@dataclass(frozen=True, slots=True)
class Contained:
    """Each text of the `paths` of the output stands in the case's input at `source`, up to punctuation and case.

    With a `share` under 1, so much of its tokens does.
    """

    paths: tuple[str, ...]
    source: str
    """Path of the text in the case's input; the whole input where it is empty."""
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class NotEmpty:
    """The list or text at `path` of the output is not empty, or is."""

    path: str
    expected: bool = True


@dataclass(frozen=True, slots=True)
class JudgedByPolicy:
    """A judge finds that the answer keeps the policy."""

    policy: str
    """The policy's text."""
    country: str = ""


@dataclass(frozen=True, slots=True)
class JudgedByRubric:
    """A judge scores the answer by a rubric; a hard-fail condition that applies fails it whatever its score."""

    scale: tuple[int, int]
    min_passing_score: int
    scoring_description: str
    expected_behavior: str
    hard_fail_conditions: tuple[str, ...] = ()
    reference_context: str | None = None
    scoring_notes: str = ""


@dataclass(frozen=True, slots=True)
class RatedByPeople:
    """People rate the answer 0 or 1: two of them, and a third where they disagree. The ratings are read back."""

    question: str


CheckSpec = (
    ToolCalled
    | ToolNotCalled
    | ToolsInOrder
    | ContainsAll
    | ContainsAny
    | ContainsNone
    | MatchesNone
    | HasMoney
    | HasPercentage
    | ConfidenceIn
    | LatencyUnder
    | Abstains
    | Equals
    | NumberIs
    | FitsSchema
    | MentionsAny
    | NotAbove
    | CitationsIn
    | ClaimsCited
    | Contained
    | NotEmpty
    | JudgedByPolicy
    | JudgedByRubric
    | RatedByPeople
)
JUDGED = (JudgedByPolicy, JudgedByRubric)


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a turn: the name that reports show (`response_contains`, `policy_judge`), and what it asks."""

    name: str
    spec: CheckSpec
    metric: str | None = None
    """The metric that it counts for, besides the case itself."""
    detail: str = field(default="", compare=False)
    """What it asks of this case, in a few words: "contains 'portfolio'"."""
