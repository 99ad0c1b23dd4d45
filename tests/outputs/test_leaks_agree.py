"""What the fill accepts the gate passes: both hold a closed-book answer against its prompt by one rule."""

from typing import Any

import pyarrow as pa
import pytest

from evalspec.outputs.filled import filled_table
from evalspec.outputs.leaking import leaks_table
from evalspec.runtime.filled import fill_slot
from evalspec.runtime.grounding import leak_errors
from evalspec.runtime.shapes import Shapes
from evalspec.spec.leaks import fixed_words
from evalspec.spec.slots import slot_values

SYSTEM = "None can be looked up; reply in two to four sentences for {geography_name}, in a year of 365 days."


@pytest.fixture(scope="module")
def asked(house: Any) -> Any:
    """The plan, with answers in its closed-book template."""
    template = house.plan().templates["H1"]
    fields = {**template.fields, "answer": {"type": "string", "meta": {"role": "answer", "shared": False}}}
    changed = template.model_copy(update={"fields": fields, "system_prompt": SYSTEM})
    return house.plan(templates={**house.plan().templates, "H1": changed})


@pytest.mark.parametrize(
    ("question", "answer", "leaks"),
    [
        ("Which notice is owed?", "None", False),
        ("How many are there?", "four", False),
        ("What is the highest rate?", "365%", False),
        ("How long is a year of 365 days?", "365 days", True),
        ("How long is the year?", "365 days", False),
        ("Is it 365% a year?", "365 percent", True),
        ("Which is it?\nA) lien\nB) bond", "lien", False),
        ("Is it a lien?", "lien", True),
    ],
)
def test_fill_and_gate_agree(house: Any, asked: Any, question: str, answer: str, leaks: bool) -> None:
    group = next(group for group in asked.groups if group.slots[0].template_id == "H1")
    (slot,) = group.slots
    shape = Shapes(asked).of(group)
    (part,) = shape.parts
    member = {"question": question, "answer": answer, "expected_behavior": "Says it.", "expected_failure_modes": []}
    filled = fill_slot(asked, slot, part, shape, member)
    fixed = fixed_words(part.template, slot_values(asked, slot))
    assert leaks == bool(list(leak_errors(part, member, filled.prompt, fixed)))
    line = house.attempt(group).model_copy(update={"slots": (filled,)})
    records = pa.table({"id": [slot.record_id], "prompt": [filled.prompt], "row": [1]})
    found = leaks_table(records, asked, filled_table(asked, [line]))
    assert ([answer] if leaks else []) == found.column("answer").to_pylist()
