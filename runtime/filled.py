"""A member that passed as what the journal keeps of it: prompt, context, criteria."""

from collections.abc import Mapping
from typing import Any

from evalspec.runtime.shapes import Part, Shape
from evalspec.spec.journal import FilledSlot
from evalspec.spec.language import render
from evalspec.spec.plan import Plan, Slot
from evalspec.spec.record import RecordCriteria
from evalspec.spec.slots import slot_values


def fill_slot(plan: Plan, slot: Slot, part: Part, shape: Shape, member: Mapping[str, Any]) -> FilledSlot:
    """Render a member's prompt and criteria; `member` holds its own fields and the shared ones.

    Raises RenderError where a text cannot take the values.
    """
    fields = {name: written(member.get(name)) for name in part.template.fields}
    values = {**fields, **slot_values(plan, slot)}
    system = render(part.template.system_prompt, values, part.names).strip()
    message = render(part.template.user_message_template, values, part.names).strip()
    excerpts = [fields[name] for name in part.shown if name in part.excerpts and fields[name]]
    return FilledSlot(
        slot_id=slot.slot_id,
        prompt=f"{system}\n\n{message}" if system else message,
        written=_written(part, shape, fields) or "\n".join(excerpts),
        reference_context="\n\n".join(excerpts) or None,
        expected_behavior=member["expected_behavior"].strip(),
        expected_failure_modes=tuple(mode.strip() for mode in member["expected_failure_modes"]),
        pass_criteria=_criteria(part, values),
        answer=next((fields[name] for name in part.answers if fields[name]), None),
        true_excerpt=_true_excerpt(shape, member, excerpts),
    )


def written(value: Any) -> str:
    """A field's value as texts show it: a list as lines, nothing as the empty string."""
    match value:
        case None:
            return ""
        case str():
            return value.strip()
        case bool():
            return "true" if value else "false"
        case list() | tuple():
            return "\n".join(written(item) for item in value)
        case _:
            return str(value)


def _written(part: Part, shape: Shape, fields: Mapping[str, str]) -> str:
    """What was written for this slot and is shown; the shared fields where it has none of its own."""
    shown = [name for name in part.shown if name not in part.excerpts]
    own = [fields[name] for name in shown if name not in shape.shared]
    return "\n".join(text for text in own if text) or "\n".join(fields[name] for name in shown if fields[name])


def _criteria(part: Part, values: Mapping[str, str]) -> RecordCriteria:
    if part.criteria is not None:
        return part.criteria
    criteria = part.template.pass_criteria
    return RecordCriteria(
        rubric_type=criteria.rubric_type,
        min_passing_score=criteria.min_passing_score,
        scoring_description=render(criteria.scoring_description, values, part.names),
        hard_fail_conditions=tuple(render(text, values, part.names) for text in criteria.hard_fail_conditions),
        auto_scoreable=criteria.auto_scoreable,
        scoring_notes=render(criteria.scoring_notes, values, part.names),
    )


def _true_excerpt(shape: Shape, member: Mapping[str, Any], shown: list[str]) -> str | None:
    """The unaltered excerpt, kept only where the one shown differs from it."""
    true = member.get("true_excerpt") if shape.grounding == "altered" else None
    return true.strip() if isinstance(true, str) and true.strip() and true.strip() not in shown else None
