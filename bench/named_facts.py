"""Facts that a target's settings name, and whether a case has them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evalspec.bench.suite import Case
from evalspec.bench.targets.config import HttpSettings, TargetConfig
from evalspec.bench.targets.looking import MISSING, look
from evalspec.bench.targets.turns import names
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import render_path

_LISTED = 12
"""So many facts stand in a hint."""


def unknown_facts(cases: Sequence[Case], config: TargetConfig) -> list[Diagnostic]:
    """An ES749 for each `$facts.NAME` of a request that no case has; a request leaves such a value out."""
    settings = config.settings
    if not isinstance(settings, HttpSettings):
        return []
    out = []
    for path, given in names(settings.body, ("body",)):
        root, _, name = given.partition(".")
        if root == "facts" and name and all(look(case.facts, name) is MISSING for case in cases):
            message = f"{render_path(path)} names $facts.{name}, which no case has: it is left out of every request"
            out.append(found("ES749", message, config.place_of(*path), hint=_meant(name, cases)))
    return out


def _meant(name: str, cases: Iterable[Case]) -> str:
    known = sorted({path for case in cases for path in _paths(case.facts)})
    if near := nearest(name, known):
        return f"did you mean $facts.{near}?"
    more = ", ..." if len(known) > _LISTED else ""
    return f"the cases have {', '.join(known[:_LISTED])}{more}" if known else "the cases have no facts"


def _paths(facts: Mapping[str, Any], before: str = "", depth: int = 3) -> Iterator[str]:
    """The paths of facts, and of what lies in those that are objects."""
    for key, value in facts.items():
        yield f"{before}{key}"
        if isinstance(value, Mapping) and depth > 1:
            yield from _paths(value, f"{before}{key}.", depth - 1)
