"""Closed-book prompts that hold their answer, by the rule that replies are accepted by."""

from functools import cache
from typing import Any

from evalspec.spec.leaks import fixed_words, gives_away
from evalspec.spec.plan import Plan
from evalspec.spec.slots import slot_values


def leaks_table(records: Any, plan: Plan | None, filled: Any) -> Any:
    """One row a record that gives its answer away: its `row` and `answer`.

    `records` has the columns `id`, `prompt` and `row`, `filled` is that of `filled_table`.
    """
    import pyarrow as pa

    schema = pa.schema({"row": pa.int64(), "answer": pa.string()})
    found: dict[str, list[Any]] = {"row": [], "answer": []}
    if plan is None:
        return pa.table(found, schema=schema)
    known = (filled.column(name).to_pylist() for name in ("id", "answer", "closed"))
    answers = {name: answer for name, answer, closed in zip(*known, strict=True) if closed and answer}
    slots = {slot.record_id: slot for slot in plan.slots() if slot.record_id in answers}

    @cache
    def fixed(template: str, values: tuple[tuple[str, str], ...]) -> str:
        return fixed_words(plan.templates[template], dict(values))

    rows = (records.column(name).to_pylist() for name in ("id", "prompt", "row"))
    for name, prompt, row in zip(*rows, strict=True):
        slot = slots.get(name or "")
        if slot is None or not prompt or not gives_away(answers[slot.record_id], prompt):
            continue
        own = fixed(slot.template_id, tuple(slot_values(plan, slot).items()))
        if gives_away(answers[slot.record_id], prompt, own):
            found["row"].append(row)
            found["answer"].append(answers[slot.record_id])
    return pa.table(found, schema=schema)
