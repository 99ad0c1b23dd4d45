"""The files of suites as they stand: the models of the five formats."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from evalspec.spec.model import NOT_BLANK, Model

CaseId = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^\S(?:[^\x00-\x1f\x7f]*\S)?$")]
Word = Annotated[str, StringConstraints(min_length=1, max_length=10_000, pattern=NOT_BLANK)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Rate = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Grade = Literal["critical", "major", "minor"]


class Expected(Model):
    """The assertions of a scenario or of one of its turns."""

    tool: Word | None = None
    tool_alternatives: tuple[Word, ...] = ()
    tools_any: Annotated[tuple[Word, ...], Field(min_length=1)] | None = None
    response_contains: tuple[Word, ...] = ()
    response_not_contains: tuple[Word, ...] = ()
    response_contains_any: Annotated[tuple[Word, ...], Field(min_length=1)] | None = None
    response_has_monetary_value: bool | None = None
    response_has_percentage: bool | None = None
    response_confidence: Word | Annotated[tuple[Word, ...], Field(min_length=1)] | None = None
    max_latency_seconds: Seconds | None = None


class ScenarioTurn(Model):
    """A turn of a scenario."""

    query: str = ""
    expected: Expected = Expected()


class Scenario(Model):
    """A scenario: `query` and `expected`, or `turns`."""

    id: CaseId = "?"
    query: str | None = None
    turns: tuple[ScenarioTurn, ...] | None = None
    labels: tuple[Word, ...] = ()
    severity: Grade = "major"
    expected: Expected = Expected()
    max_latency_seconds: Seconds | None = None


class ScenarioDefaults(Model):
    """What holds for the scenarios of a file that say nothing else."""

    max_latency_seconds: Seconds | None = None


class ScenarioFile(Model):
    """A file of scenarios; each of them is read on its own."""

    name: str = ""
    description: str = ""
    defaults: ScenarioDefaults = ScenarioDefaults()
    tool_names: dict[str, Word] = {}
    scenarios: tuple[Any, ...] = ()


class SupportCase(Model):
    """A line of a support set."""

    id: CaseId = "?"
    input: str = ""
    country: Word | None = None
    verified: bool = False
    topic: Word | None = None
    source: Word | None = None
    key_points: tuple[Word, ...] = ()
    forbidden_patterns: tuple[Word, ...] = ()
    expect_abstain: bool = False
    expect_tool_not_called: Word | None = None
    judge_policy: bool = False
    blocking: bool = False
    tags: tuple[Word, ...] = ()
    notes: str = ""


class Scoring(Model):
    """The metric that a case is scored by, and the bar that it thinks holds."""

    metric: Word | None = None
    threshold: Rate | None = None


class ContractCase(Model):
    """A line of a contract set."""

    case_id: CaseId = "?"
    input: Any = None
    expected: dict[str, Any] = {}
    scoring: Scoring = Scoring()
    tags: tuple[Word, ...] = ()


class MetricEntry(Model):
    """A metric of a contract: its checks, and which way its bar lies."""

    direction: Literal["at_least", "at_most"] = "at_least"
    counts: Literal["passes", "failures"] = "passes"
    checks: tuple[Any, ...] = ()
    description: str = ""


class BarEntry(Model):
    """A bar, and who signed it off."""

    bar: Rate | None = None
    signed_by: str = ""


class SetEntry(Model):
    """What a contract says of one of its sets."""

    description: str = ""
    bars: dict[str, BarEntry] = {}
    shares: dict[str, Rate] = {}
    metrics: tuple[Word, ...] | None = None
    """The metrics that it is scored by; all of the contract without it."""


class ContractFile(Model):
    """contract.json: the shape of a module's input and output, its metrics, and its sets."""

    module: Word = "?"
    description: str = ""
    input: dict[str, Any] | None = None
    output: dict[str, Any] | None = None
    latency_p95_ms: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    max_validator_rejections: Rate = 0.05
    metrics: dict[str, MetricEntry] = {}
    sets: dict[str, SetEntry] = {}


class NativeTurn(Model):
    """A turn of a native case."""

    input: Any = None
    checks: tuple[Any, ...] = ()
    max_latency_seconds: Seconds | None = None


class NativeCase(Model):
    """A case of the native form."""

    id: CaseId = "?"
    input: Any = None
    turns: tuple[NativeTurn, ...] | None = None
    checks: tuple[Any, ...] = ()
    expected: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    tags: tuple[Word, ...] = ()
    severity: Grade | None = None
    blocking: bool | None = None
    metric: Word | None = None
    threshold: Rate | None = None
    links: tuple[Word, ...] = ()
    max_latency_seconds: Seconds | None = None
    notes: str = ""


class NativeDefaults(Model):
    """What holds for the cases of a native file that say nothing else."""

    severity: Grade = "major"
    blocking: bool = False
    max_latency_seconds: Seconds | None = None
    checks: tuple[Any, ...] = ()
    """Made on every turn, besides its own."""
    facts: dict[str, Any] = {}
    tags: tuple[Word, ...] = ()


class NativeFile(Model):
    """A native file; each case is read on its own."""

    name: str = ""
    description: str = ""
    module: Word | None = None
    input: dict[str, Any] | None = None
    output: dict[str, Any] | None = None
    latency_p95_ms: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    max_validator_rejections: Rate = 0.05
    tool_names: dict[str, Word] = {}
    defaults: NativeDefaults = NativeDefaults()
    metrics: dict[str, MetricEntry] = {}
    bars: dict[str, BarEntry] = {}
    shares: dict[str, Rate] = {}
    cases: tuple[Any, ...] = ()
