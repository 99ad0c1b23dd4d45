"""Labels for a calibration: answers that people judged, one JSON object a line, as cases with one check each."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from evalspec.bench.checks import Check, JudgedByPolicy, JudgedByRubric
from evalspec.bench.reading.gathered import Gathered
from evalspec.bench.reading.lines import Line, read_lines
from evalspec.bench.reading.parts import checked
from evalspec.bench.results import TargetResult
from evalspec.bench.suite import Case, Turn
from evalspec.compiler.defaults import default_rubrics
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.config import Rubric
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, Related, found, has_errors
from evalspec.spec.model import Model, Text
from evalspec.spec.source import Place

HINT = 'a line is {"id": "...", "question": "...", "answer": "...", "policy": "...", "label": "pass"}'
Verdict = Literal["pass", "fail"]
VERDICTS: tuple[Verdict, ...] = ("pass", "fail")


class LabelRubric(Model):
    """A rubric that is written out."""

    scale: tuple[int, int]
    min_passing_score: int
    scoring_description: Text
    hard_fail_conditions: tuple[Text, ...] = ()
    scoring_notes: str = ""


class Label(Model):
    """One line: what was asked and answered, what it is judged by, and what people found."""

    id: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """By default `line 7`."""
    question: Text
    answer: str
    policy: Text | None = None
    country: str = ""
    rubric: str | LabelRubric | None = None
    """Written out, or the name of one that ships with evalspec, such as faithfulness_1_5."""
    expected_behavior: str = ""
    reference_context: str | None = None
    label: str | int
    """`pass` or `fail`, or the score on the rubric's scale."""
    note: str = ""
    """Why; for people alone."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One answer with its label, ready to be judged."""

    case: Case
    check: Check
    result: TargetResult
    verdict: Verdict
    score: int | None
    """Where the label is a score."""


@dataclass(frozen=True, slots=True)
class Labels:
    """A file of labels; `digest` is the SHA-256 of its bytes."""

    name: str
    digest: str
    items: tuple[Labelled, ...]


def read_labels(path: Path) -> tuple[Labels | None, tuple[Diagnostic, ...]]:
    """The labels of a file, and what is wrong with them; None where that is an error. Raises nothing."""
    name = path.as_posix()
    gathered = Gathered("native", name, Place(name))
    items: list[Labelled] = []
    first: dict[str, Place] = {}
    for line in read_lines(path, name, gathered):
        item = _labelled(line, name, gathered.diagnostics)
        if item is None:
            continue
        case_id = item.case.case_id
        if case_id in first:
            related = (Related(first[case_id], "it stands here first"),)
            message = f"the id {case_id} stands twice"
            gathered.add(found("ES754", message, line.part.place("id"), hint="name each label once", related=related))
            continue
        first[case_id] = line.part.place("id") if "id" in line.part.data else line.place
        items.append(item)
    if not items and not has_errors(gathered.diagnostics):
        gathered.add(found("ES754", f"{name} holds no labels", Place(name), hint=HINT))
    if has_errors(gathered.diagnostics):
        return None, tuple(gathered.diagnostics)
    return Labels(name, gathered.files[name], tuple(items)), tuple(gathered.diagnostics)


def _labelled(line: Line, file: str, diagnostics: list[Diagnostic]) -> Labelled | None:
    before = len(diagnostics)
    label, _ = checked(line.part, Label, diagnostics)
    if label is None or len(diagnostics) > before:
        return None
    spec = _spec(label, line, diagnostics)
    if spec is None:
        return None
    score = label.label if isinstance(label.label, int) else None
    match spec, label.label:
        case JudgedByRubric(), int(given):
            passed = given >= spec.min_passing_score
        case _:
            passed = label.label == "pass"
    check = Check("rubric" if isinstance(spec, JudgedByRubric) else "policy_judge", spec)
    turn = Turn(label.question, (check,))
    case = Case(label.id or f"line {line.number}", (turn,), line.place, Path(file).stem)
    return Labelled(case, check, TargetResult(text=label.answer), "pass" if passed else "fail", score)


def _spec(label: Label, line: Line, diagnostics: list[Diagnostic]) -> JudgedByPolicy | JudgedByRubric | None:
    """What the answer is judged by; None with a finding where that cannot be told or does not fit the label."""
    part = line.part
    if isinstance(label.label, str) and label.label not in VERDICTS:
        near = nearest(label.label.lower(), VERDICTS, 0.5)
        message = f"label is {label.label[:60]!r}; it may be pass, fail, or a score on a rubric's scale"
        hint = f"did you mean {near}?" if near else ""
        diagnostics.append(found("ES754", message, part.place("label"), hint=hint))
        return None
    if (label.policy is None) == (label.rubric is None):
        both = "policy and rubric" if label.policy else "neither policy nor rubric"
        message = f"a label is judged by a policy or by a rubric, and this one has {both}"
        diagnostics.append(found("ES754", message, line.place, hint="keep one of the two"))
        return None
    if label.policy is not None:
        if isinstance(label.label, int):
            message = f"label is {label.label}; by a policy it may be pass or fail"
            diagnostics.append(found("ES754", message, part.place("label"), hint="scores need a rubric"))
            return None
        return JudgedByPolicy(label.policy, label.country)
    rubric = _rubric(label, line, diagnostics)
    if rubric is None:
        return None
    low, high = rubric.scale
    if not low < high or not low <= rubric.min_passing_score <= high:
        message = f"the rubric passes at {rubric.min_passing_score}, and its scale is {low} to {high}"
        place = part.place("rubric", "min_passing_score")
        diagnostics.append(found("ES754", message, place, hint="the scale goes up, and the passing score lies on it"))
        return None
    if isinstance(label.label, int) and not low <= label.label <= high:
        message = f"label is {label.label}, outside the rubric's scale of {low} to {high}"
        diagnostics.append(
            found("ES754", message, part.place("label"), hint="write a score on the scale, pass or fail")
        )
        return None
    return JudgedByRubric(
        scale=rubric.scale,
        min_passing_score=rubric.min_passing_score,
        scoring_description=rubric.scoring_description,
        expected_behavior=label.expected_behavior,
        hard_fail_conditions=rubric.hard_fail_conditions,
        reference_context=label.reference_context,
        scoring_notes=rubric.scoring_notes,
    )


def _rubric(label: Label, line: Line, diagnostics: list[Diagnostic]) -> LabelRubric | Rubric | None:
    if isinstance(label.rubric, LabelRubric):
        return label.rubric
    shipped = default_rubrics()
    name = label.rubric or ""
    if name not in shipped:
        near = nearest(name, shipped)
        hint = f"did you mean {near}?" if near else f"write the rubric out, or one of {', '.join(shipped)}"
        diagnostics.append(found("ES754", f"there is no rubric {name}", line.part.place("rubric"), hint=hint))
        return None
    return shipped[name]
