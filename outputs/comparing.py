"""What is compared of each record of a release, when duplicates are looked for.

A prompt is mostly its template's fixed text and its excerpt, which are the same in many. The journal knows what was
written for a slot; where there is none, the fixed text of the plan's template, the reference context, lines that
most prompts of a template have, and what all of them begin and end with are left out.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from evalspec.outputs.dedup import Text
from evalspec.spec.dataclass import dataclass
from evalspec.spec.journal import AttemptLine
from evalspec.spec.plan import Plan

_VARIABLE = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}|\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_WORD = re.compile(r"\w")
_COLUMNS = ("id", "prompt", "prompt_template_id", "reference_context", "linked_prompt_ids")
FEWEST = 4
"""Prompts of a template from which on it can be told what they share."""
_SHORTEST = 8
"""Characters of the shortest piece of fixed text that is left out."""


@dataclass(frozen=True, slots=True)
class Written:
    """The hash of a prompt as it was filled, and the part of it that was written for the slot."""

    prompt: int
    text: str


def written_of(attempts: Iterable[AttemptLine], plan: Plan) -> dict[str, Written]:
    """What the journal says was written, by record id."""
    ids = {slot.slot_id: slot.record_id for slot in plan.slots()}
    return {
        ids[slot.slot_id]: Written(hash(slot.prompt), slot.written)
        for attempt in attempts
        for slot in attempt.slots
        if slot.slot_id in ids
    }


def compared_texts(table: Any, plan: Plan | None, written: Mapping[str, Written]) -> list[Text]:
    """One text a row of an Arrow table of records, in order, with the rank of its linkage group."""
    ids, prompts, templates, contexts, links = (table.column(name).to_pylist() for name in _COLUMNS)
    texts: list[str] = []
    own: defaultdict[str, list[int]] = defaultdict(list)
    for position, prompt in enumerate(prompts):
        known = written.get(ids[position] or "")
        if known is not None and known.prompt == hash(prompt or ""):
            texts.append(known.text)
        else:
            own[templates[position] or ""].append(position)
            texts.append(prompt or "")
    for template, positions in own.items():
        fixed = list(_fixed(plan, template))
        for position, text in zip(
            positions, _own_parts([(texts[at], contexts[at] or "") for at in positions], fixed), strict=True
        ):
            texts[position] = text
    ranks = _ranks(ids, links, plan)
    return [Text(rank, str(rank), str(position), texts[position]) for position, rank in enumerate(ranks)]


def _own_parts(prompts: Sequence[tuple[str, str]], fixed: Sequence[str]) -> list[str]:
    """The prompts of one template without what they share; the whole of a prompt of which nothing else is left."""
    bare = [_without(prompt, context, fixed) for prompt, context in prompts]
    common = _common_lines(bare)
    if common:
        bare = ["\n".join(line for line in text.split("\n") if hash(line.strip()) not in common) for text in bare]
    if len(bare) >= FEWEST:
        bare = _trimmed(bare)
    return [text if _WORD.search(text) else prompt for text, (prompt, _) in zip(bare, prompts, strict=True)]


def _without(prompt: str, context: str, fixed: Sequence[str]) -> str:
    for passage in context.split("\n\n"):
        if passage.strip():
            prompt = prompt.replace(passage.strip(), " ")
    for piece in fixed:
        prompt = prompt.replace(piece, " ", 1)
    return prompt


def _common_lines(texts: Sequence[str]) -> frozenset[int]:
    """Hashes of the lines that stand in more than half of the texts, where there are enough of them."""
    if len(texts) < FEWEST:
        return frozenset()
    counted = Counter(mark for text in texts for mark in {hash(line.strip()) for line in text.split("\n")})
    return frozenset(mark for mark, n in counted.items() if 2 * n > len(texts))


def _trimmed(texts: Sequence[str]) -> list[str]:
    """Texts without the words that all of them begin and end with."""
    start = _shared(min(texts), max(texts))
    turned = [text[::-1] for text in texts]
    end = _shared(min(turned), max(turned))
    return [_cut(_cut(text, start)[::-1], end)[::-1] for text in texts]


def _shared(first: str, last: str) -> str:
    """How the first and the last of some texts begin, and so all that lie between."""
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:same]


def _cut(text: str, prefix: str) -> str:
    """A text without a prefix, as far as that ends between words."""
    if not text.startswith(prefix):
        return text
    whole = len(prefix) if len(prefix) == len(text) or not (text[len(prefix)].isalnum()) else prefix.rfind(" ") + 1
    return text[whole:]


def _fixed(plan: Plan | None, name: str) -> Iterator[str]:
    if plan is None or name not in plan.templates:
        return
    template = plan.templates[name]
    for source in (template.system_prompt, template.user_message_template):
        for piece in _VARIABLE.split(source):
            if len(piece.strip()) >= _SHORTEST:
                yield piece.strip()


def _ranks(ids: Sequence[str | None], links: Sequence[list[str | None] | None], plan: Plan | None) -> list[int]:
    """The number of each row's group: rows that link to each other, or that the plan puts together."""
    parent = list(range(len(ids)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    first: dict[str, int] = {}
    for position, name in enumerate(ids):
        if name:
            first.setdefault(name, position)
    groups: Iterable[list[str | None]] = ([slot.record_id for slot in g.slots] for g in plan.groups) if plan else ()
    linked = ([name, *others] for name, others in zip(ids, links, strict=True) if others)
    for members in chain(groups, linked):
        there = [first[member] for member in members if member and member in first]
        for other in there[1:]:
            a, b = sorted((root(there[0]), root(other)))
            parent[b] = a
    return [root(position) for position in range(len(ids))]
