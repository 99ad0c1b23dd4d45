"""The allocation table: what each axis value was asked for, what it is planned to get, and why the two differ."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from evalspec.compiler.allocate import Allocated, Leaf
from evalspec.compiler.model import Spec
from evalspec.compiler.wholes import Line, asked_of
from evalspec.spec.plan import Allocation, Filters, Group, Quota, Slot, SubdimensionQuota


def lines_of(spec: Spec) -> tuple[Line, ...]:
    """The subdimensions of a spec as lines to allocate."""
    return tuple(
        Line(name, spec.subdimension_dimension(name), entry.target_count, entry.linkage, entry.subset_of)
        for name, entry in spec.config.subdimensions.items()
    )


def difficulty_shares(spec: Spec) -> dict[str, float]:
    """The difficulty split by plain names."""
    return {str(name): share for name, share in spec.config.difficulty_split.items()}


def allocation_table(spec: Spec, allocated: Allocated, groups: Sequence[Group], filters: Filters) -> Allocation:
    """The table of a plan. A partial plan's targets are its own: what the full plan gives to what was kept."""
    slots = [slot for group in groups for slot in group.slots]
    config, partial, total = spec.config, filters.partial, len(slots)
    splits: Mapping[str, tuple[str, Mapping[str, float]]] = {
        "domain_split": ("source_domain", config.domain_split),
        "difficulty_split": ("difficulty", difficulty_shares(spec)),
        "geography_split": ("geography", config.geography_split),
    }
    axes = {
        section: _quotas(section, _counts(slots, field), {n: s * total for n, s in split.items()}, partial=partial)
        for section, (field, split) in splits.items()
    }
    targets = {name: float(target) for name, target in config.dimension_split.items()}
    return Allocation(
        total=total,
        calls=len(groups),
        dimensions=_quotas("dimension_split", _counts(slots, "dimension"), targets, partial=partial),
        subdimensions=_subdimensions(spec, allocated, groups, partial=partial),
        domains=axes["domain_split"],
        difficulties=axes["difficulty_split"],
        geographies=axes["geography_split"],
        strategies=_strategies(spec, allocated, slots, partial=partial),
        proved=not allocated.unproved,
    )


def _counts(slots: Iterable[Slot], field: str) -> Counter[str]:
    return Counter(getattr(slot, field) for slot in slots)


def _quotas(section: str, counts: Counter[str], asked: Mapping[str, float], *, partial: bool) -> tuple[Quota, ...]:
    return tuple(
        Quota(
            name=name,
            asked=float(counts[name]) if partial else round(want, 6),
            planned=counts[name],
            why="" if partial else _why(section, want, counts[name]),
            origin=f"{section}.{name}",
        )
        for name, want in asked.items()
        if counts[name] or not partial
    )


def _why(section: str, asked: float, planned: int) -> str:
    if abs(asked - planned) < 1e-6:
        return ""
    if section == "dimension_split":
        return "no subdimension fills it"
    return "whole records" if abs(asked - planned) < 1 else "whole groups of each subdimension"


def _strategies(spec: Spec, allocated: Allocated, slots: Sequence[Slot], *, partial: bool) -> tuple[Quota, ...]:
    counts = Counter(slot.adversarial_strategy for slot in slots)
    out = []
    for name in spec.config.strategies:
        due = float(counts[name]) if partial else round(allocated.strategies.get(name, 0.0), 6)
        if due or counts[name]:
            why = "" if partial else _why("strategies", due, counts[name])
            out.append(Quota(name=name, asked=due, planned=counts[name], why=why, origin=f"strategy:{name}"))
    return tuple(out)


def _subdimensions(
    spec: Spec, allocated: Allocated, groups: Sequence[Group], *, partial: bool
) -> tuple[SubdimensionQuota, ...]:
    leaves = {leaf.name: leaf for leaf in allocated.leaves}
    counts = Counter(group.subdimension for group in groups)
    sums = {
        dimension: asked_of(line for line in lines_of(spec) if line.dimension == dimension)
        for dimension in spec.config.dimension_split
    }
    order = {name: index for index, name in enumerate(spec.config.dimension_split)}
    names = [name for name in spec.config.subdimensions if name in leaves and (counts[name] or not partial)]
    out = []
    for name in sorted(names, key=lambda name: order[leaves[name].dimension]):
        leaf = leaves[name]
        planned = counts[name] * leaf.linkage
        out.append(
            SubdimensionQuota(
                name=name,
                asked=float(planned if partial else leaf.asked),
                planned=planned,
                why="" if partial else _why_scaled(spec, leaf, sums[leaf.dimension]),
                origin=f"subdimensions.{name}",
                dimension=leaf.dimension,
                groups=counts[name],
                group_size=leaf.linkage,
            )
        )
    return tuple(out)


def _why_scaled(spec: Spec, leaf: Leaf, total: int) -> str:
    if leaf.asked == leaf.records:
        return ""
    target = spec.config.dimension_split[leaf.dimension]
    parts = []
    if target != total:
        parts.append(f"scaled from {total:,} to the {target:,} of {leaf.dimension}: {float(leaf.share):,.2f}")
    if leaf.share != leaf.records:
        parts.append(f"in whole groups of {leaf.linkage}" if leaf.linkage > 1 else "in whole records")
    return ", ".join(parts)
