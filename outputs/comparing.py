"""What is compared of each record of a release, when duplicates are looked for.

A prompt is mostly its template's fixed text and its excerpt, which are the same in many. The journal knows what was
written for a slot; where there is none, the fixed text of the plan's template, the reference context, and lines
that most prompts of a template have are left out.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evalspec.outputs.dedup import Text
from evalspec.outputs.records import Row
from evalspec.spec.journal import AttemptLine
from evalspec.spec.plan import Plan

_VARIABLE = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}|\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_SHORTEST = 8
"""Characters of the shortest piece of fixed text that is left out."""


@dataclass(frozen=True, slots=True)
class Written:
    """A prompt as it was filled, and the part of it that was written for the slot."""

    prompt: str
    text: str


def written_of(attempts: Iterable[AttemptLine], plan: Plan) -> dict[str, Written]:
    """What the journal says was written, by record id."""
    ids = {slot.slot_id: slot.record_id for slot in plan.slots()}
    return {
        ids[slot.slot_id]: Written(slot.prompt, slot.written)
        for attempt in attempts
        for slot in attempt.slots
        if slot.slot_id in ids
    }


def compared_texts(rows: Sequence[Row], plan: Plan | None, written: Mapping[str, Written]) -> list[Text]:
    """One text a row, in order, with the rank of its linkage group."""
    common = _common_lines(rows)
    fixed = {name: list(_fixed(plan, name)) for name in (plan.templates if plan else ())}
    ranks = _ranks(rows, plan)
    out = []
    for position, row in enumerate(rows):
        known = written.get(row["id"] or "")
        prompt = row["prompt"] or ""
        template = row["prompt_template_id"] or ""
        if known is not None and known.prompt == prompt:
            text = known.text
        else:
            text = _own(prompt, row["reference_context"], fixed.get(template, []), common[template])
        out.append(Text(ranks[position], str(ranks[position]), str(position), text))
    return out


def _own(prompt: str, context: str | None, fixed: Sequence[str], common: frozenset[str]) -> str:
    """A prompt without what it shares with others of its template; the whole of it if nothing else is left."""
    text = prompt
    for passage in (context or "").split("\n\n"):
        if passage.strip():
            text = text.replace(passage.strip(), " ")
    for piece in fixed:
        text = text.replace(piece, " ", 1)
    text = "\n".join(line for line in text.split("\n") if line.strip() not in common)
    return text if re.search(r"\w", text) else prompt


def _fixed(plan: Plan | None, name: str) -> Iterator[str]:
    if plan is None:
        return
    template = plan.templates[name]
    for source in (template.system_prompt, template.user_message_template):
        for piece in _VARIABLE.split(source):
            if len(piece.strip()) >= _SHORTEST:
                yield piece.strip()


def _common_lines(rows: Sequence[Row]) -> defaultdict[str, frozenset[str]]:
    """By template, the lines that stand in more than half of its prompts, where it has four or more."""
    lines: defaultdict[str, Counter[str]] = defaultdict(Counter)
    prompts: Counter[str] = Counter()
    for row in rows:
        template = row["prompt_template_id"] or ""
        prompts[template] += 1
        lines[template].update({line.strip() for line in (row["prompt"] or "").split("\n")})
    found: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    for template, counted in lines.items():
        if prompts[template] >= 4:
            found[template] = frozenset(line for line, n in counted.items() if 2 * n > prompts[template])
    return found


def _ranks(rows: Sequence[Row], plan: Plan | None) -> list[int]:
    """The number of each row's group: rows that link to each other, or that the plan puts together."""
    parent = list(range(len(rows)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    first: dict[str, int] = {}
    for position, row in enumerate(rows):
        if row["id"]:
            first.setdefault(row["id"], position)
    groups = [[slot.record_id for slot in group.slots] for group in plan.groups] if plan else []
    linked = ([row["id"], *(row["linked_prompt_ids"] or [])] for row in rows if row["linked_prompt_ids"])
    for members in (*groups, *linked):
        there = [first[member] for member in members if member in first]
        for other in there[1:]:
            a, b = sorted((root(there[0]), root(other)))
            parent[b] = a
    return [root(position) for position in range(len(rows))]
