"""Jinja for the texts of templates: immutable, without globals, and of it only what is listed here.

It is loaded where a text has a Jinja block: plain placeholders do without.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from jinja2 import Environment, StrictUndefined, TemplateError, TemplateSyntaxError, nodes
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.sandbox import ImmutableSandboxedEnvironment

from evalspec.spec.draw import draw
from evalspec.spec.language import PLACEHOLDER, Fault, RenderError

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
            for match in PLACEHOLDER.finditer(token.value):
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


def names_in(source: str, declared: frozenset[str]) -> frozenset[str] | None:
    """The names that a text uses; None where it does not parse."""
    try:
        tree = _environment(declared).parse(source)
    except TemplateError:
        return None
    return frozenset(node.name for node in tree.find_all(nodes.Name))


def faults_in(source: str, declared: frozenset[str]) -> list[Fault]:
    """What is wrong with the Jinja of a text."""
    try:
        tree = _environment(declared).parse(source)
    except TemplateSyntaxError as error:
        return [_syntax_fault(source, error)]
    return list(_tree_faults(source, tree, declared))


def compiled(source: str, declared: frozenset[str]) -> Callable[[Mapping[str, object]], str]:
    """What renders a sound text; it raises RenderError."""
    template = _environment(declared).from_string(source)

    def rendered(values: Mapping[str, object]) -> str:
        try:
            text: str = template.render(values)
        except TemplateError as error:
            raise RenderError(str(error)) from None
        return text

    return rendered


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
