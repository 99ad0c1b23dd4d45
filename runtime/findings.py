"""The diagnostics of a fill."""

from collections.abc import Iterable, Mapping, Sequence

from evalspec.runtime.draw_chunk import Served, borrowed
from evalspec.runtime.providers import model_place
from evalspec.runtime.sources import Skipped
from evalspec.spec.diagnostic import Diagnostic, Severity, found
from evalspec.spec.plan import Group, Plan
from evalspec.spec.planfile import PLAN_NAME
from evalspec.spec.source import Place

_FROM: dict[Served, str] = {
    "cell": "their own cell",
    "domain_general": "texts of their domain that hold in general",
    "domain": "texts of their domain for another geography",
    "corpus": "texts of other domains",
}


def nothing_to_do(plan: Plan) -> Diagnostic:
    """Every group is filled."""
    message = f"all {len(plan.groups):,} groups are filled already"
    hint = "to make them anew: --mode full_refresh"
    if plan.dataset.mode == "full_refresh":
        hint = "`evalspec explain ES514` says how they are made anew"
    return found("ES514", message, Place(PLAN_NAME), hint=hint)


def stale_text(groups: int, total: int) -> Diagnostic:
    """Groups were filled from text that no source gives any more."""
    what = "1 group stands" if groups == 1 else f"{groups:,} groups stand"
    message = f"{what} on text that is no longer among the sources, of {total:,} filled"
    hint = "to make all groups from the text of today: evalspec run --mode full_refresh"
    return found("ES522", message, Place("source_config.yaml"), hint=hint)


def skipped(plan: Plan, items: Iterable[Skipped]) -> list[Diagnostic]:
    """What the sources left out, and why, at the entry that asked for it or the file that it is."""
    out = []
    for item in items:
        origin = plan.origins.get(item.origin)
        place = origin.place() if origin else Place(item.name)
        out.append(found("ES509", f"{item.name} is not used: {item.reason}", place))
    return out


def nothing_fetched() -> Diagnostic:
    """No source of the network gave a document."""
    hint = "see the reasons above; `evalspec run --no-scrape` goes on with the corpus"
    message = "no source gave a document"
    return Diagnostic("ES509", message, Place("source_config.yaml"), Severity.ERROR, hint)


def borrowed_notes(plan: Plan, served: Sequence[tuple[Group, Served]]) -> list[Diagnostic]:
    """Cells that were served from elsewhere, in the order of the fallbacks."""
    out = []
    for (domain, geography, nearness), slots in sorted(borrowed(served).items()):
        origin = plan.origins.get(f"domain_split.{domain}")
        place = origin.place() if origin else Place("source_config.yaml")
        what = "1 slot was" if slots == 1 else f"{slots:,} slots were"
        message = f"{what} served from {_FROM[nearness]}, as no text of {domain} in {geography} was left"
        out.append(found("ES512", message, place, hint="add a source that serves this domain and geography"))
    return out


def refused(plan: Plan, provider: str, reason: str) -> Diagnostic:
    """The provider refused for good."""
    key = plan.generation_model.api_key_env
    hint = f"check the key in {key}, the account's credit, the model's name and base_url; then run again: it resumes"
    if provider == "local":
        hint = "check model_name and the memory that is free; then run again: it resumes"
    return found("ES504", f"{provider} refused: {reason}", model_place(plan), hint=hint)


def cap_reached(plan: Plan, reason: str) -> Diagnostic:
    """The next call might have passed a cap."""
    hint = "what was filled stays; run again with a higher cap, and it goes on from there"
    return found("ES516", f"stopped before a cap: {reason}", model_place(plan, "prices"), hint=hint)


def model_changed(plan: Plan, others: Mapping[str, int], provider: str, model: str) -> Diagnostic:
    """What other models filled is kept."""
    said = ", ".join(f"{count:,} by {name}" for name, count in sorted(others.items()))
    message = f"groups that other models filled are kept: {said}; {provider} {model} fills what is open"
    hint = "to have all of them from one model: --mode full_refresh"
    return found("ES517", message, model_place(plan, "model_name"), hint=hint)


def reply_unfit(plan: Plan, said: str) -> Diagnostic:
    """The reply to a small question was not what was asked for."""
    hint = "name a model that can bind its output to a JSON Schema"
    place = model_place(plan, "model_name")
    return found("ES518", f"the reply to a small question {said}", place, hint=hint)


def unreachable(
    plan: Plan, provider: str, seconds: float, reason: str, *, closed: bool = False, throttled: bool = False
) -> Diagnostic:
    """The provider gave no reply for too long; `closed` where no connection was ever made, `throttled` where it is
    there and refuses for its rate.
    """
    what = ", and nobody answers there" if closed else ""
    message = f"no reply from {provider} for {seconds:.0f} s{what}; {reason}"
    hint = "check that base_url is right and answers; then run again: it resumes"
    if throttled:
        hint = "look at the limits of your account, and lower limits or --concurrency; then run again: it resumes"
    return found("ES504", message, model_place(plan), hint=hint)


def hopeless(plan: Plan, groups: int, reason: str) -> Diagnostic:
    """Not one reply of many was of use."""
    message = f"stopped after {groups} groups were given up and none was accepted; the first was {reason}"
    hint = "look at data/generated/validation_errors.jsonl, then mend the model or the template"
    return found("ES501", message, model_place(plan, "model_name"), hint=hint)
