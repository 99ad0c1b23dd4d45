"""The slices that a suite's cases fall into: tags, severities, sets, and every fact with few values."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from evalspec.bench.suite import Case, Suite

MOST_VALUES = 60
"""A fact with more values than this is no axis: it says something of single cases."""
LONGEST_VALUE = 80
OWN_AXES = ("country/topic", "tag", "severity", "set", "module")


class Sliceable(Protocol):
    """What a case and a row of a report have in common."""

    @property
    def tags(self) -> tuple[str, ...]: ...
    @property
    def severity(self) -> str: ...
    @property
    def set(self) -> str: ...
    @property
    def facts(self) -> dict[str, Any]: ...


def marks(suite: Suite) -> Iterator[tuple[str, str, int]]:
    """Axis, value and case number of every slice that a case is in."""
    axes = fact_axes(case.facts for case in suite.cases)
    for number, case in enumerate(suite.cases):
        for axis, value in slices_of(case, axes, module_of(case) or suite.module):
            yield axis, value, number


def slices_of(case: Sliceable, axes: tuple[str, ...], module: str | None) -> Iterator[tuple[str, str]]:
    """Axis and value of every slice that one case is in; in each of its tags once."""
    for tag in dict.fromkeys(case.tags):
        yield "tag", tag
    yield "severity", case.severity
    yield "set", case.set
    if module is not None:
        yield "module", module
    for axis in axes:
        if (value := shown(case.facts.get(axis))) is not None:
            yield axis, value
    country, topic = shown(case.facts.get("country")), shown(case.facts.get("topic"))
    if country is not None and topic is not None:
        yield "country/topic", f"{country}/{topic}"


def fact_axes(facts: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    """The facts that make an axis: short plain values, and at most 60 of them over all cases."""
    values: dict[str, set[str]] = {}
    unfit: set[str] = set(OWN_AXES)
    for fields in facts:
        for name, value in fields.items():
            if value is None or name in unfit:
                continue
            text = shown(value)
            known = values.setdefault(name, set())
            if text is not None:
                known.add(text)
            if text is None or len(known) > MOST_VALUES:
                unfit.add(name)
    return tuple(sorted(name for name in values if name not in unfit))


def shown(value: Any) -> str | None:
    """A fact as a slice names it; None for what is no short plain value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int) and 0 < len(str(value)) <= LONGEST_VALUE:
        return str(value)
    return None


def module_of(case: Case) -> str | None:
    """The module that a case names for itself, among its facts or in its input."""
    return named_module(case.facts, case.turns[0].input if case.turns else None)


def named_module(facts: Mapping[str, Any], first: Any) -> str | None:
    """The module that facts or the first input name."""
    if (named := shown(facts.get("module"))) is not None:
        return named
    return shown(first.get("module")) if isinstance(first, Mapping) else None
