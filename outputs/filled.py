"""What the journal says of the records of a release: who filled them, with what, and which answer is the right one."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from evalspec.outputs.comparing import Written, written_of
from evalspec.outputs.standing import GENERATED, standing
from evalspec.spec import journal as journals
from evalspec.spec.dataclass import dataclass
from evalspec.spec.journal import AttemptLine, FilledSlot
from evalspec.spec.plan import Plan, PlannedTemplate, Slot
from evalspec.spec.record import RecordCriteria

_NO_CRITERIA = RecordCriteria(
    rubric_type="none",
    min_passing_score=0,
    scoring_description="none",
    hard_fail_conditions=(),
    auto_scoreable=False,
    scoring_notes="",
)


@dataclass(frozen=True, slots=True)
class Filled:
    """`preview` says whether no model was at work, None where it is not known; `table` is that of `filled_table`, and
    `written` what was written by record id.
    """

    preview: bool | None
    there: bool
    """Whether a journal says anything of the plan."""
    table: Any
    written: dict[str, Written]


def from_journal(plan: Plan | None, folder: Path | None, tagged: bool) -> Filled:
    """Read the journal under `folder`; only what the card says where there is no readable one.

    A run may have had another provider than the plan's: a card that is tagged as a preview says which attempts count.
    """
    said = True if tagged else None
    unknown = Filled(said, False, filled_table(None, ()), {})
    if plan is None or folder is None:
        return unknown
    path = folder / GENERATED / journals.JOURNAL_NAME
    with suppress(OSError, journals.JournalCorruptError):
        journal = journals.read(path, _lightened)
        planned = None if not tagged else "embedded"
        attempts = standing(plan, journal, planned) or standing(plan, journal, "embedded")
        if attempts:
            preview = any(attempt.provider == "embedded" for attempt in attempts)
            return Filled(preview, True, filled_table(plan, attempts), written_of(attempts, plan))
    return unknown


def _lightened(line: AttemptLine) -> AttemptLine:
    """An attempt without what is not judged: at a hundred thousand records that is most of the memory."""
    none = {"expected_behavior": "", "expected_failure_modes": (), "pass_criteria": _NO_CRITERIA}
    slots = tuple(slot.model_copy(update=none) for slot in line.slots)
    return line.model_copy(update={"reply": None, "errors": (), "slots": slots})


def filled_table(plan: Plan | None, attempts: Sequence[AttemptLine]) -> Any:
    """One row a filled slot.

    `closed` is true where the answer must not stand in the prompt, `grounded` where it must stand in the context,
    `altered` where the strategy alters the excerpt.
    """
    import pyarrow as pa

    kinds: dict[str, Any] = dict.fromkeys(("id", "answer", "filled_context", "true_excerpt"), pa.string())
    kinds |= dict.fromkeys(("closed", "grounded", "altered"), pa.bool_())
    schema = pa.schema(list(kinds.items()))
    if plan is None:
        return pa.Table.from_pylist([], schema=schema)
    slots = {slot.slot_id: slot for slot in plan.slots()}
    rows = [
        _row(plan, slots[filled.slot_id], filled)
        for attempt in attempts
        for filled in attempt.slots
        if filled.slot_id in slots
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def _row(plan: Plan, slot: Slot, filled: FilledSlot) -> dict[str, Any]:
    template = plan.templates[slot.template_id]
    strategy = plan.strategies.get(slot.adversarial_strategy or "")
    grounding = strategy.grounding if strategy else "verbatim"
    answers, excerpts = _fields(template, "answer"), _fields(template, "excerpt")
    chosen = any(meta.get("choices") for meta in answers)
    tied = all(meta.get("grounded", True) for meta in answers)
    return {
        "id": slot.record_id,
        "answer": filled.answer,
        "filled_context": filled.reference_context,
        "true_excerpt": filled.true_excerpt,
        "closed": filled.reference_context is None and not excerpts and not chosen,
        "grounded": filled.reference_context is not None
        and bool(answers and excerpts)
        and tied
        and grounding == "verbatim",
        "altered": filled.reference_context is not None and bool(excerpts) and grounding == "altered",
    }


def _fields(template: PlannedTemplate, role: str) -> list[dict[str, Any]]:
    metas = [rules.get("meta", {}) for rules in template.fields.values()]
    return [meta for meta in metas if meta.get("role") == role]
