"""The fingerprint of a group: what, when it changes, makes a filled group no longer the one the spec asks for.

In it: the version below, each slot's key, cell, strategy and template, and of each template the system prompt,
message, instruction, negative examples, pass criteria and fields; the definition and grounding of the strategy;
the labels that the texts show.

Left out, and why:

| left out                               | why a change does not ask for a new reply                              |
|----------------------------------------|------------------------------------------------------------------------|
| provider, model, temperature           | incremental runs keep what exists and say so; full_refresh redoes      |
| max_tokens, limits, prices, key name   | they bound the call, not what is asked                                 |
| base_url                               | the same model behind another address                                 |
| acceptance, dedup, card                | they judge and present what was made                                   |
| dataset version, total, mode           | the release's, not the slot's                                          |
| compose                                | only the embedded provider reads it, and journals the form's own digest |
| a template's description               | shown to people and in tables; no prompt depends on it                 |
| sources                                | a reply made from a chunk stays good when other chunks come            |
| other groups                           | a group stands alone                                                   |
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

if TYPE_CHECKING:
    from evalspec.spec.config import Strategy
    from evalspec.spec.plan import PlannedTemplate, Slot

FINGERPRINT_VERSION = 1
_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest_of(data: Any) -> str:
    """Hexadecimal BLAKE2b (16 bytes) of plain data, by its canonical JSON."""
    return blake2b(_CANONICAL.encode(data).encode("utf-8"), digest_size=16).hexdigest()


def digest_of_row(row: Sequence[str | int | float]) -> str:
    """The same for texts and numbers in a row, in a fifth of the time."""
    return blake2b(to_json(row), digest_size=16).hexdigest()


def template_digest(template: "PlannedTemplate") -> str:
    """The digest of what a prompt is made of in one template; make it once a template."""
    return digest_of(template.model_dump(mode="json", exclude={"compose", "description", "strategies"}))


def group_fingerprint(
    slots: "Sequence[Slot]",
    template_digests: Mapping[str, str],
    strategies: "Mapping[str, Strategy]",
    labels: Mapping[str, str],
) -> str:
    """The versioned fingerprint of a group, `v1:<hexadecimal>`."""
    first = slots[0]
    strategy = strategies[first.adversarial_strategy] if first.adversarial_strategy else None
    data = {
        "slots": [slot.model_dump(mode="json", exclude={"origin"}) for slot in slots],
        "templates": [template_digests[slot.template_id] for slot in slots],
        "strategy": strategy and [strategy.definition, strategy.when, strategy.grounding],
        "labels": [labels[first.source_domain], labels[first.geography]],
    }
    return f"v{FINGERPRINT_VERSION}:{digest_of(data)}"


def form_digest(templates: "Sequence[PlannedTemplate]") -> str:
    """The digest of the compose blocks of a group's templates, which the embedded provider journals as its form."""
    return digest_of([template.compose.model_dump(mode="json") for template in templates])
