"""General forms: a compose block for a template that has none, from the language's pack in `spec/defaults/`."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from evalspec.compiler.defaults import frozen_yaml
from evalspec.spec.config import Difficulty, Grounding
from evalspec.spec.language import placeholders
from evalspec.spec.model import Identifier, Model, Text
from evalspec.spec.template import Compose, ComposeForm, Variants

FALLBACK = "en"
_EXCERPTS = ("{excerpt}", "{excerpt_2}", "{excerpt_3}")


class PackForm(Model):
    """A form before the names of a template's fields are known."""

    difficulty: tuple[Difficulty, ...]
    strategies: tuple[Identifier, ...] = ()
    """A form for these strategies; none means whatever is left."""
    book: Literal["open", "closed", "any"] = "any"
    needs: tuple[str, ...] = ()
    grounded: bool = True
    """Whether the answer stands in the excerpt."""
    altered: bool = False
    """Whether a form for no strategy in particular is for those that alter the excerpt."""
    plain: bool = False
    """Whether only the question, value and statement of a fact are needed, which every fact has."""
    question: tuple[Text, ...]
    answer: Text
    excerpt: Text = "{excerpt}"
    expected_behavior: tuple[Text, ...]
    expected_failure_modes: tuple[Text, ...] = ()


class Pack(Model):
    """The general forms of one language."""

    main_names: tuple[str, ...]
    asides: dict[str, Text]
    special: tuple[Identifier, ...]
    forms: tuple[PackForm, ...]


def pack_language(language: str) -> str | None:
    """The language of the pack that serves a BCP 47 tag, or None where only the fallback does."""
    primary = language.partition("-")[0]
    path = files("evalspec.spec").joinpath(f"defaults/forms.{primary}.yaml")
    return primary if path.is_file() else None


@lru_cache(maxsize=8)
def pack_of(language: str) -> Pack:
    """The pack of a language, or that of the fallback."""
    return Pack.model_validate(frozen_yaml(f"forms.{pack_language(language) or FALLBACK}"))


def general_compose(
    fields: Mapping[str, Mapping[str, Any]], groundings: Mapping[str, Grounding], language: str, shown: str
) -> Compose:
    """The compose block of a template with these fields (Cerberus rules) and strategies (with their grounding).

    `shown` is the text of its system prompt and message: of several text fields that could take the prompt, the one
    shown first takes it.
    """
    pack = pack_of(language)
    open_book = any(_role(rules) == "excerpt" for rules in fields.values())
    special = bool(groundings) and set(groundings) <= set(pack.special)
    forms = []
    for form in pack.forms:
        if form.book != "any" and (form.book == "open") != open_book:
            continue
        served = _served(form, groundings, open_book=open_book)
        if served is None or (special and not form.strategies and "hard" not in form.difficulty):
            continue
        if form.strategies and "hard" not in form.difficulty and not special:
            continue
        forms.append(_filled(form, served, fields, pack, shown))
    return Compose(forms=tuple(forms))


def _served(form: PackForm, groundings: Mapping[str, Grounding], *, open_book: bool) -> tuple[str, ...] | None:
    """The strategies that a form is for, none for any; None where it does not suit the template."""
    alters = form.altered or "{false_excerpt}" in form.excerpt
    if not form.strategies:
        if not form.altered:
            return ()
        named = {name for other in form_names(form) for name in other}
        left = tuple(name for name, how in groundings.items() if how == "altered" and name not in named)
        return left or None
    fitting = [name for name in groundings if name in form.strategies]
    if open_book:
        fitting = [name for name in fitting if (groundings[name] == "altered") == alters]
        fitting = [name for name in fitting if form.grounded or groundings[name] != "verbatim"]
    if not fitting:
        return None
    return tuple(fitting) if "hard" in form.difficulty else ()
