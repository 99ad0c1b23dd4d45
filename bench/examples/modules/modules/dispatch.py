"""The three modules behind one function, for sets that go across them: `input.module` says which is meant."""

from typing import Any

from modules.factory_summary.module import answer as summarize
from modules.qwen_rag.module import answer as look_up
from modules.sla_classifier.module import answer as triage

MODULES = {"sla_classifier": triage, "qwen_rag": look_up, "factory_summary": summarize}


def answer(input: dict[str, Any]) -> dict[str, Any]:
    """Hand the input to its module."""
    return MODULES[input["module"]](input)
