"""What a group's prompts show: an excerpt, an altered one, or the answer where none may be shown."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from evalspec.spec.language import names_used
from evalspec.spec.leaks import gives_away
from evalspec.spec.plan import Group, Plan, PlannedTemplate


def shows_answer(plan: Plan, group: Group, reply: Mapping[str, Any]) -> bool:
    """Whether a member without an excerpt shows its answer, which the validation of replies refuses."""
    shared = reply.get("shared", {})
    return any(
        _member_shows(plan.templates[slot.template_id], shared | member)
        for slot, member in zip(group.slots, reply["members"], strict=True)
    )


def alters_excerpt(plan: Plan, group: Group) -> bool:
    """Whether the group's strategy alters an excerpt that one of its members has."""
    strategy = group.slots[0].adversarial_strategy
    if strategy is None or plan.strategies[strategy].grounding != "altered":
        return False
    rules = (rules for slot in group.slots for rules in plan.templates[slot.template_id].fields.values())
    return any(rule.get("meta", {}).get("role") == "excerpt" for rule in rules)


def _member_shows(template: PlannedTemplate, texts: Mapping[str, Any]) -> bool:
    roles = {name: rules.get("meta", {}) for name, rules in template.fields.items()}
    if any(about.get("role") == "excerpt" for about in roles.values()):
        return False
    answers = [name for name, about in roles.items() if about.get("role") == "answer" and not about.get("choices")]
    shown = _shown(template.system_prompt, template.user_message_template, frozenset(template.fields))
    prompt = "\n".join(text for name in sorted(shown) if isinstance(text := texts.get(name), str))
    return any(isinstance(answer := texts.get(name), str) and gives_away(answer, prompt) for name in answers)


def shows_excerpt(template: PlannedTemplate) -> bool:
    """Whether a reader of the prompt sees something of the source."""
    shown = _shown(template.system_prompt, template.user_message_template, frozenset(template.fields))
    return any(template.fields[name].get("meta", {}).get("role") == "excerpt" for name in shown)


@lru_cache(maxsize=512)
def _shown(system: str, message: str, fields: frozenset[str]) -> frozenset[str]:
    return names_used(system, fields) | names_used(message, fields)
