"""Where a finding points: to the YAML that asked, or to the row of the file in which it stands."""

from pathlib import Path

from evalspec.spec.plan import Plan
from evalspec.spec.planfile import PLAN_NAME
from evalspec.spec.source import Place

TEXT_LIMIT = 160


def origin_place(plan: Plan, key: str) -> Place:
    """The YAML of `key`, or of the nearest section above it; the plan itself where the spec said nothing."""
    while key:
        if key in plan.origins:
            return plan.origins[key].place()
        key = key.rpartition(".")[0]
    return Place(PLAN_NAME)


def row_place(file: Path, row: int, text: str = "") -> Place:
    """A line of a JSONL file, counted from 1, with the start of its text."""
    shown = text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"
    return Place(str(file), row, 1, row, len(shown) + 1, f"[{row - 1}]", shown)
