"""The text language of templates: `{name}` placeholders, and sandboxed Jinja where that is not enough.

Only `{identifier}` is a placeholder; every other brace is literal, so that JSON needs no escaping. A placeholder
is replaced once: a value that holds braces is not read again. `{{ name | filter }}` and `{% if %}` work in an
immutable sandbox without globals (`spec/sandbox.py`), which is loaded for texts that need it.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Literal

from evalspec.spec.dataclass import dataclass

FaultKind = Literal["unknown", "unclosed", "syntax", "sandbox"]
PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_JINJA = re.compile(r"\{[{%#]")
_HIDDEN = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_OPEN = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(?![A-Za-z0-9_}])")
MAX_TEXT = 100_000
"""Characters that one text of a template may have, and that one rendering may give."""


class RenderError(ValueError):
    """A text could not be rendered with the values given."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a text, and the half-open range of characters `start` to `end` that it concerns."""

    kind: FaultKind
    message: str
    start: int
    end: int
    name: str = ""


def placeholders(source: str) -> list[tuple[str, int, int]]:
    """Every `{identifier}` of a text outside Jinja blocks: name, start, end."""
    hidden = [m.span() for m in _HIDDEN.finditer(source)] if _JINJA.search(source) else []
    return [
        (m[1], m.start(), m.end())
        for m in PLACEHOLDER.finditer(source)
        if not any(a <= m.start() < b for a, b in hidden)
    ]


def names_used(source: str, declared: frozenset[str]) -> frozenset[str]:
    """The names that a text uses, in placeholders and in Jinja; empty where the text does not parse."""
    plain = frozenset(name for name, _, _ in placeholders(source))
    if not _JINJA.search(source):
        return plain & declared
    from evalspec.spec.sandbox import names_in

    names = names_in(source, declared)
    return plain if names is None else names


def faults(source: str, declared: frozenset[str]) -> list[Fault]:
    """Everything wrong with a text in which the names of `declared` may stand; empty where it is sound."""
    if len(source) > MAX_TEXT:
        return [Fault("syntax", f"the text has {len(source):,} characters, at most {MAX_TEXT:,} are read", 0, 1)]
    out = [
        Fault("unknown", f"nothing fills the placeholder {{{name}}}", start, end, name)
        for name, start, end in placeholders(source)
        if name not in declared
    ]
    for match in _OPEN.finditer(source):
        if match[1] in declared:
            out.append(
                Fault(
                    "unclosed",
                    _unclosed(match[1], source[match.end() : match.end() + 1]),
                    match.start(),
                    match.end(),
                    match[1],
                )
            )
    if _JINJA.search(source):
        from evalspec.spec.sandbox import faults_in

        out += faults_in(source, declared)
    return sorted(out, key=lambda f: f.start)


def _unclosed(name: str, after: str) -> str:
    if after and after in ".:![(":
        return f"the placeholder {{{name} goes on with {after}; a placeholder is a name alone"
    return f"the placeholder {{{name} is not closed"


@lru_cache(maxsize=4096)
def _compiled(source: str, declared: frozenset[str]) -> Callable[[Mapping[str, object]], str]:
    wrong = faults(source, declared)
    if wrong:
        raise RenderError(wrong[0].message)
    if _JINJA.search(source) or "\r" in source:
        from evalspec.spec.sandbox import compiled

        return compiled(source, declared)
    return _joined(source)


def _joined(source: str) -> Callable[[Mapping[str, object]], str]:
    """What a text of plain placeholders gives; Jinja gives the same in ten times the time."""
    parts = PLACEHOLDER.split(source)

    def join(values: Mapping[str, object]) -> str:
        out = list(parts)
        for at in range(1, len(out), 2):
            if out[at] not in values:
                raise RenderError(f"'{out[at]}' is undefined")
            out[at] = str(values[out[at]])
        return "".join(out)

    return join


def render(source: str, values: Mapping[str, object], declared: frozenset[str] | None = None) -> str:
    """Render a text with `values`; names that the text does not use may stand in them too.

    `declared` are the names that may stand in the text, by default those of `values`; give the same set for texts
    that are rendered often, since a text is compiled once a set. Raises RenderError where the text is unsound, uses
    a name without a value, or gives over MAX_TEXT characters.
    """
    if "{" not in source:
        return source
    text = _compiled(source, frozenset(values) if declared is None else declared)(values)
    if len(text) > MAX_TEXT:
        raise RenderError(f"the text came to {len(text):,} characters, over {MAX_TEXT:,}")
    return text
