"""The native form: one YAML file that can say all that the other formats can."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import Field

from evalspec.bench.checks import Check, LatencyUnder, RatedByPeople
from evalspec.bench.reading.common import note_contradictions, note_id, note_tools, set_facts
from evalspec.bench.reading.gathered import Gathered, SetFacts
from evalspec.bench.reading.metrics import (
    Rules,
    checks_of,
    distinct,
    note_input,
    note_misfits,
    note_strange,
    read_rules,
    take_set,
    take_thresholds,
)
from evalspec.bench.reading.parts import Part, checked, require
from evalspec.bench.reading.plain import note_numbers
from evalspec.bench.reading.shapes import BarEntry, CaseId, Grade, MetricEntry, Rate, Seconds, Word
from evalspec.bench.reading.templates import Applied, Template, apply, templates_of
from evalspec.bench.suite import Case, Turn
from evalspec.compiler.rules.es105_value_not_allowed import not_allowed
from evalspec.spec.diagnostic import Related, found
from evalspec.spec.model import Model

LIMITS = ("latency_p95_ms", "max_validator_rejections")
"""Keys of a file that hold for the whole suite."""


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


class _File:
    """What the cases of a file have in common."""

    def __init__(self, head: NativeFile, rules: Rules, facts: SetFacts, always: list[Template]) -> None:
        self.defaults: NativeDefaults = head.defaults
        self.part = rules.part
        self.rules, self.facts, self.always = rules, facts, always


def read_native(part: Part, file: str, gathered: Gathered) -> None:
    """Take the cases of a file."""
    head, _ = checked(part, NativeFile, gathered.diagnostics)
    require(part, ("cases",), NativeFile.model_fields, gathered.diagnostics)
    note_numbers(part, gathered)
    if head is None:
        return
    rules = read_rules(part, head.metrics, gathered, True)
    stem = PurePosixPath(file).stem
    facts = set_facts(gathered, stem, part.place(), gates=bool(head.metrics or head.bars))
    for metric in head.bars:
        require(part.sub("bars", metric), ("bar",), BarEntry.model_fields, gathered.diagnostics)
    facts.metrics = list(rules.metrics)
    note_strange(take_set(part, (), (head.bars, head.shares), rules, facts), rules.metrics, gathered)
    _head(part, head, rules, gathered)
    held = part.sub("defaults") if isinstance(part.data.get("defaults"), dict) else None
    always = templates_of(held.entries("checks"), gathered.diagnostics) if held else []
    _strange(always, rules)
    known = _File(head, rules, facts, always)
    for entry in part.entries("cases"):
        note_id(entry, "id", gathered)
        case = _case(entry, known, gathered)
        if case is None:
            gathered.lost += 1
        else:
            gathered.cases.append(case)
    take_thresholds(rules, facts, gathered)


def _head(part: Part, head: NativeFile, rules: Rules, gathered: Gathered) -> None:
    gathered.description = gathered.description or head.description or head.name
    gathered.module = gathered.module or head.module
    for key in LIMITS:
        if (limit := getattr(head, key)) is not None and key in head.model_fields_set:
            _limit(part, key, limit, gathered)
    gathered.output_schema = gathered.output_schema or rules.output
    gathered.directions |= {name: entry.direction for name, entry in rules.metrics.items()}
    note_tools(part, head.tool_names, gathered)


def _limit(part: Part, key: str, limit: float, gathered: Gathered) -> None:
    """Take a limit of the whole suite, on which its files must agree."""
    first, place = gathered.limits.setdefault(key, (limit, part.place(key)))
    setattr(gathered, key, first)
    if first != limit:
        message = f"{key} is {limit:g} here, and {first:g} in another file of the suite"
        hint = "a suite has one limit: write the same in both, or keep them in folders of their own"
        related = [Related(place, "the other limit")]
        gathered.add(found("ES712", message, part.place(key), hint=hint, related=related))


def _case(part: Part, known: _File, gathered: Gathered) -> Case | None:
    made, _ = checked(part, NativeCase, gathered.diagnostics)
    many = isinstance(part.data, dict) and isinstance(part.data.get("turns"), list)
    require(part, ("id",) if many else ("id", "input"), NativeCase.model_fields, gathered.diagnostics)
    if made is None or not isinstance(part.data, dict):
        return None
    defaults, metrics = known.defaults, known.rules.metrics
    _both(part, made, gathered)
    if made.metric is not None and made.metric not in metrics:
        note_strange([(made.metric, part.place("metric"))], metrics, gathered)
    elif made.metric is not None and made.threshold is not None:
        gathered.demand((known.facts.name, made.metric, made.threshold), part, ("threshold",))
    tags = tuple(dict.fromkeys((*defaults.tags, *made.tags)))
    turns = tuple(_Turns(part, made, known, frozenset(tags)).read())
    return Case(
        case_id=made.id,
        turns=turns,
        place=part.key_place("id"),
        set=known.facts.name,
        severity=made.severity or defaults.severity,
        blocking=defaults.blocking if made.blocking is None else made.blocking,
        tags=tags,
        facts={**_facts(known.part, "defaults", "facts"), **_facts(part, "facts")},
        links=made.links,
        metric=made.metric,
        auto_scoreable=not any(isinstance(check.spec, RatedByPeople) for turn in turns for check in turn.checks),
        expected=part.data.get("expected"),
    )


def _facts(part: Part, *path: str) -> dict[str, object]:
    """The facts as they stand, their lists not yet tuples."""
    value = part.data
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _both(part: Part, made: NativeCase, gathered: Gathered) -> None:
    if made.turns is None:
        return
    for key in ("input", "checks"):
        if key in part.data:
            hint = "write it in the turn that it belongs to"
            gathered.add(not_allowed(key, "stands beside turns", part.key_place(key), hint))
    if not made.turns:
        gathered.add(not_allowed("turns", "is an empty list", part.key_place("turns"), "write one turn or more"))


class _Turns:
    """Reads the turns of one case."""

    def __init__(self, part: Part, made: NativeCase, known: _File, tags: frozenset[str]) -> None:
        self.part, self.made, self.known, self.tags = part, made, known, tags
        self.rules, self.gathered = known.rules, known.rules.gathered

    def read(self) -> Iterator[Turn]:
        """The turns, in order."""
        limit = self.made.max_latency_seconds or self.known.defaults.max_latency_seconds
        if self.made.turns is None:
            yield self._turn(self.part, limit, True)
            return
        for index, turn in enumerate(self.made.turns):
            inner = self.part.sub("turns", index)
            require(inner, ("input",), NativeTurn.model_fields, self.gathered.diagnostics)
            yield self._turn(inner, turn.max_latency_seconds or limit, index == len(self.made.turns) - 1)

    def _turn(self, part: Part, limit: float | None, last: bool) -> Turn:
        """A turn; the checks of the metrics are made on the last one."""
        note_input(self.rules, part)
        applied = self._own(part)
        if last:
            case = self._seen_from(part)
            applied += checks_of(self.rules, self.known.facts, case, self.tags, self.made.metric)
        note_contradictions(part, [(item.check, None) for item in applied], self.gathered)
        checks = [item.check for item in applied]
        if limit is not None:
            checks.append(Check("latency", LatencyUnder(limit), None, f"within {limit:g} s"))
        return Turn(part.data.get("input") if isinstance(part.data, dict) else None, distinct(checks), limit)

    def _own(self, part: Part) -> list[Applied]:
        """The checks that stand in the turn, and those of the file's defaults."""
        own = templates_of(part.entries("checks"), self.gathered.diagnostics)
        _strange(own, self.rules)
        applied = []
        for template in (*own, *self.known.always):
            made = apply(template, self._seen_from(part), self.tags, True, self.gathered.diagnostics)
            if made is not None:
                applied.append(made)
                note_misfits(self.rules, made, self.part)
        return applied

    def _seen_from(self, turn: Part) -> Part:
        """The case as the references of a turn see it: `$input` is the input of the turn."""
        if turn is self.part or not isinstance(turn.data, dict):
            return self.part
        return Part({**self.part.data, "input": turn.data.get("input")}, self.part.origin, self.part.prefix)


def _strange(templates: list[Template], rules: Rules) -> None:
    known = rules.metrics
    named = [(t.metric, t.part.place("metric")) for t in templates if t.metric and t.metric not in known]
    note_strange(named, known, rules.gathered)
