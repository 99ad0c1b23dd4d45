"""The values of the names that every text of a template may use, for one slot."""

from evalspec.spec.plan import Plan, Slot


def slot_values(plan: Plan, slot: Slot) -> dict[str, str]:
    """What the plan says of `slot`, by name; a slot without a strategy has the empty string for it."""
    strategy = slot.adversarial_strategy
    return {
        "source_domain": slot.source_domain,
        "domain_name": plan.labels[slot.source_domain],
        "geography": slot.geography,
        "geography_name": plan.labels[slot.geography],
        "difficulty": slot.difficulty,
        "adversarial_strategy": strategy or "",
        "strategy_definition": plan.strategies[strategy].definition if strategy else "",
        "language": plan.dataset.language,
        "dimension": slot.dimension,
        "subdimension": slot.subdimension,
    }
