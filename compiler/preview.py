"""Preview: the tables that show what a plan will make, and about what it will cost. Plain data, rendered elsewhere."""

from collections import Counter
from collections.abc import Mapping, Sequence

from evalspec.spec.dataclass import dataclass
from evalspec.spec.plan import Group, Plan, PlannedTemplate, Quota

_CHARS_PER_TOKEN = 4.0
_CHUNK_TOKENS = 680
"""A chunk of 500 words at about 1.36 tokens a word, which is usual for English prose."""
_FRAME_TOKENS = 160
"""The clauses that every request carries: reply shape, difficulty, variety cue."""
_FIELD_TOKENS: Mapping[str, int] = {"excerpt": 160, "answer": 20, "text": 60}
_JUDGEMENT_TOKENS = 110
"""Expected behavior and failure modes of one record."""


@dataclass(frozen=True, slots=True)
class SubdimensionRow:
    """A subdimension: records asked for and planned, and its groups."""

    dimension: str
    name: str
    asked: float
    planned: int
    groups: int
    group_size: int
    why: str


@dataclass(frozen=True, slots=True)
class MarginRow:
    """A value of an axis; `deviation` is relative to what was asked, None where nothing was."""

    name: str
    asked: float
    planned: int
    deviation: float | None
    why: str


@dataclass(frozen=True, slots=True)
class Cost:
    """An estimate: input and output tokens of one fill without retries, and money where the config gives prices."""

    calls: int
    input_tokens: int
    output_tokens: int
    money: float | None
    currency: str | None
    as_of: str | None


@dataclass(frozen=True, slots=True)
class Preview:
    """All tables, in the order in which they are shown."""

    total: int
    partial: bool
    subdimensions: tuple[SubdimensionRow, ...]
    dimensions: tuple[MarginRow, ...]
    domains: tuple[MarginRow, ...]
    difficulties: tuple[MarginRow, ...]
    geographies: tuple[MarginRow, ...]
    strategies: tuple[MarginRow, ...]
    cost: Cost
    proved: bool


def preview(plan: Plan) -> Preview:
    """The tables of a plan."""
    table = plan.allocation
    return Preview(
        total=table.total,
        partial=plan.filters.partial,
        subdimensions=tuple(
            SubdimensionRow(q.dimension, q.name, q.asked, q.planned, q.groups, q.group_size, q.why)
            for q in table.subdimensions
        ),
        dimensions=_margin(table.dimensions),
        domains=_margin(table.domains),
        difficulties=_margin(table.difficulties),
        geographies=_margin(table.geographies),
        strategies=_margin(table.strategies),
        cost=estimate(plan),
        proved=table.proved,
    )


def _margin(quotas: Sequence[Quota]) -> tuple[MarginRow, ...]:
    return tuple(
        MarginRow(q.name, q.asked, q.planned, (q.planned - q.asked) / q.asked if q.asked else None, q.why)
        for q in quotas
    )


def estimate(plan: Plan) -> Cost:
    """Tokens and money of one fill: texts at four characters a token, chunks of 500 words, replies by their fields."""
    kinds: Counter[tuple[tuple[str, ...], str | None]] = Counter(_kind(group) for group in plan.groups)
    spent = [(count, *_tokens(plan, members, strategy)) for (members, strategy), count in kinds.items()]
    given, taken = sum(n * i for n, i, _ in spent), sum(n * o for n, _, o in spent)
    prices = plan.generation_model.prices
    if prices is None:
        return Cost(len(plan.groups), given, taken, None, None, None)
    money = (given * prices.input_per_million + taken * prices.output_per_million) / 1_000_000
    return Cost(len(plan.groups), given, taken, round(money, 2), prices.currency, prices.as_of)


def _kind(group: Group) -> tuple[tuple[str, ...], str | None]:
    return tuple(slot.template_id for slot in group.slots), group.slots[0].adversarial_strategy


def _tokens(plan: Plan, members: tuple[str, ...], strategy: str | None) -> tuple[int, int]:
    templates = [plan.templates[name] for name in members]
    chars = sum(_instruction_chars(template) for template in {t.id: t for t in templates}.values())
    if strategy is not None:
        chars += len(plan.strategies[strategy].definition) + len(plan.strategies[strategy].when)
    given = round(chars / _CHARS_PER_TOKEN) + _CHUNK_TOKENS + _FRAME_TOKENS
    return given, sum(_reply_tokens(template) for template in templates)


def _instruction_chars(template: PlannedTemplate) -> int:
    texts = [template.generation_instruction, template.system_prompt, template.user_message_template]
    for example in template.negative_examples:
        texts += [example.prompt, example.bad_response, example.why_bad]
    return sum(map(len, texts))


def _reply_tokens(template: PlannedTemplate) -> int:
    roles = [rules.get("meta", {}).get("role", "text") for rules in template.fields.values()]
    return sum(_FIELD_TOKENS[role] for role in roles) + _JUDGEMENT_TOKENS
