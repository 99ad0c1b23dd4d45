"""Scenario YAML: agent scenarios with assertions on tools, text, money, percent, confidence and latency."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import Field

from evalspec.bench import checks as c
from evalspec.bench.checks import Check
from evalspec.bench.reading.common import note_contradictions, note_id, note_tools, set_facts
from evalspec.bench.reading.gathered import Gathered
from evalspec.bench.reading.parts import Part, checked, require
from evalspec.bench.reading.shapes import CaseId, Grade, Seconds, Word
from evalspec.bench.suite import Case, Turn
from evalspec.compiler.rules.es105_value_not_allowed import not_allowed
from evalspec.spec.diagnostic import found
from evalspec.spec.model import Model
from evalspec.spec.source import YamlPath

DEFAULT_LATENCY_SECONDS = 15.0
"""Where neither assertion, scenario nor file has a limit (document 2 of the brief); the turn then says none."""


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


_ASSERTIONS = frozenset(Expected.model_fields) - {"max_latency_seconds"}
_Pair = tuple[Check, YamlPath | None]


def read_scenarios(part: Part, file: str, gathered: Gathered) -> None:
    """Take the scenarios of a file."""
    head, _ = checked(part, ScenarioFile, gathered.diagnostics)
    require(part, ("scenarios",), ScenarioFile.model_fields, gathered.diagnostics)
    if head is None:
        return
    stem = PurePosixPath(file).stem
    set_facts(gathered, stem, part.place())
    gathered.description = gathered.description or head.description or head.name
    note_tools(part, head.tool_names, gathered)
    limit = head.defaults.max_latency_seconds
    for entry in part.entries("scenarios"):
        note_id(entry, "id", gathered)
        case = _case(entry, stem, limit, gathered)
        if case is None:
            gathered.lost += 1
        else:
            gathered.cases.append(case)


def _case(part: Part, stem: str, limit: float | None, gathered: Gathered) -> Case | None:
    made, lost = checked(part, Scenario, gathered.diagnostics)
    many = isinstance(part.data, dict) and isinstance(part.data.get("turns"), list)
    needed = ("id", "labels", "severity") if many else ("id", "query", "labels", "severity", "expected")
    require(part, needed, Scenario.model_fields, gathered.diagnostics)
    if made is None or not isinstance(part.data, dict):
        return None
    _both(part, made, gathered)
    limit = made.max_latency_seconds or limit
    turns = tuple(_turns(part, made, made.expected.max_latency_seconds or limit, lost, gathered))
    return Case(
        case_id=made.id,
        turns=turns,
        place=part.key_place("id"),
        set=stem,
        severity=made.severity,
        tags=made.labels,
    )


def _both(part: Part, made: Scenario, gathered: Gathered) -> None:
    """Report what a scenario of several turns says of none of them."""
    if made.turns is None:
        return
    if "query" in part.data:
        hint = "keep the query in the first turn"
        gathered.add(not_allowed("query", "stands beside turns", part.key_place("query"), hint))
    if not made.turns:
        gathered.add(not_allowed("turns", "is an empty list", part.key_place("turns"), "write one turn or more"))
    if said := sorted(made.expected.model_fields_set & _ASSERTIONS):
        place = part.key_place("expected", said[0])
        hint = "write it in the turn that it is about; only max_latency_seconds holds for all turns"
        gathered.add(not_allowed("expected", f"holds {', '.join(said)} beside turns", place, hint))


def _turns(part: Part, made: Scenario, limit: float | None, lost: set[YamlPath], gathered: Gathered) -> Iterator[Turn]:
    if made.turns is None:
        yield _turn(part, ScenarioTurn(query=made.query or "", expected=made.expected), limit, lost, gathered)
        return
    for index, turn in enumerate(made.turns):
        inner = part.sub("turns", index)
        require(inner, ("query",), ScenarioTurn.model_fields, gathered.diagnostics)
        yield _turn(inner, turn, limit, {path[2:] for path in lost if path[:2] == ("turns", index)}, gathered)


def _turn(part: Part, turn: ScenarioTurn, limit: float | None, lost: set[YamlPath], gathered: Gathered) -> Turn:
    expected = turn.expected
    seconds = expected.max_latency_seconds or limit
    pairs = list(_checks(expected, seconds or DEFAULT_LATENCY_SECONDS, lost))
    if expected.tool is None and "tool" in expected.model_fields_set and expected.tool_alternatives:
        place = part.key_place("expected", "tool_alternatives")
        message = "tool is null, so that no tool may be called, and tool_alternatives names some"
        gathered.add(found("ES713", message, place, hint="name the tool, or take the alternatives out"))
    note_contradictions(part, pairs, gathered)
    return Turn(turn.query, tuple(check for check, _ in pairs), seconds)


def _checks(expected: Expected, seconds: float, lost: set[YamlPath]) -> Iterator[_Pair]:
    for name, spec, detail in _asked(expected):
        path: YamlPath = ("expected", name)
        if path not in lost:
            yield Check(name, spec, None, detail), path
    yield Check("latency", c.LatencyUnder(seconds), None, f"within {seconds:g} s"), None


def _asked(expected: Expected) -> Iterator[tuple[str, c.CheckSpec, str]]:
    given = expected.model_fields_set
    if "tool" in given or expected.tool_alternatives:
        accepted = tuple(dict.fromkeys(([expected.tool] if expected.tool else []) + [*expected.tool_alternatives]))
        yield "tool", c.ToolCalled(accepted), " or ".join(accepted) or "no tool"
    if expected.tools_any:
        yield "tools_any", c.ToolCalled(expected.tools_any), f"one of {', '.join(expected.tools_any)}"
    if terms := expected.response_contains:
        yield "response_contains", c.ContainsAll(terms), f"contains {_listed(terms)}"
    if terms := expected.response_not_contains:
        yield "response_not_contains", c.ContainsNone(terms), f"does not contain {_listed(terms)}"
    if any_of := expected.response_contains_any:
        yield "response_contains_any", c.ContainsAny(any_of), f"contains one of {_listed(any_of)}"
    if (money := expected.response_has_monetary_value) is not None:
        yield "response_has_monetary_value", c.HasMoney(money), "an amount of money" if money else "no amount of money"
    if (percent := expected.response_has_percentage) is not None:
        yield "response_has_percentage", c.HasPercentage(percent), "a percentage" if percent else "no percentage"
    if (level := expected.response_confidence) is not None:
        levels = (level,) if isinstance(level, str) else level
        yield "response_confidence", c.ConfidenceIn(levels), " or ".join(levels)


def _listed(terms: tuple[str, ...]) -> str:
    return ", ".join(repr(term) for term in terms)
