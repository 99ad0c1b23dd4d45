"""A release of evalspec as a suite: each record is a case, judged by the rubric of its pass criteria."""

import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError

from evalspec.bench.checks import Check, JudgedByRubric, RatedByPeople
from evalspec.bench.reading.common import note_id, note_name, set_facts
from evalspec.bench.reading.detect import CONFIG
from evalspec.bench.reading.files import MAX_LINES, read_document, size_fault
from evalspec.bench.reading.gathered import Gathered
from evalspec.bench.reading.lines import MAX_FAULTS, read_lines
from evalspec.bench.reading.parts import checked
from evalspec.bench.suite import Case, Turn
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import found
from evalspec.spec.record import Record
from evalspec.spec.source import Place, render_path

FACTS = (
    "dimension",
    "subdimension",
    "source_domain",
    "geography",
    "difficulty",
    "language",
    "adversarial_strategy",
    "prompt_template_id",
    "is_adversarial",
)
_ENDS = re.compile(r"_(\d{1,3})_(\d{1,3})$")
_SCORES = re.compile(r"(?<![\w.])(\d{1,3})\s*[=:]")
Scales = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Row:
    record: Record
    place: Place


def read_release_file(path: Path, file: str, scales: Scales, gathered: Gathered) -> None:
    """Take the records of a Parquet or JSONL file."""
    stem = PurePosixPath(file).stem
    set_facts(gathered, stem, Place(file))
    rows = _parquet(path, file, gathered) if path.suffix.lower() == ".parquet" else _jsonl(path, file, gathered)
    for row in rows:
        case = _case(row, stem, scales, gathered)
        if case is None:
            gathered.lost += 1
        else:
            gathered.cases.append(case)


def read_scales(folder: Path | None) -> Scales:
    """The scale of every rubric that is known: those shipped, and those of the spec in `folder`."""
    from evalspec.compiler.defaults import default_rubrics

    scales: Scales = {name: rubric.scale for name, rubric in default_rubrics().items()}
    if folder is None or not (folder / CONFIG).is_file():
        return scales
    part = read_document(folder / CONFIG, CONFIG, Gathered("release", "", Place(CONFIG)))
    rubrics = part.data.get("rubrics") if part is not None and isinstance(part.data, dict) else None
    for name, rubric in rubrics.items() if isinstance(rubrics, dict) else ():
        scale = rubric.get("scale") if isinstance(rubric, dict) else None
        if isinstance(scale, list) and len(scale) == 2 and all(type(end) is int for end in scale):
            scales[str(name)] = (scale[0], scale[1])
    return scales


def scale_of(rubric: str, description: str, scales: Scales) -> tuple[int, int] | None:
    """The scale of a rubric: as declared, from the end of its name, or from the scores that its text explains."""
    if rubric in scales:
        return scales[rubric]
    if match := _ENDS.search(rubric):
        ends = int(match[1]), int(match[2])
        return ends if ends[0] < ends[1] else None
    if rubric.endswith("_binary"):
        return 0, 1
    scores = [int(score) for score in _SCORES.findall(description)]
    return (min(scores), max(scores)) if len(set(scores)) > 1 else None


def _jsonl(path: Path, file: str, gathered: Gathered) -> Iterator[_Row]:
    for line in read_lines(path, file, gathered):
        place = line.place
        note_id(line.part, "id", gathered, place)
        before = len(gathered.diagnostics)
        record, lost = checked(line.part, Record, gathered.diagnostics)
        if record is not None and not lost and len(gathered.diagnostics) == before:
            yield _Row(record, place)
        else:
            gathered.lost += 1


def _parquet(path: Path, file: str, gathered: Gathered) -> Iterator[_Row]:
    import pyarrow as pa
    from pyarrow import parquet

    if fault := size_fault(path, file, MAX_LINES):
        gathered.add(fault)
        return
    faults = number = 0
    try:
        gathered.files[file] = _digest(path)
        with parquet.ParquetFile(path) as opened:
            for batch in opened.iter_batches(batch_size=1000):
                for row in batch.to_pylist():
                    number += 1
                    place = Place(file, number, 1, number, 2, f"row {number}")
                    note_name(row.get("id"), _always(place), gathered, place)
                    record = _record(row, place, gathered)
                    if record is not None:
                        yield _Row(record, place)
                        continue
                    faults += 1
                    gathered.lost += 1
                    if faults >= MAX_FAULTS:
                        message = f"reading stopped after row {number}: {faults} findings are enough to go on"
                        gathered.add(found("ES721", message, place))
                        return
    except (OSError, pa.ArrowException, ValueError) as error:
        said = " ".join(str(error).split())[:200]
        gathered.add(found("ES701", f"{file} cannot be read as Parquet: {said}", Place(file)))


def _digest(path: Path) -> str:
    total = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()


def _always(place: Place) -> Callable[[], Place]:
    return lambda: place


def _record(row: dict[str, Any], place: Place, gathered: Gathered) -> Record | None:
    from evalspec.compiler.typed import frozen

    try:
        return Record.model_validate(frozen(row))
    except ValidationError as error:
        for entry in error.errors(include_url=False)[:5]:
            name = render_path(tuple(entry["loc"]))
            message = f"{name}: {entry['msg'][:1].lower()}{entry['msg'][1:]}"
            gathered.add(found("ES721", message, place, hint="evalspec check says all that is wrong with a release"))
    return None


def _case(row: _Row, stem: str, scales: Scales, gathered: Gathered) -> Case | None:
    record, criteria = row.record, row.record.pass_criteria
    check: Check
    if criteria.auto_scoreable:
        scale = scale_of(criteria.rubric_type, criteria.scoring_description, scales)
        if scale is None or not scale[0] <= criteria.min_passing_score <= scale[1]:
            gathered.add(_no_scale(criteria.rubric_type, criteria.min_passing_score, scale, row.place))
            return None
        spec = JudgedByRubric(
            scale,
            criteria.min_passing_score,
            criteria.scoring_description,
            record.expected_behavior,
            criteria.hard_fail_conditions,
            record.reference_context,
            criteria.scoring_notes,
        )
        detail = f"{criteria.rubric_type}: {criteria.min_passing_score} or more of {scale[0]} to {scale[1]}"
        check = Check("rubric", spec, None, detail)
    else:
        question = f"{record.expected_behavior}\n\n{criteria.scoring_description}"
        check = Check("people", RatedByPeople(question), None, "rated by people")
    return Case(
        case_id=record.id,
        turns=(Turn(record.prompt, (check,)),),
        place=row.place,
        set=stem,
        facts={key: getattr(record, key) for key in FACTS},
        links=record.linked_prompt_ids,
        auto_scoreable=criteria.auto_scoreable,
    )


def _no_scale(rubric: str, least: int, scale: tuple[int, int] | None, place: Place) -> Any:
    if scale is None:
        message = f"no scale is known for the rubric {rubric}"
        hint = f"give the spec folder, whose {CONFIG} declares it, or end its name with the scale: {rubric}_1_5"
        return found("ES721", message, place, hint=hint)
    return found(
        "ES721", f"a passing score of {least} is outside the scale {scale[0]} to {scale[1]} of {rubric}", place
    )


def note_links(gathered: Gathered) -> None:
    """Report how many links lead out of the release."""
    known = {case.case_id for case in gathered.cases}
    if gathered.lost or not known:
        return
    gone = sum(1 for case in gathered.cases for link in case.links if link not in known)
    if gone:
        message = f"{gone:,} links lead to records that are not here"
        hint = "the groups that are cut are counted as what is here of them"
        gathered.add(found("ES717", message, gathered.place, hint=hint))
