"""Emit: a Spec and its groups as a Plan, with every default resolved."""

from collections.abc import Mapping, Sequence

from evalspec.compiler.allocate import Allocated
from evalspec.compiler.expand import Shape, make_slots, spread_limit, turns
from evalspec.compiler.forms import general_compose
from evalspec.compiler.linkage import group_prefixes, member_templates
from evalspec.compiler.model import Spec
from evalspec.compiler.origins import all_origins
from evalspec.compiler.table import allocation_table, difficulty_shares
from evalspec.compiler.wishes import Wishes
from evalspec.spec.config import Acceptance, Dataset, SizeRange
from evalspec.spec.dataclass import dataclass
from evalspec.spec.fingerprint import group_fingerprint, template_digest
from evalspec.spec.plan import FORMAT_VERSION, Filters, Group, Plan, PlannedTemplate, Slot
from evalspec.spec.record import RecordCriteria

_SIZE_TOLERANCE = 20
"""One part in so many: records are accepted within five per cent of the total."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A group before its fingerprint is known."""

    group_id: str
    subdimension: str
    slots: tuple[Slot, ...]


def shapes(spec: Spec) -> list[Shape]:
    """The shape of every subdimension, in the order of the plan: by dimension, then as the spec lists them."""
    config = spec.config
    order = {name: index for index, name in enumerate(config.dimension_split)}
    entries = list(config.subdimensions.items())
    named = sorted(entries, key=lambda entry: (entry[1].subset_of is not None, entry[0]))
    prefixes = group_prefixes([(name, entry.templates[0]) for name, entry in named], spec.templates)
    listed = [
        Shape(
            name,
            spec.subdimension_dimension(name),
            member_templates(entry.templates, entry.linkage),
            prefixes[name],
            f"subdimensions.{name}",
        )
        for name, entry in entries
    ]
    return sorted(listed, key=lambda shape: order.get(shape.dimension, len(order)))


def pending_groups(spec: Spec, allocated: Allocated, filters: Filters) -> list[Pending]:
    """The groups of the full plan in order, less what the filters leave out; ids are those of the full plan."""
    config = spec.config
    seed = config.dataset.seed
    out: list[Pending] = []
    for shape in shapes(spec):
        if shape.subdimension not in allocated.cells or filters.dimension not in (None, shape.dimension):
            continue
        for turn in turns(allocated.cells[shape.subdimension], _wishes(spec, shape.subdimension)):
            if filters.domain in (None, turn.cell.domain):
                slots = make_slots(shape, turn, spec.templates, seed)
                out.append(Pending(slots[0].slot_id.rpartition(".")[0], shape.subdimension, slots))
    return out if filters.limit is None else _limited(out, filters.limit)


def _wishes(spec: Spec, subdimension: str) -> Wishes:
    config = spec.config
    return Wishes(
        config.domain_split, difficulty_shares(spec), config.geography_split, config.dataset.seed, subdimension
    )


def _limited(groups: Sequence[Pending], limit: int) -> list[Pending]:
    counts: dict[str, int] = {}
    for group in groups:
        counts[group.subdimension] = counts.get(group.subdimension, 0) + 1
    left = spread_limit(list(counts.items()), limit)
    kept = []
    for group in groups:
        if left[group.subdimension] > 0:
            left[group.subdimension] -= 1
            kept.append(group)
    return kept


def emit(spec: Spec, allocated: Allocated, pending: Sequence[Pending], dataset: Dataset, filters: Filters) -> Plan:
    """The plan of `pending`, which must not be empty."""
    config = spec.config
    used = sorted({slot.template_id for group in pending for slot in group.slots})
    templates = {name: planned_template(spec, name) for name in used}
    labels = complete_labels(spec)
    digests = {name: template_digest(template) for name, template in templates.items()}
    groups = tuple(
        Group(
            group_id=group.group_id,
            subdimension=group.subdimension,
            fingerprint=group_fingerprint(group.slots, digests, config.strategies, labels),
            slots=group.slots,
        )
        for group in pending
    )
    allocation = allocation_table(spec, allocated, groups, filters)
    return Plan(
        format_version=FORMAT_VERSION,
        spec_digest=spec.digest,
        dataset=dataset,
        filters=filters,
        generation_model=config.generation_model,
        sources=spec.sources,
        labels=labels,
        strategies=config.strategies,
        templates=templates,
        acceptance=_acceptance(config.acceptance, dataset, allocation.total, filters),
        dedup=config.dedup,
        card=config.card,
        allocation=allocation,
        origins=all_origins(spec, used, config.strategies),
        groups=groups,
    )


def complete_labels(spec: Spec) -> dict[str, str]:
    """How every domain and geography is written; by default its name with spaces."""
    names = (*spec.config.domain_split, *spec.config.geography_split)
    return {name: spec.config.labels.get(name, name.replace("_", " ")) for name in names}


def planned_template(spec: Spec, name: str) -> PlannedTemplate:
    """A template with its criteria, fields, strategies and compose block resolved."""
    template = spec.templates[name]
    strategies = spec.strategies_of(name)
    groundings = {s: spec.config.strategies[s].grounding for s in strategies}
    shown = template.system_prompt + "\n" + template.user_message_template
    compose = template.compose or general_compose(spec.fields[name], groundings, spec.config.dataset.language, shown)
    return PlannedTemplate(
        id=name,
        description=template.description,
        system_prompt=template.system_prompt,
        user_message_template=template.user_message_template,
        generation_instruction=template.generation_instruction,
        negative_examples=template.negative_examples,
        pass_criteria=_criteria(spec, name),
        strategies=strategies,
        fields=spec.fields[name],
        compose=compose,
    )


def _criteria(spec: Spec, name: str) -> RecordCriteria:
    found = spec.rubric_of(name)
    if found is None:
        raise ValueError(f"template {name} has no rubric")
    rubric_type, rubric = found
    own = spec.templates[name].pass_criteria.model_dump(exclude_none=True)
    base: Mapping[str, object] = rubric.model_dump(exclude={"scale", "dimensions"})
    return RecordCriteria.model_validate({**base, **own, "rubric_type": rubric_type})


def _acceptance(asked: Acceptance, dataset: Dataset, total: int, filters: Filters) -> Acceptance:
    """Acceptance with a size: as asked, or around the target; around its own total for a partial plan."""
    if asked.size is not None and not filters.partial:
        return asked
    target = total if filters.partial else dataset.target_total
    least = -(-target * (_SIZE_TOLERANCE - 1) // _SIZE_TOLERANCE)
    most = target * (_SIZE_TOLERANCE + 1) // _SIZE_TOLERANCE
    return asked.model_copy(update={"size": SizeRange(min=max(least, 1), max=most)})
