"""What the LLM must return for a template: its field rules, inferred from the placeholders where they are left out."""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from evalspec.spec.language import names_used, placeholders
from evalspec.spec.source import YamlPath
from evalspec.spec.template import BUILT_IN_NAMES, COMMON_REPLY_NAMES, INSTRUCTION_NAMES, Template

Rules = dict[str, dict[str, Any]]
RESERVED: frozenset[str] = INSTRUCTION_NAMES | COMMON_REPLY_NAMES
"""Names that no field can take."""
_ASKED_KEY = re.compile(r'"([A-Za-z_][A-Za-z0-9_]*)"\s*:')


def shown_texts(template: Template) -> Iterator[tuple[YamlPath, str]]:
    """The texts of a template that are made of its fields: what the model under test and its judge read."""
    yield ("system_prompt",), template.system_prompt
    yield ("user_message_template",), template.user_message_template
    criteria = template.pass_criteria
    yield ("pass_criteria", "scoring_description"), criteria.scoring_description or ""
    yield ("pass_criteria", "scoring_notes"), criteria.scoring_notes or ""
    for index, text in enumerate(criteria.hard_fail_conditions or ()):
        yield ("pass_criteria", "hard_fail_conditions", index), text


def used_names(template: Template) -> dict[str, None]:
    """The names in the shown texts, in the order of their first use."""
    return _names_in(text for _, text in shown_texts(template))


def shown_names(template: Template) -> frozenset[str]:
    """The names in the texts that the model under test reads."""
    return frozenset(_names_in((template.system_prompt, template.user_message_template)))


def _names_in(texts: Iterable[str]) -> dict[str, None]:
    out: dict[str, None] = {}
    for text in texts:
        if "{" not in text:
            continue
        out.update(dict.fromkeys(name for name, _, _ in placeholders(text)))
        if "{{" in text or "{%" in text:
            out.update(dict.fromkeys(sorted(names_used(text, BUILT_IN_NAMES))))
    return out


def resolve_fields(template: Template) -> Rules:
    """The rules of a template's fields, with `type`, `required`, `meta.role` and `meta.shared` always set."""
    declared = template.fields or {name: {} for name in _inferred(template)}
    return {name: _completed(name, rules) for name, rules in declared.items()}


def _inferred(template: Template) -> Iterator[str]:
    """Placeholders that only the LLM can fill.

    Not those of other texts (`scraped_content`), not a slip for a built-in name, and, where the instruction lists
    the keys of the reply, not those that it leaves out: these stay unknown, and are reported.
    """
    asked = asked_keys(template)
    names = [name for name in used_names(template) if name not in RESERVED]
    listed = asked & set(names)
    for name in names:
        if listed and name not in asked:
            continue
        if not listed and get_close_matches(name, BUILT_IN_NAMES, n=1, cutoff=0.8):
            continue
        yield name


def asked_keys(template: Template) -> set[str]:
    """The keys of JSON that the generation instruction writes out."""
    return set(_ASKED_KEY.findall(template.generation_instruction))


def _completed(name: str, rules: dict[str, Any]) -> dict[str, Any]:
    out = {key: _plain(value) for key, value in rules.items() if key != "meta"}
    if not {"type", "anyof", "oneof", "allof", "noneof", "anyof_type"} & out.keys():
        out["type"] = "string"
    if out.get("type") == "string":
        out.setdefault("empty", False)
    out.setdefault("required", True)
    given = rules.get("meta")
    meta = dict(_plain(given)) if isinstance(given, dict) else {}
    meta.setdefault("role", _role(name))
    meta.setdefault("shared", False)
    return {**out, "meta": meta}


def _role(name: str) -> str:
    if name == "excerpt" or name.endswith("excerpt"):
        return "excerpt"
    return "answer" if name == "correct_answer" else "text"


def _plain(value: Any) -> Any:
    """Tuples as lists, which is what Cerberus and JSON know."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
