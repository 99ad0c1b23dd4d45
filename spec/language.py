"""The text language of templates: `{name}` placeholders, and sandboxed Jinja where that is not enough.

Only `{identifier}` is a placeholder; every other brace is literal, so that JSON needs no escaping. A placeholder
is replaced once: a value that holds braces is not read again. `{{ name | filter }}` and `{% if %}` work in an
immutable sandbox without globals, in which only the node types and filters listed here compile.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from jinja2 import Environment, StrictUndefined, TemplateError, TemplateSyntaxError, nodes
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.sandbox import ImmutableSandboxedEnvironment

from evalspec.spec.draw import draw

FaultKind = Literal["unknown", "unclosed", "syntax", "sandbox"]
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_JINJA = re.compile(r"\{[{%#]")
_HIDDEN = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_OPEN = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(?![A-Za-z0-9_}])")
_LEFT_OPEN = re.compile(r"innermost block that needs to be closed is '(\w+)'")
_SPOKEN = {
    "Getattr": "an attribute (a.b)",
    "Getitem": "an index (a[b])",
    "Call": "a call",
    "Test": "a test (is ...)",
    "For": "{% for %}",
    "Assign": "{% set %}",
    "AssignBlock": "{% set %}",
    "Include": "{% include %}",
    "Import": "{% import %}",
    "FromImport": "{% from %}",
    "Extends": "{% extends %}",
    "Macro": "{% macro %}",
    "CallBlock": "{% call %}",
    "FilterBlock": "{% filter %}",
    "Block": "{% block %}",
    "With": "{% with %}",
    "Concat": "~",
}
"""Parts of Jinja as a text writes them."""
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


def _upfirst(value: str) -> str:
    return value[:1].upper() + value[1:]


def _lowfirst(value: str) -> str:
    return value if value[1:2].isupper() else value[:1].lower() + value[1:]


def _bare(value: str) -> str:
    return value.strip().rstrip(".!?…")


def _words(value: str) -> str:
    return value.replace("_", " ")


def _noisy(value: str) -> str:
    """Type as someone in a hurry does: no capitals, some letters swapped, dropped or doubled; figures stay."""
    out = []
    for position, word in enumerate(value.split(" ")):
        at = draw(0, "noisy", value, position)
        inner = len(word) - 2
        if inner > 1 and word.isalpha() and at % 3 == 0:
            cut = 1 + (at >> 8) % (inner - 1)
            swap = word[:cut] + word[cut + 1] + word[cut] + word[cut + 2 :]
            word = (swap, word[:cut] + word[cut + 1 :], word[:cut] + word[cut] + word[cut:])[(at >> 20) % 3]  # noqa: PLW2901
        out.append(word.lower())
    return " ".join(out).replace("?", " ??").rstrip(".")


FILTERS: dict[str, Callable[..., Any]] = {
    "upfirst": _upfirst,
    "lowfirst": _lowfirst,
    "bare": _bare,
    "words": _words,
    "noisy": _noisy,
    "lower": lambda value: str(value).lower(),
    "upper": lambda value: str(value).upper(),
    "trim": lambda value: str(value).strip(),
}
"""All filters that a text may use; each takes a string and gives a string."""

_ALLOWED: tuple[type[nodes.Node], ...] = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Name,
    nodes.Const,
    nodes.Filter,
    nodes.If,
    nodes.CondExpr,
    nodes.Compare,
    nodes.Operand,
    nodes.And,
    nodes.Or,
    nodes.Not,
)


class _Placeholders(Extension):
    """Turns `{declared_name}` in literal text into a variable, before parsing."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        declared: frozenset[str] = getattr(self.environment, "declared")  # noqa: B009
        for token in stream:
            if token.type != "data":
                yield token
                continue
            at = 0
            for match in _PLACEHOLDER.finditer(token.value):
                if match[1] not in declared:
                    continue
                if match.start() > at:
                    yield Token(token.lineno, "data", token.value[at : match.start()])
                yield Token(token.lineno, "variable_begin", "{{")
                yield Token(token.lineno, "name", match[1])
                yield Token(token.lineno, "variable_end", "}}")
                at = match.end()
            if at < len(token.value):
                yield Token(token.lineno, "data", token.value[at:])


class _Environment(ImmutableSandboxedEnvironment):
    declared: frozenset[str] = frozenset()


@lru_cache(maxsize=256)
def _environment(declared: frozenset[str]) -> Environment:
    env = _Environment(extensions=[_Placeholders], undefined=StrictUndefined, keep_trailing_newline=True, cache_size=0)
    env.declared = declared
    env.globals.clear()
    env.filters.clear()
    env.filters.update(FILTERS)
    env.tests.clear()
    return env


def placeholders(source: str) -> list[tuple[str, int, int]]:
    """Every `{identifier}` of a text outside Jinja blocks: name, start, end."""
    hidden = [m.span() for m in _HIDDEN.finditer(source)] if _JINJA.search(source) else []
    return [
        (m[1], m.start(), m.end())
        for m in _PLACEHOLDER.finditer(source)
        if not any(a <= m.start() < b for a, b in hidden)
    ]


def names_used(source: str, declared: frozenset[str]) -> frozenset[str]:
    """The names that a text uses, in placeholders and in Jinja; empty where the text does not parse."""
    try:
        tree = _environment(declared).parse(source)
    except TemplateError:
        return frozenset(name for name, _, _ in placeholders(source))
    return frozenset(node.name for node in tree.find_all(nodes.Name))


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
    if not _JINJA.search(source):
        return sorted(out, key=lambda f: f.start)
    try:
        tree = _environment(declared).parse(source)
    except TemplateSyntaxError as error:
        out.append(_syntax_fault(source, error))
        return sorted(out, key=lambda f: f.start)
    out += _tree_faults(source, tree, declared)
    return sorted(out, key=lambda f: f.start)


def _unclosed(name: str, after: str) -> str:
    if after and after in ".:![(":
        return f"the placeholder {{{name} goes on with {after}; a placeholder is a name alone"
    return f"the placeholder {{{name} is not closed"


def _syntax_fault(source: str, error: TemplateSyntaxError) -> Fault:
    """What the parser says, at the block or expression that it is about."""
    said = error.message or "not a template"
    line = _line_range(source, error.lineno)
    if match := _LEFT_OPEN.search(said):
        opening = [m.span() for m in re.finditer(rf"\{{%[-+]?\s*{match[1]}\b(?:.*?%\}})?", source)]
        at = opening[-1] if opening else line
        if match[1] == "if":
            return Fault("syntax", "the block {% if %} is not closed by {% endif %}", *at)
        return Fault("sandbox", f"{{% {match[1]} %}} is not part of the template language", *at)
    if "end of print statement" in said:
        before = source.rfind("{{", 0, line[1])
        if before >= 0:
            end = source.find("}}", before)
            stop = end + 2 if end >= 0 else before + 2
            return Fault("syntax", "this expression is not closed, or is more than a name and filters", before, stop)
    return Fault("syntax", said, *line)


def _tree_faults(source: str, tree: nodes.Template, declared: frozenset[str]) -> Iterator[Fault]:
    for node in tree.find_all(nodes.Node):
        line = getattr(node, "lineno", 1) or 1
        if isinstance(node, nodes.Name) and node.name not in declared:
            at = _find(source, node.name, line)
            yield Fault("unknown", f"nothing fills the name {node.name}", *at, node.name)
        elif isinstance(node, nodes.Filter) and node.name not in FILTERS:
            at = _find(source, node.name, line)
            yield Fault("unknown", f"there is no filter {node.name}", *at, node.name)
        elif not isinstance(node, _ALLOWED) and not isinstance(node, nodes.EvalContextModifier):
            what = _SPOKEN.get(type(node).__name__, "arithmetic" if isinstance(node, nodes.BinExpr) else "this")
            at = _line_range(source, line)
            attribute = getattr(node, "attr", None)
            tag = re.compile(rf"\{{%[-+]?\s*{what[3:-3]}\b.*?%\}}" if what.startswith("{%") else "(?!)", re.DOTALL)
            if isinstance(attribute, str):
                at = _find(source, attribute, line)
            elif match := tag.search(source, _line_range(source, line)[0]):
                at = match.span()
            yield Fault("sandbox", f"{what} is not part of the template language", *at)
            return


def _line_range(source: str, lineno: int) -> tuple[int, int]:
    """The characters of one line, less its surrounding space."""
    lines = source.splitlines(keepends=True) or [""]
    index = min(max(lineno, 1), len(lines)) - 1
    start = sum(len(line) for line in lines[:index])
    text = lines[index].rstrip()
    start += len(text) - len(text.lstrip())
    return start, max(start + len(text.strip()), start + 1)


def _find(source: str, word: str, lineno: int) -> tuple[int, int]:
    """The place of a word inside a Jinja block at or after a line; the whole line where it is not found."""
    start, end = _line_range(source, lineno)
    match = re.compile(rf"\b{re.escape(word)}\b").search(source, start)
    return match.span() if match else (start, end)


@lru_cache(maxsize=4096)
def _compiled(source: str, declared: frozenset[str]) -> Callable[[Mapping[str, object]], str]:
    wrong = faults(source, declared)
    if wrong:
        raise RenderError(wrong[0].message)
    if _JINJA.search(source) or "\r" in source:
        rendered: Callable[[Mapping[str, object]], str] = _environment(declared).from_string(source).render
        return rendered
    return _joined(source)


def _joined(source: str) -> Callable[[Mapping[str, object]], str]:
    """What a text of plain placeholders gives; Jinja gives the same in ten times the time."""
    parts = _PLACEHOLDER.split(source)

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
    template = _compiled(source, frozenset(values) if declared is None else declared)
    try:
        text = template(values)
    except TemplateError as error:
        raise RenderError(str(error)) from None
    if len(text) > MAX_TEXT:
        raise RenderError(f"the text came to {len(text):,} characters, over {MAX_TEXT:,}")
    return text
