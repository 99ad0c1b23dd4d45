"""A reply for a group, composed from one fact by the forms of its templates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from evalspec.runtime.composer.material import Material, fact_values, one_of, spread, told_alone
from evalspec.runtime.composer.showing import alters_excerpt, shows_answer, shows_excerpt
from evalspec.spec.dataclass import dataclass
from evalspec.spec.draw import draw
from evalspec.spec.language import RenderError, names_used, placeholders, render
from evalspec.spec.passage import Fact
from evalspec.spec.plan import Group, Plan, Slot
from evalspec.spec.slots import slot_values
from evalspec.spec.template import COMPOSE_NAMES, Compose, ComposeForm, MemberForm

Rules = Mapping[str, Mapping[str, Any]]
"""Cerberus rules by field."""


LAPS = 3
"""How often the facts are gone through where a prompt gives its answer away: each lap asks otherwise."""


class NoFormError(Exception):
    """No form of the group's templates fits any fact of the chunk."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Where a group stands in the drawing: `number` counts the groups of its subdimension on this chunk."""

    seed: int
    number: int
    attempt: int
    lap: int = 0
    """How often the facts of the chunk were gone through before."""
    own_forms: bool = False
    """Whether only forms that name the group's strategy will do."""
    gaps: bool = False
    """Whether sentences with a gap will do where the text gives no facts."""


def compose_reply(plan: Plan, group: Group, material: Material, turn: Turn) -> dict[str, Any]:
    """The reply object for `group`, one that gives no answer away where there is one.

    Raises NoFormError where the chunk gives nothing that fits.
    """
    own_facts = material.facts or (material.gaps if turn.gaps else ())
    facts = spread(own_facts, turn.seed, f"{material.digest}/{group.subdimension}")
    step = turn.number + 3 * (turn.attempt - 1)
    hard = group.slots[0].adversarial_strategy is not None
    leaky: dict[str, Any] | None = None
    why = ""
    for own in (True, False) if hard else (False,):
        for offset in range(LAPS * len(facts)):
            if offset >= len(facts) and leaky is None:
                break
            fact = facts[(step + offset) % len(facts)]
            lap = (step + offset) // len(facts)
            try:
                reply = _from_fact(plan, group, material, fact, replace(turn, lap=lap, own_forms=own))
            except (NoFormError, RenderError) as error:
                why = why or str(error)
                continue
            if not shows_answer(plan, group, reply):
                return reply
            leaky = leaky or reply
    if leaky is not None:
        return leaky
    found = "no fact" if not facts else "1 fact" if len(facts) == 1 else f"{len(facts)} facts"
    raise NoFormError(f"no form fits {found} of “{material.title}”{': ' * bool(why)}{why}")


def _from_fact(plan: Plan, group: Group, material: Material, fact: Fact, turn: Turn) -> dict[str, Any]:
    values: dict[str, Any] = {**slot_values(plan, group.slots[0])}
    values |= fact_values(material, fact, turn.number + turn.attempt - 1, turn.seed)
    alone = told_alone(values, material)
    shared: dict[str, str] = {}
    members = []
    for position, slot in enumerate(group.slots):
        block = plan.templates[slot.template_id].compose
        key = (material.digest, fact.id, group.group_id, turn.attempt)
        known = values if shows_excerpt(plan.templates[slot.template_id]) else alone
        member_values = known | shared | _drawn_lists(block, slot, turn.seed, key)
        drawn = draw(turn.seed, "form", slot.template_id, *key[:2]) + turn.lap
        form = _chosen(block, slot, member_values, drawn, own=turn.own_forms)
        writer = _Writer(_declared(block, form, shared), turn.seed, (*key[:2], slot.subdimension), position, turn.lap)
        if position == 0:
            member_values |= writer.let(form, member_values)
            shared = writer.texts(form.shared, member_values)
            _fit(shared, plan.templates[slot.template_id].fields)
        else:
            member_values |= writer.let(form, member_values)
        rules = plan.templates[slot.template_id].fields
        members.append(_member(form, slot, position, member_values | shared, writer, rules))
    if alters_excerpt(plan, group):
        for member in members:
            member["true_excerpt"] = values["excerpt"]
    reply: dict[str, Any] = {"members": members}
    lead = plan.templates[group.slots[0].template_id].fields
    shared_fields = {
        name: typed(text, lead.get(name, {})) for name, text in shared.items() if _is_shared(plan, group, name)
    }
    if shared_fields:
        reply["shared"] = shared_fields
    return reply


def _member(
    form: ComposeForm, slot: Slot, position: int, values: Mapping[str, Any], writer: "_Writer", rules: Rules
) -> dict[str, Any]:
    part = form.members[position % len(form.members)] if form.members else form
    texts = writer.texts(part.fields, values)
    _fit(texts, rules)
    out: dict[str, Any] = {name: typed(text, rules.get(name, {})) for name, text in texts.items()}
    known = {**values, **texts}
    out["expected_behavior"] = writer.text(part.expected_behavior, known)
    most = {"easy": 0, "medium": 2, "hard": 4}[slot.difficulty]
    modes = part.expected_failure_modes or form.expected_failure_modes
    out["expected_failure_modes"] = [render(mode, known, writer.declared) for mode in modes[:most]]
    out["adversarial_strategy"] = slot.adversarial_strategy
    return out


def _fit(texts: Mapping[str, str], rules: Rules) -> None:
    """Raise NoFormError where a text is longer than its field may be: another fact may be shorter."""
    for name, text in texts.items():
        most = rules.get(name, {}).get("maxlength")
        if isinstance(most, int) and len(text) > most:
            raise NoFormError(f"{name} would have {len(text)} characters, at most {most} may be")


@dataclass(frozen=True, slots=True)
class _Writer:
    """Renders the variants of one form for one member; members at other positions draw other variants."""

    declared: frozenset[str]
    seed: int
    key: tuple[str, ...]
    position: int
    lap: int

    def text(self, variants: str | Sequence[str], values: Mapping[str, Any], name: str = "") -> str:
        if isinstance(variants, str):
            return render(variants, values, self.declared)
        at = draw(self.seed, "variant", name, *self.key) + self.position + self.lap
        return render(variants[at % len(variants)], values, self.declared)

    def texts(self, fields: Mapping[str, str | tuple[str, ...]], values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.text(variants, values, name) for name, variants in fields.items()}

    def let(self, form: ComposeForm, values: Mapping[str, Any]) -> dict[str, str]:
        """The form's own names; one may use another, in whatever order they stand."""
        known = dict(values)
        out = {}
        for name, variants in _in_order_of_use(form.let):
            at = draw(self.seed, "let", name, *self.key) + self.lap
            text = variants if isinstance(variants, str) else variants[at % len(variants)]
            out[name] = known[name] = render(text, known, self.declared)
        return out


def typed(text: str, rules: Mapping[str, Any]) -> Any:
    """A composed text as the type that its field's rules ask for; a list has one entry a line.

    Text that cannot be such a value stays text, which validation then refuses with the field's name.
    """
    wanted = rules.get("type", "string")
    try:
        match wanted:
            case "integer":
                return int(text.replace(",", "").strip())
            case "float" | "number":
                return float(text.replace(",", "").strip())
            case "boolean":
                return {"true": True, "false": False}[text.strip().lower()]
            case "list":
                inner = rules.get("schema") or {}
                return [typed(line.strip(), inner) for line in text.splitlines() if line.strip()]
            case _:
                return text
    except (KeyError, ValueError):
        return text


def _in_order_of_use(let: Mapping[str, str | tuple[str, ...]]) -> list[tuple[str, str | tuple[str, ...]]]:
    """Names after those that they use. A plan's keys are sorted, so their order in the YAML is not to be had."""
    wanted = {
        name: {used for text in ((variants,) if isinstance(variants, str) else variants) for used in _names(text)}
        & let.keys() - {name}
        for name, variants in let.items()
    }
    out: list[str] = []
    while len(out) < len(let):
        ready = [name for name in sorted(wanted) if name not in out and wanted[name] <= set(out)]
        if not ready:
            raise NoFormError(f"names that use each other: {', '.join(sorted(wanted.keys() - set(out)))}")
        out += ready
    return [(name, let[name]) for name in out]


@lru_cache(maxsize=8192)
def _names(text: str) -> frozenset[str]:
    return names_used(text, frozenset(COMPOSE_NAMES.union(name for name, _, _ in placeholders(text))))


def _chosen(block: Compose, slot: Slot, values: Mapping[str, Any], drawn: int, *, own: bool) -> ComposeForm:
    """A form that fits; with `own` it names the slot's strategy, unless no form of the block does."""
    fitting = [form for form, _ in _forms(block) if _fits(form, slot)]
    if slot.adversarial_strategy:
        named = [form for form in fitting if form.strategies]
        fitting = named if own and named else fitting
    names = dict(zip(map(id, block.forms), (needed for _, needed in _forms(block)), strict=True))
    fitting = [form for form in fitting if names[id(form)] <= values.keys()]
    if slot.adversarial_strategy:
        fitting = [form for form in fitting if form.strategies] or fitting
    if not fitting:
        raise NoFormError("")
    return fitting[drawn % len(fitting)]


def _fits(form: ComposeForm, slot: Slot) -> bool:
    if form.difficulty and slot.difficulty not in form.difficulty:
        return False
    return not form.strategies or slot.adversarial_strategy in form.strategies


def _forms(block: Compose) -> tuple[tuple[ComposeForm, frozenset[str]], ...]:
    return _forms_by_id(_Held(block))


class _Held:
    """A compose block as a cache key: by identity, since a plan's blocks live as long as the plan."""

    __slots__ = ("block",)

    def __init__(self, block: Compose) -> None:
        self.block = block

    def __hash__(self) -> int:
        return id(self.block)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.block is self.block


@lru_cache(maxsize=512)
def _forms_by_id(held: _Held) -> tuple[tuple[ComposeForm, frozenset[str]], ...]:
    """Each form with the names that must have a value for it: those its texts use and its own do not give."""
    block = held.block
    return tuple((form, _needed(form) - _given(form)) for form in block.forms)


def _given(form: ComposeForm) -> frozenset[str]:
    names = {*form.let, *form.shared, *form.fields}
    return frozenset(names.union(*(member.fields for member in form.members)))


def _needed(form: ComposeForm) -> frozenset[str]:
    used = frozenset(form.needs)
    for text in _texts(form):
        used |= _names(text)
    return used


def _texts(form: ComposeForm) -> Iterator[str]:
    parts: list[ComposeForm | MemberForm] = [form, *form.members]
    tables = [form.let, form.shared, *(part.fields for part in parts)]
    for table in tables:
        for variants in table.values():
            yield from (variants,) if isinstance(variants, str) else variants
    for part in parts:
        yield from ((part.expected_behavior,) if isinstance(part.expected_behavior, str) else part.expected_behavior)
        yield from part.expected_failure_modes


def _declared(block: Compose, form: ComposeForm, shared: Mapping[str, str]) -> frozenset[str]:
    return frozenset(COMPOSE_NAMES.union(block.lists, _given(form), shared))


def _drawn_lists(block: Compose, slot: Slot, seed: int, key: tuple[object, ...]) -> dict[str, str]:
    """One entry of each list; a keyed list goes by domain, then by geography."""
    out = {}
    for name, entries in block.lists.items():
        if isinstance(entries, dict):
            entries = entries.get(slot.source_domain) or entries.get(slot.geography) or ()  # noqa: PLW2901
        if entries:
            out[name] = one_of(entries, seed, name, slot.template_id, *key)
    return out


def _is_shared(plan: Plan, group: Group, name: str) -> bool:
    rules = [plan.templates[slot.template_id].fields.get(name, {}) for slot in group.slots]
    return any(rule.get("meta", {}).get("shared") for rule in rules)
