"""What only the generation model was told, as texts that no prompt may hold: the table `guidance`."""

import re
from collections.abc import Iterator
from typing import Any

from evalspec.spec.plan import Plan, PlannedTemplate

_SENTENCES = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n|\{[^{}]*\}|\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
SHORTEST = 40
"""Characters of the shortest piece of an instruction that counts: shorter ones are anybody's words."""
SHORTEST_EXAMPLE = 25
FIELD_NAMES = ("adversarial_strategy", "expected_failure_modes", "expected_behavior", "generation_instruction")


def guidance_table(plan: Plan | None) -> Any:
    """One row a template and text, in lower case with single spaces."""
    import pyarrow as pa

    schema = pa.schema([(name, pa.string()) for name in ("template_id", "kind", "text")])
    rows = [
        {"template_id": template.id, "kind": kind, "text": text}
        for template in (plan.templates.values() if plan else ())
        for kind, text in dict.fromkeys(_pieces(plan, template))
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def _pieces(plan: Plan | None, template: PlannedTemplate) -> Iterator[tuple[str, str]]:
    shown = _flat(f"{template.system_prompt}\n{template.user_message_template}")
    definitions = [plan.strategies[name].definition for name in template.strategies] if plan else []
    for kind, texts in (("an instruction", [template.generation_instruction]), ("a strategy", definitions)):
        for text in texts:
            for piece in map(_flat, _SENTENCES.split(text)):
                if len(piece) >= SHORTEST and piece not in shown:
                    yield kind, piece
    for example in template.negative_examples:
        for piece in map(_flat, (example.prompt, example.why_bad)):
            if len(piece) >= SHORTEST_EXAMPLE and piece not in shown:
                yield "a negative example", piece
    for name in FIELD_NAMES:
        if name not in shown:
            yield "the name of a field", name


def _flat(text: str) -> str:
    return " ".join(text.lower().split())
