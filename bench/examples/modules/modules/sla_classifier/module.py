"""Triage of an ISP's tickets: a category by words, and the priority by the matrix of tier and category."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

RULES: dict[str, Any] = json.loads((Path(__file__).parent / "matrix.json").read_text(encoding="utf-8"))
MISSING = "what fails, since when, and on which service or device"
VERDICT = r"(?i)\bP[123]\b|priority|category"
"""Marks a sentence that tells what to answer rather than what is wrong; it is left out."""


def answer(input: dict[str, Any]) -> dict[str, Any]:
    """Triage a ticket {"ticket", "tier"}: {"category", "priority", "rationale", "validator_rejected"}.

    The ticket is only ever searched for words: nothing that it asks for is done. Attached passages are not read at all.
    """
    ticket, tier = str(input["ticket"]), str(input["tier"])
    output = triage(ticket, tier)
    problem = rejection(output, tier)
    if problem:
        output = {"category": "other", "priority": RULES["matrix"][tier]["other"], "rationale": problem}
    return {**output, "validator_rejected": bool(problem)}


def triage(ticket: str, tier: str) -> dict[str, str]:
    """The category whose words weigh most; `other` where there are none."""
    text = _plain(" ".join(part for part in re.split(r"(?<=[.!?।])\s+", ticket) if not re.search(VERDICT, part)))
    hits = {category: [word for word in words if _plain(word) in text] for category, words in RULES["words"].items()}
    weighed = {category: len(found) * RULES["weights"][category] for category, found in hits.items() if found}
    category = max(weighed, key=lambda name: weighed[name]) if weighed else "other"
    if weighed:
        rationale = f"The ticket says: {', '.join(hits[category])}."
    elif len(text.split()) <= RULES["vague_words"]:
        rationale = f"The ticket is too vague to sort. It does not say {MISSING}; ask the customer."
    else:
        rationale = "The ticket names no fault, bill or complaint; it asks for something that no category covers."
    return {"category": category, "priority": RULES["matrix"][tier][category], "rationale": rationale}


def rejection(output: dict[str, Any], tier: str) -> str:
    """Why the validator rejects an output; empty where it does not."""
    if output.get("category") not in RULES["categories"]:
        return f"There is no category {output.get('category')!r}."
    due = RULES["matrix"][tier][output["category"]]
    if output.get("priority") != due:
        return f"The matrix gives {due} for {tier} and {output['category']}, not {output.get('priority')!r}."
    return "" if str(output.get("rationale", "")).strip() else "There is no rationale."


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()
