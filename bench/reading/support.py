"""Support JSONL: cases of a support bot with key points, forbidden patterns, tool rules, abstention and policies."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from evalspec.bench import checks as c
from evalspec.bench.checks import Check
from evalspec.bench.reading.common import note_contradictions, note_id, set_facts
from evalspec.bench.reading.gathered import Gathered
from evalspec.bench.reading.lines import Line, read_lines
from evalspec.bench.reading.parts import Part, checked, require
from evalspec.bench.reading.policies import Policies, policy_of
from evalspec.bench.reading.shapes import CaseId, Word
from evalspec.bench.reading.soundness import pattern_fault
from evalspec.bench.suite import Case, Turn
from evalspec.spec.diagnostic import found
from evalspec.spec.model import Model
from evalspec.spec.source import Place, YamlPath


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


_FACTS = ("country", "topic", "verified", "source")


def read_support(path: Path, file: str, policies: Policies, gathered: Gathered) -> None:
    """Take the cases of a file."""
    stem = PurePosixPath(file).stem
    set_facts(gathered, stem, Place(file))
    for line in read_lines(path, file, gathered):
        note_id(line.part, "id", gathered, line.place)
        case = _case(line, stem, policies, gathered)
        if case is None:
            gathered.lost += 1
        else:
            gathered.cases.append(case)


def _case(line: Line, stem: str, policies: Policies, gathered: Gathered) -> Case | None:
    part = line.part
    made, lost = checked(part, SupportCase, gathered.diagnostics)
    require(part, ("id", "input"), SupportCase.model_fields, gathered.diagnostics)
    if made is None:
        return None
    pairs = list(_checks(part, made, policies, lost, gathered))
    note_contradictions(part, pairs, gathered)
    facts = {key: value for key in _FACTS if (value := getattr(made, key)) is not None}
    return Case(
        case_id=made.id,
        turns=(Turn(made.input, tuple(check for check, _ in pairs)),),
        place=line.place,
        set=stem,
        blocking=made.blocking,
        tags=made.tags,
        facts=facts,
    )


def _checks(
    part: Part, made: SupportCase, policies: Policies, lost: set[YamlPath], gathered: Gathered
) -> Iterator[tuple[Check, YamlPath | None]]:
    if made.key_points:
        detail = f"names {', '.join(repr(point) for point in made.key_points)}"
        yield Check("key_points", c.ContainsAll(made.key_points), None, detail), ("key_points",)
    sound = []
    for index, pattern in enumerate(made.forbidden_patterns):
        if fault := pattern_fault(pattern):
            gathered.add(found(fault.code, fault.message, part.place("forbidden_patterns", index), hint=fault.hint))
        else:
            sound.append(pattern)
    more = f", nor {', '.join(sound)}" if sound else ""
    own: YamlPath | None = ("forbidden_patterns",) if sound else None
    yield Check("no_pii", c.MatchesNone(tuple(sound), emails=True), None, f"no e-mail address{more}"), own
    if tool := made.expect_tool_not_called:
        yield Check("tool_rule", c.ToolNotCalled(tool), None, f"{tool} not called"), ("expect_tool_not_called",)
    if made.expect_abstain:
        yield Check("abstain", c.Abstains(True), None, "abstains"), ("expect_abstain",)
    if made.judge_policy and not lost & {("country",), ("topic",)}:
        policy = policy_of(part, made.country, made.topic, policies, gathered)
        if policy is not None:
            detail = f"keeps the policy on {made.topic} in {made.country}"
            yield Check("policy_judge", c.JudgedByPolicy(policy, made.country or ""), None, detail), ("judge_policy",)
