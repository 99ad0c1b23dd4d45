"""The journal of a plan's folder, and which of its attempts count for the plan as it is."""

from pathlib import Path

from evalspec.spec import journal as journals
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.fingerprint import form_digest
from evalspec.spec.journal import AttemptLine, Journal
from evalspec.spec.plan import Plan
from evalspec.spec.source import Place

GENERATED = "data/generated"


def read_attempts(
    plan: Plan, folder: Path, provider: str | None = None
) -> tuple[Journal, list[AttemptLine]] | Diagnostic:
    """The journal under `folder` and the attempts that stand; an ES511 where it cannot be read.

    `provider` is that of the run, where it is not the plan's.
    """
    path = folder / GENERATED / journals.JOURNAL_NAME
    try:
        journal = journals.read(path, journals.without_reply)
    except journals.JournalCorruptError as error:
        place = Place(str(path), error.line, 1, error.line, 2)
        return found("ES511", f"the journal cannot be read: {error}", place)
    except OSError as error:
        return found("ES511", f"cannot read {path}: {error.strerror}", Place(str(path)))
    return journal, standing(plan, journal, provider or plan.generation_model.provider)


def standing(plan: Plan, journal: Journal, provider: str | None = None) -> list[AttemptLine]:
    """The accepted attempts that count for `plan`, with the compose forms that it has now."""
    prints = {group.group_id: group.fingerprint for group in plan.groups}
    digests: dict[tuple[str, ...], str] = {}
    forms: dict[str, str] = {}
    for group in plan.groups:
        names = tuple(slot.template_id for slot in group.slots)
        if names not in digests:
            digests[names] = form_digest([plan.templates[name] for name in names])
        forms[group.group_id] = digests[names]
    return list(journals.standing(journal, prints, provider, forms))
