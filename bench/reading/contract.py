"""Contract JSONL: frozen sets of a module beside the contract.json that declares its shapes, metrics and bars."""

from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import Field

from evalspec.bench.checks import RatedByPeople
from evalspec.bench.reading.common import note_contradictions, note_id, set_facts
from evalspec.bench.reading.detect import CONTRACT
from evalspec.bench.reading.files import read_document
from evalspec.bench.reading.gathered import Gathered, SetFacts
from evalspec.bench.reading.lines import Line, read_lines
from evalspec.bench.reading.metrics import (
    Rules,
    checks_of,
    distinct,
    note_input,
    note_strange,
    read_rules,
    take_set,
    take_thresholds,
)
from evalspec.bench.reading.parts import Part, checked, require
from evalspec.bench.reading.shapes import BarEntry, CaseId, MetricEntry, Rate, Word
from evalspec.bench.suite import Case, Turn
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import found
from evalspec.spec.model import Model
from evalspec.spec.source import Place


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


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract as it was read."""

    file: ContractFile
    rules: Rules
    part: Part


def read_contract(folder: Path, file: str, gathered: Gathered) -> Contract | None:
    """The contract in `folder`; None with a finding."""
    path = folder / CONTRACT
    if not path.exists():
        hint = f"write {CONTRACT} there: module, input, output, metrics and sets (docs/bench.md)"
        gathered.add(found("ES715", f"there is no {CONTRACT} beside the set", Place(file), hint=hint))
        return None
    part = read_document(path, CONTRACT, gathered)
    if part is None:
        return None
    made, _ = checked(part, ContractFile, gathered.diagnostics)
    require(part, ("module", "metrics"), ContractFile.model_fields, gathered.diagnostics)
    if made is None:
        return None
    for name, entry in made.sets.items():
        for metric in entry.bars:
            require(part.sub("sets", name, "bars", metric), ("bar",), BarEntry.model_fields, gathered.diagnostics)
    rules = read_rules(part, made.metrics, gathered, False)
    gathered.module, gathered.description = made.module, gathered.description or made.description
    gathered.latency_p95_ms, gathered.max_validator_rejections = made.latency_p95_ms, made.max_validator_rejections
    gathered.output_schema = rules.output
    gathered.directions = {name: entry.direction for name, entry in rules.metrics.items()}
    return Contract(made, rules, part)


def read_contract_set(path: Path, file: str, contract: Contract, gathered: Gathered) -> None:
    """Take the cases of one set."""
    stem = PurePosixPath(file).stem
    facts = set_facts(gathered, stem, Place(file), gates=True)
    _declared(contract, stem, facts, gathered)
    for line in read_lines(path, file, gathered):
        note_id(line.part, "case_id", gathered, line.place)
        case = _case(line, contract, facts, gathered)
        if case is None:
            gathered.lost += 1
        else:
            gathered.cases.append(case)
    take_thresholds(contract.rules, facts, gathered)


def _declared(contract: Contract, stem: str, facts: SetFacts, gathered: Gathered) -> None:
    entry = contract.file.sets.get(stem)
    known = list(contract.rules.metrics)
    if entry is None:
        facts.metrics = known
        return
    strange = take_set(contract.part, ("sets", stem), (entry.bars, entry.shares), contract.rules, facts)
    facts.metrics = [name for name in (known if entry.metrics is None else entry.metrics) if name in known]
    strange += _strange_metrics(contract, stem, entry)
    note_strange(strange, known, gathered)


def _strange_metrics(contract: Contract, stem: str, entry: SetEntry) -> list[tuple[str, Place]]:
    listed = enumerate(entry.metrics or ())
    known = contract.rules.metrics
    return [(name, contract.part.place("sets", stem, "metrics", at)) for at, name in listed if name not in known]


def _case(line: Line, contract: Contract, facts: SetFacts, gathered: Gathered) -> Case | None:
    part = line.part
    made, _ = checked(part, ContractCase, gathered.diagnostics)
    require(part, ("case_id", "input"), ContractCase.model_fields, gathered.diagnostics)
    if made is None:
        return None
    metric, threshold = made.scoring.metric, made.scoring.threshold
    if metric is not None and metric not in facts.metrics:
        known = facts.metrics
        note_strange([(metric, part.place("scoring", "metric"))], known, gathered)
    elif metric is not None and threshold is not None:
        gathered.demand((facts.name, metric, threshold), part, ("scoring", "threshold"))
    note_input(contract.rules, part)
    applied = checks_of(contract.rules, facts, part, frozenset(made.tags), metric)
    note_contradictions(part, [(item.check, item.leans_on) for item in applied], gathered)
    checks = distinct(item.check for item in applied)
    return Case(
        case_id=made.case_id,
        turns=(Turn(part.data.get("input"), checks),),
        place=line.place,
        set=facts.name,
        tags=made.tags,
        facts={"module": _module(part.data.get("input"), contract.file.module)},
        metric=metric,
        auto_scoreable=not any(isinstance(check.spec, RatedByPeople) for check in checks),
        expected=part.data.get("expected"),
    )


def _module(given: Any, module: str) -> str:
    own = given.get("module") if isinstance(given, dict) else None
    return own if isinstance(own, str) else module
