"""Planned counts that the gate would not accept, however well the plan is filled (ES204, a warning)."""

from collections.abc import Iterator
from dataclasses import replace

from evalspec.compiler.files import CONFIG_FILE
from evalspec.compiler.model import Spec
from evalspec.spec.diagnostic import Diagnostic, Severity, found
from evalspec.spec.plan import Plan, Quota


def off_target(spec: Spec, plan: Plan) -> Iterator[Diagnostic]:
    """One finding a split in which planned records miss their share by more than the tolerance and a whole group."""
    if plan.filters.partial:
        return
    table, accept = plan.allocation, plan.acceptance
    largest = max(len(group.slots) for group in plan.groups)
    for section, quotas, tolerance in (
        ("domain_split", table.domains, accept.domain_tolerance),
        ("difficulty_split", table.difficulties, accept.difficulty_tolerance),
        ("geography_split", table.geographies, accept.geography_tolerance),
    ):
        missed = [quota for quota in quotas if _missed(quota, tolerance, largest)]
        if not missed:
            continue
        said = ", ".join(f"{q.name} gets {q.planned:,} records for a share of {q.asked:,.6g}" for q in missed)
        message = f"{section} cannot be met: {said}; check accepts {tolerance:.3g} of a share more or less"
        place = spec.places.key_place(CONFIG_FILE, (section, missed[0].name))
        hint = "change the share, or the counts and group sizes of the subdimensions"
        if section == "difficulty_split":
            hint = f"each subdimension holds every difficulty that has a share: {hint}"
        yield replace(found("ES204", message, place, hint=hint), severity=Severity.WARNING)


def _missed(quota: Quota, tolerance: float, largest: int) -> bool:
    off = abs(quota.planned - quota.asked)
    return off >= largest and off > tolerance * quota.asked
