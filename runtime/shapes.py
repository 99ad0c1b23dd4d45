"""What the groups of one make have in common, worked out once: fields, roles, names shown, validators, schema."""

import json
from collections.abc import Mapping
from typing import Any

from evalspec.runtime.field_rules import FieldRules
from evalspec.runtime.reply_schema import group_schema
from evalspec.spec.config import Difficulty, Grounding
from evalspec.spec.dataclass import dataclass
from evalspec.spec.fingerprint import digest_of
from evalspec.spec.language import names_used
from evalspec.spec.plan import Group, Plan, PlannedTemplate
from evalspec.spec.record import RecordCriteria
from evalspec.spec.template import BUILT_IN_NAMES, COMMON_REPLY_NAMES

MODE_COUNTS: dict[Difficulty, tuple[int, int]] = {"easy": (0, 0), "medium": (0, 4), "hard": (2, 4)}
"""The fewest and the most expected failure modes of a record."""


@dataclass(frozen=True, slots=True)
class Part:
    """One template as its members' replies are judged by."""

    template: PlannedTemplate
    names: frozenset[str]
    """All names that its texts may use."""
    excerpts: tuple[str, ...]
    answers: tuple[str, ...]
    shown: tuple[str, ...]
    """Fields that the system prompt or the message shows, in the order of the template."""
    closed_book: bool
    """Whether no excerpt is among its fields."""
    own: FieldRules
    """Judges the fields that each member has."""
    own_rules: dict[str, Any]
    criteria: RecordCriteria | None
    """The pass criteria, where they are the same for every slot."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """All that follows from a group's templates, difficulty and strategy; there is one of each, equal to no other."""

    parts: tuple[Part, ...]
    """One a slot."""
    shared: frozenset[str]
    shared_rules: dict[str, Any]
    shared_judge: FieldRules
    difficulty: Difficulty
    strategy: str | None
    grounding: Grounding
    wants_true_excerpt: bool
    modes: tuple[int, int]
    stray_names: tuple[str, ...]
    """Names of the request that no text of a record has any use for."""
    schema: dict[str, Any]
    schema_digest: str
    schema_chars: int
    """Characters of the schema as JSON, which services count as input."""


class Shapes:
    """Makes and keeps the shapes of a plan's groups."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._kept: dict[tuple[Any, ...], Shape] = {}
        self._parts: dict[tuple[str, frozenset[str]], Part] = {}
        self._shared: dict[tuple[str, ...], FieldRules] = {}
        self._stray_names = tuple(sorted(name for name in {*COMMON_REPLY_NAMES, *plan.strategies} if "_" in name))

    def of(self, group: Group) -> Shape:
        """The shape of `group`."""
        first = group.slots[0]
        key = (tuple(slot.template_id for slot in group.slots), first.difficulty, first.adversarial_strategy)
        if key not in self._kept:
            self._kept[key] = self._make(group)
        return self._kept[key]

    def _make(self, group: Group) -> Shape:
        plan, first = self._plan, group.slots[0]
        templates = [plan.templates[slot.template_id] for slot in group.slots]
        shared = frozenset(name for t in templates for name, rules in t.fields.items() if meta(rules).get("shared"))
        parts = {t.id: self._part(t, shared) for t in templates}
        strategy = first.adversarial_strategy
        grounding: Grounding = plan.strategies[strategy].grounding if strategy else "verbatim"
        wants = grounding == "altered" and any(part.excerpts for part in parts.values())
        shared_rules = {name: t.fields[name] for t in templates for name in t.fields if name in shared}
        modes = MODE_COUNTS[first.difficulty]
        schema = group_schema(templates, shared, strategy, modes, wants, plan.acceptance.max_prompt_chars)
        return Shape(
            parts=tuple(parts[t.id] for t in templates),
            shared=shared,
            shared_rules=shared_rules,
            shared_judge=self._shared_judge(tuple(t.id for t in templates), shared_rules),
            difficulty=first.difficulty,
            strategy=strategy,
            grounding=grounding,
            wants_true_excerpt=wants,
            modes=modes,
            stray_names=self._stray_names,
            schema=schema,
            schema_digest=digest_of(schema),
            schema_chars=len(json.dumps(schema)),
        )

    def _part(self, template: PlannedTemplate, shared: frozenset[str]) -> Part:
        """The part of a template, made once: Cerberus takes longer to read rules than to judge many replies."""
        key = (template.id, shared)
        if key not in self._parts:
            self._parts[key] = _part(template, shared)
        return self._parts[key]

    def _shared_judge(self, templates: tuple[str, ...], rules: dict[str, Any]) -> FieldRules:
        """Judges what the members of these templates share; made once."""
        if templates not in self._shared:
            self._shared[templates] = FieldRules(rules)
        return self._shared[templates]


def _part(template: PlannedTemplate, shared: frozenset[str]) -> Part:
    declared = BUILT_IN_NAMES.union(template.fields)
    used = names_used(template.system_prompt, declared) | names_used(template.user_message_template, declared)
    excerpts = tuple(name for name, rules in template.fields.items() if meta(rules).get("role") == "excerpt")
    own = {name: rules for name, rules in template.fields.items() if name not in shared}
    criteria = template.pass_criteria
    texts = (criteria.scoring_description, *criteria.hard_fail_conditions, criteria.scoring_notes)
    return Part(
        template=template,
        names=declared,
        excerpts=excerpts,
        answers=tuple(name for name, rules in template.fields.items() if meta(rules).get("role") == "answer"),
        shown=tuple(name for name in template.fields if name in used),
        closed_book=not excerpts,
        own=FieldRules(own),
        own_rules=own,
        criteria=None if any("{" in text for text in texts) else criteria,
    )


def meta(rules: Mapping[str, Any]) -> Mapping[str, Any]:
    """The `meta` of a field's rules; empty where there is none."""
    found = rules.get("meta")
    return found if isinstance(found, Mapping) else {}
