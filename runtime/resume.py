"""What a journal leaves to do: the groups without a standing attempt, and where each of them stands."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from evalspec.runtime.events import FillOptions
from evalspec.runtime.history import History, Rules, histories
from evalspec.spec.dataclass import dataclass
from evalspec.spec.fingerprint import form_digest
from evalspec.spec.journal import Journal, standing
from evalspec.spec.plan import Group, Plan

if TYPE_CHECKING:
    from evalspec.runtime.draw_chunk import Served


@dataclass(frozen=True, slots=True)
class Work:
    """Open groups in the order of the plan, and the history of each group that has one."""

    open: tuple[Group, ...]
    histories: dict[str, History]
    forms: dict[str, str]
    """Digests of the compose blocks by group, for the embedded provider; empty for others."""
    chunks: dict[str, str]
    """Digests of the chunks that filled groups stand on, by group."""
    served: "dict[str, Served]"
    """How near to their cells these chunks were, by group."""


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
    filled = list(standing(journal, fingerprints, provider, forms if embedded else None))
    done = {line.group: line.chunk or "" for line in filled}
    served = {line.group: line.served or "cell" for line in filled}
    known = histories(journal, fingerprints, embedded, forms, Rules(options.reasks, options.chunks))
    return Work(tuple(group for group in plan.groups if group.group_id not in done), known, forms, done, served)


def interleaved(groups: Sequence[Group]) -> list[Group]:
    """Groups in turn from each subdimension, so that what is wrong with one shows early and stops no other."""
    by_subdimension: dict[str, list[Group]] = {}
    for group in groups:
        by_subdimension.setdefault(group.subdimension, []).append(group)
    return [group for row in zip_longest(*by_subdimension.values()) for group in row if group is not None]
