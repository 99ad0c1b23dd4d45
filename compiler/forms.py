"""General forms: a compose block for a template that has none, from the language's pack in `spec/defaults/`."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from evalspec.compiler.document import build
from evalspec.compiler.languages import pack_text
from evalspec.compiler.tree import parse_tree
from evalspec.compiler.typed import frozen
from evalspec.spec.config import Difficulty, Grounding
from evalspec.spec.language import names_used, placeholders
from evalspec.spec.model import Identifier, Model, Text
from evalspec.spec.template import Compose, ComposeForm, Variants

_EXCERPTS = ("{excerpt}", "{excerpt_2}", "{excerpt_3}")
_BARE = ("{value}", "{scenario_answer}")
_SHORTEST = 8
"""Characters that the value of a fact has, but for a few."""
_LONGEST = 120
"""Characters that an aside has at most, but for a few."""
Fields = Mapping[str, Mapping[str, Any]]
"""Cerberus rules by field, with `meta.role` and `meta.shared` set."""


class PackForm(Model):
    """A form before the names of a template's fields are known."""

    difficulty: tuple[Difficulty, ...]
    strategies: tuple[Identifier, ...] = ()
    """The strategies that it applies; none means that it is what is left where no other form fits."""
    book: Literal["open", "closed", "any"] = "any"
    """Whether it is for templates with an excerpt, or for those without."""
    altered: bool = False
    """Whether the excerpt shown is altered."""
    grounded: bool = True
    """Whether the answer stands in the excerpt."""
    needs: tuple[str, ...] = ()
    question: tuple[Text, ...]
    answer: Text
    expected_behavior: tuple[Text, ...]
    expected_failure_modes: tuple[Text, ...] = ()


class Pack(Model):
    """The general forms of one language."""

    main_names: tuple[str, ...]
    asides: dict[str, Text]
    special: tuple[Identifier, ...]
    brief: Text
    """What a field takes that an aside may be too long for."""
    sentence: Text
    """What says the value in a field that a bare value is too short for."""
    forms: tuple[PackForm, ...]


@lru_cache(maxsize=8)
def pack_of(language: str) -> Pack:
    """The pack of a language, or that of the fallback."""
    text = pack_text(language)
    root = parse_tree(text)
    if root is None:
        raise ValueError(f"the general forms of {language} are empty")
    return Pack.model_validate(frozen(build("forms", text, root).data))


def general_compose(fields: Fields, groundings: Mapping[str, Grounding], language: str, shown: str) -> Compose:
    """The compose block of a template with these fields, and strategies with their groundings.

    `shown` is the text of its system prompt and message: of several text fields that could take the prompt, the one
    shown first does. A template that shows no excerpt takes the closed forms.
    """
    pack = pack_of(language)
    seen = names_used(shown, frozenset(fields))
    open_book = any(_role(rules) == "excerpt" for name, rules in fields.items() if name in seen)
    special = bool(groundings) and set(groundings) <= set(pack.special)
    forms = []
    for form in pack.forms:
        strategies = _served(form, groundings, pack, open_book=open_book)
        hard = "hard" in form.difficulty
        if strategies is None or (not hard and special != bool(form.strategies)):
            continue
        forms.append(_filled(form, strategies if hard else (), fields, pack, shown))
    return Compose(forms=tuple(forms))


def _served(
    form: PackForm, groundings: Mapping[str, Grounding], pack: Pack, *, open_book: bool
) -> tuple[str, ...] | None:
    """The template's strategies that a form applies, none where it is for any; None where it does not suit."""
    if form.book not in ("any", "open" if open_book else "closed"):
        return None
    altering = tuple(name for name, grounding in groundings.items() if grounding == "altered")
    if not form.strategies:
        if not form.altered:
            return ()
        named = {name for other in pack.forms if other.altered for name in other.strategies}
        return tuple(name for name in altering if name not in named) or None
    fitting = [name for name in groundings if name in form.strategies]
    if open_book and "hard" in form.difficulty:
        fitting = [name for name in fitting if (name in altering) == form.altered]
        fitting = [name for name in fitting if form.grounded or groundings[name] != "verbatim"]
    return tuple(fitting) or None


def _filled(form: PackForm, strategies: tuple[str, ...], fields: Fields, pack: Pack, shown: str) -> ComposeForm:
    """A form with the template's own fields."""
    main = _main_field(fields, pack, shown)
    own: dict[str, Variants] = {}
    shared: dict[str, Variants] = {}
    excerpts = 0
    for name, rules in fields.items():
        if _role(rules) == "excerpt":
            text: Variants = _EXCERPTS[min(excerpts, len(_EXCERPTS) - 1)]
            if excerpts == 0 and form.altered:
                text = "{false_excerpt}"
            excerpts += 1
        elif name == main:
            text = form.question
        else:
            text = _value(name, rules, form, pack)
        (shared if rules.get("meta", {}).get("shared") else own)[name] = text
    return ComposeForm(
        difficulty=form.difficulty,
        strategies=strategies,
        needs=form.needs,
        shared=shared,
        fields=own,
        expected_behavior=form.expected_behavior,
        expected_failure_modes=form.expected_failure_modes,
    )


def _main_field(fields: Fields, pack: Pack, shown: str) -> str | None:
    """The field that takes the prompt: by its name, else the free text that is shown first, else any free text."""
    free = [
        name
        for name, rules in fields.items()
        if _role(rules) == "text" and rules.get("type", "string") == "string" and "allowed" not in rules
    ]
    named = [name for name in pack.main_names if name in free]
    order = [name for name, _, _ in placeholders(shown) if name in free]
    return next(iter([*named, *order, *free]), None)


def _value(name: str, rules: Mapping[str, Any], form: PackForm, pack: Pack) -> Variants:
    """What a field gets that is neither excerpt nor prompt, written as its Cerberus type is read from text.

    Numbers are digits, booleans true or false, a list has one entry a line.
    """
    if allowed := [str(value) for value in rules.get("allowed", ())]:
        return tuple(allowed)
    aside = pack.asides.get(name, pack.asides["any"])
    match rules.get("type", "string"):
        case "integer" | "number" | "float":
            return str(rules.get("min", min(1, rules.get("max", 1))))
        case "boolean":
            return ("true", "false")
        case "list" | "set":
            return "\n".join(["{subject}", "{title}", "{unsaid}"][: max(1, min(3, rules.get("minlength", 1)))])
        case _:
            if _role(rules) != "answer":
                most = rules.get("maxlength", _LONGEST)
                return aside if most >= _LONGEST or name in pack.asides else pack.brief
            bare = form.answer in _BARE and rules.get("minlength", 0) > _SHORTEST
            return pack.sentence.replace("{value}", form.answer) if bare else form.answer


def _role(rules: Mapping[str, Any]) -> str:
    role: str = rules.get("meta", {}).get("role", "text")
    return role
