"""What a journal leaves to do: the groups without a standing attempt, and where each of them stands."""

from dataclasses import dataclass

from evalspec.runtime.events import FillOptions
from evalspec.runtime.history import History, Rules, histories
from evalspec.spec.fingerprint import form_digest
from evalspec.spec.journal import Journal, standing
from evalspec.spec.plan import Group, Plan


@dataclass(frozen=True, slots=True)
class Work:
    """Open groups in the order of the plan, and the history of each group that has one."""

    open: tuple[Group, ...]
    histories: dict[str, History]
    forms: dict[str, str]
    """Digests of the compose blocks by group, for the embedded provider; empty for others."""


def forms_of(plan: Plan) -> dict[str, str]:
    """The form digest of every group: that of the compose blocks of its slots' templates, in order."""
    kept: dict[tuple[str, ...], str] = {}
    out: dict[str, str] = {}
    for group in plan.groups:
        key = tuple(slot.template_id for slot in group.slots)
        if key not in kept:
            kept[key] = form_digest([plan.templates[template_id] for template_id in key])
        out[group.group_id] = kept[key]
    return out


def open_work(plan: Plan, journal: Journal, provider: str, options: FillOptions) -> Work:
    """What is left for `provider` to fill."""
    embedded = provider == "embedded"
    forms = forms_of(plan) if embedded else {}
    fingerprints = {group.group_id: group.fingerprint for group in plan.groups}
    done = {line.group for line in standing(journal, fingerprints, provider, forms if embedded else None)}
    known = histories(journal, fingerprints, embedded, forms, Rules(options.reasks, options.chunks))
    return Work(tuple(group for group in plan.groups if group.group_id not in done), known, forms)
