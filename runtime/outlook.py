"""What a run has before it: what stands, what a change of the spec undid, and what asking for the rest may cost."""

from collections import Counter

from evalspec.runtime.budget import CHARS_PER_TOKEN
from evalspec.runtime.chunks import Chunk
from evalspec.runtime.events import FillOptions
from evalspec.runtime.prompt import SYSTEM, build_prompt
from evalspec.runtime.resume import open_work
from evalspec.runtime.shapes import Shapes
from evalspec.runtime.spending import cost
from evalspec.spec.dataclass import dataclass
from evalspec.spec.generation import ProviderName
from evalspec.spec.journal import AttemptLine, FellLine, Journal, Usage, standing
from evalspec.spec.plan import Group, Plan

CHUNK_CHARS = 3200
"""A chunk of 500 words, in characters."""
TOKENS_A_RECORD = 300
"""Of a reply, for one record, where the journal holds no reply of the model to go by."""
_ENOUGH = 5


@dataclass(frozen=True, slots=True)
class Outlook:
    """What stands in the journal, and what is left; counts are groups."""

    filled: int
    open: int
    invalidated: int
    """Open groups that were filled for a text, cell or strategy that has changed since."""
    other_models: dict[str, int]
    """Filled groups by the model that filled them, where it is not the one that would be asked."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the open groups may cost if each is answered at once; re-asks come on top."""

    calls: int
    likely: Usage
    most: Usage
    """If every reply used all of its tokens."""
    likely_cost: float | None
    """None where the config gives no prices."""
    most_cost: float | None
    learned: bool
    """Whether the length of replies is the journal's, and not assumed."""


def outlook(plan: Plan, journal: Journal, provider: ProviderName, model: str) -> Outlook:
    """What stands for `provider`, and by whose hand."""
    work = open_work(plan, journal, provider, FillOptions())
    left = {group.group_id for group in work.open}
    fingerprints = {group.group_id: group.fingerprint for group in plan.groups}
    lines = list(standing(journal, fingerprints, provider, work.forms or None))
    others = Counter(line.model for line in lines if line.model != model)
    undone = {line.group for line in _accepted(journal) if line.group in left and _of(line, provider)}
    return Outlook(len(plan.groups) - len(left), len(left), len(undone), dict(others))


def _accepted(journal: Journal) -> list[AttemptLine]:
    """The last accepted attempt of each group, whatever it was asked for, less those that fell."""
    live: dict[str, AttemptLine] = {}
    for line in journal.lines:
        if isinstance(line, FellLine):
            for group in line.groups:
                live.pop(group, None)
        elif isinstance(line, AttemptLine) and line.outcome == "accepted":
            live[line.group] = line
    return list(live.values())


def _of(line: AttemptLine, provider: str) -> bool:
    return (line.provider == "embedded") == (provider == "embedded")


def estimate(plan: Plan, journal: Journal, provider: ProviderName, limit: int | None) -> Estimate:
    """What the open groups may cost, at most `limit` of them; a chunk is taken to have 500 words."""
    groups = open_work(plan, journal, provider, FillOptions()).open[:limit]
    shapes = Shapes(plan)
    lengths: dict[tuple[object, ...], int] = {}
    tokens_in = 0
    for group in groups:
        first = group.slots[0]
        key = (*(slot.template_id for slot in group.slots), first.difficulty, first.adversarial_strategy)
        if key not in lengths:
            lengths[key] = _input_tokens(plan, group, shapes)
        tokens_in += lengths[key]
    records = sum(len(group.slots) for group in groups)
    learned = _tokens_a_record(journal, plan.generation_model.model_name)
    most_a_record = plan.generation_model.max_tokens
    likely = Usage(input_tokens=tokens_in, output_tokens=records * min(learned or TOKENS_A_RECORD, most_a_record))
    most = Usage(input_tokens=tokens_in, output_tokens=records * most_a_record)
    prices = plan.generation_model.prices
    return Estimate(len(groups), likely, most, cost(prices, likely), cost(prices, most), learned is not None)


def _input_tokens(plan: Plan, group: Group, shapes: Shapes) -> int:
    shape = shapes.of(group)
    prompt = build_prompt(plan, group, shape, _typical_chunk(), 1, ())
    return (len(prompt) + len(SYSTEM) + shape.schema_chars) // CHARS_PER_TOKEN


def _typical_chunk() -> Chunk:
    text = "word " * (CHUNK_CHARS // 5)
    return Chunk("", text, text, "The title of a page", "", "corpus", (), None, (), (), ())


def _tokens_a_record(journal: Journal, model: str) -> int | None:
    """The mean over accepted replies of `model`; None where there are too few to go by."""
    lines = [
        line
        for line in journal.lines
        if isinstance(line, AttemptLine) and line.outcome == "accepted" and line.model == model
    ]
    spoken = [line for line in lines if line.usage.output_tokens]
    if len(spoken) < _ENOUGH:
        return None
    return sum(line.usage.output_tokens for line in spoken) // sum(len(line.slots) for line in spoken)
