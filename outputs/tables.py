"""A plan as Arrow tables; without a plan, the same tables with no rows, so that one SQL serves both."""

from dataclasses import asdict
from operator import attrgetter
from typing import Any

from evalspec.outputs.targets import make_targets, size_range
from evalspec.spec.config import Acceptance, Dedup
from evalspec.spec.plan import Plan

_SLOT_FIELDS = (
    "slot_id",
    "record_id",
    "template_id",
    "dimension",
    "subdimension",
    "source_domain",
    "geography",
    "difficulty",
    "adversarial_strategy",
    "is_adversarial",
    "linked_slots",
    "origin",
)


def plan_tables(plan: Plan | None, total: int, preview: bool | None = None) -> dict[str, Any]:
    """All tables that a plan gives, for a dataset of `total` records; `preview` says whether no model wrote it."""
    return {
        "slots": slots_table(plan),
        "groups": groups_table(plan),
        "targets": targets_table(plan, total),
        "settings": settings_table(plan, preview),
        "templates": templates_table(plan),
        "allowed": allowed_table(plan),
    }


def slots_table(plan: Plan | None) -> Any:
    """One row a slot, in the order of the plan."""
    import pyarrow as pa

    kinds: dict[str, Any] = {"is_adversarial": pa.bool_(), "linked_slots": pa.list_(pa.string())}
    groups = plan.groups if plan else ()
    slots = [slot for group in groups for slot in group.slots]
    columns: dict[str, list[Any]] = {
        "position": list(range(len(slots))),
        "group_id": [group.group_id for group in groups for _ in group.slots],
        "rank": [rank for rank, group in enumerate(groups) for _ in group.slots],
    }
    columns |= {name: list(map(attrgetter(name), slots)) for name in _SLOT_FIELDS}
    numbers: dict[str, Any] = {"position": pa.int64(), "rank": pa.int64()}
    schema = pa.schema([(name, (kinds | numbers).get(name, pa.string())) for name in columns])
    return pa.table(columns, schema=schema)


def groups_table(plan: Plan | None) -> Any:
    """One row a group, in the order of the plan."""
    import pyarrow as pa

    kinds: dict[str, Any] = {
        "rank": pa.int64(),
        "group_id": pa.string(),
        "subdimension": pa.string(),
        "size": pa.int64(),
    }
    rows = [
        {"rank": rank, "group_id": group.group_id, "subdimension": group.subdimension, "size": len(group.slots)}
        for rank, group in enumerate(plan.groups if plan else ())
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema(list(kinds.items())))


def targets_table(plan: Plan | None, total: int) -> Any:
    """One row a value of an axis."""
    import pyarrow as pa

    kinds: dict[str, Any] = {"share": pa.float64(), "target": pa.float64(), "tolerance": pa.float64()}
    texts: dict[str, Any] = dict.fromkeys(("axis", "name", "allowed", "origin"), pa.string())
    names = (
        "axis",
        "name",
        "share",
        "target",
        "tolerance",
        "low",
        "high",
        "strict_low",
        "strict_high",
        "allowed",
        "origin",
    )
    schema = pa.schema([(name, (kinds | texts).get(name, pa.int64())) for name in names])
    return pa.Table.from_pylist([asdict(t) for t in make_targets(plan, total)] if plan else [], schema=schema)


def settings_table(plan: Plan | None, preview: bool | None) -> Any:
    """The one row of facts about the whole; without a plan, the defaults of the language."""
    import pyarrow as pa

    size = size_range(plan) if plan else None
    accept = plan.acceptance if plan else Acceptance()
    row = {
        "has_plan": plan is not None,
        "partial": bool(plan and plan.filters.partial),
        "size_low": size and size.min,
        "size_high": size and size.max,
        "planned": plan and plan.allocation.total,
        "max_prompt_chars": accept.max_prompt_chars,
        "version": plan and plan.dataset.version,
        "incremental": bool(plan and plan.dataset.mode == "incremental"),
        "threshold": (plan.dedup if plan else Dedup()).threshold,
        "preview": preview,
    }
    flags: dict[str, Any] = dict.fromkeys(("has_plan", "partial", "incremental", "preview"), pa.bool_())
    kinds = flags | {"version": pa.string(), "threshold": pa.float64()}
    schema = pa.schema([(name, kinds.get(name, pa.int64())) for name in row])
    return pa.Table.from_pylist([row], schema=schema)


def templates_table(plan: Plan | None) -> Any:
    """One row a template."""
    import pyarrow as pa

    kinds: dict[str, Any] = {
        "id": pa.string(),
        "rubric_type": pa.string(),
        "min_passing_score": pa.int64(),
        "negative_examples": pa.int64(),
        "origin": pa.string(),
    }
    rows = [
        {
            "id": template.id,
            "rubric_type": template.pass_criteria.rubric_type,
            "min_passing_score": template.pass_criteria.min_passing_score,
            "negative_examples": sum(
                bool(e.bad_response.strip() and e.why_bad.strip()) for e in template.negative_examples
            ),
            "origin": f"template:{template.id}",
        }
        for template in (plan.templates.values() if plan else ())
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema(list(kinds.items())))


def allowed_table(plan: Plan | None) -> Any:
    """One row a value that a field of a record may have."""
    import pyarrow as pa

    values: dict[str, list[str]] = {}
    if plan:
        table = plan.allocation
        values = {
            "dimension": [quota.name for quota in table.dimensions],
            "subdimension": [quota.name for quota in table.subdimensions],
            "source_domain": [quota.name for quota in table.domains],
            "geography": [quota.name for quota in table.geographies],
            "language": [plan.dataset.language],
            "prompt_template_id": list(plan.templates),
            "adversarial_strategy": list(plan.strategies),
            "rubric_type": sorted({t.pass_criteria.rubric_type for t in plan.templates.values()}),
        }
    rows = [{"field": field, "value": value} for field, names in values.items() for value in names]
    return pa.Table.from_pylist(rows, schema=pa.schema([("field", pa.string()), ("value", pa.string())]))
