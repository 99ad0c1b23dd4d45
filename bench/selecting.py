"""A part of a suite: by KEY=VALUE, and the first so many."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalspec.bench.suite import Case, Suite
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

ALIASES = {"case_id": "id", "label": "tag", "labels": "tag", "tags": "tag", "file": "set"}
KEYS = ("id", "tag", "severity", "set", "blocking", "metric")


def select(suite: Suite, filters: Sequence[str], max_cases: int | None) -> tuple[Suite, tuple[Diagnostic, ...]]:
    """The cases that match every key, and of them the first `max_cases`; a part of a suite is a draft.

    Each filter is KEY=VALUE. Several values of one key are alternatives; several keys must all match. On an error
    the suite comes back as it was.
    """
    wanted, wrong = _wanted(suite, filters)
    if max_cases is not None and max_cases < 1:
        hint = "leave it out to run all cases"
        wrong.append(
            found("ES705", f"--max-cases {max_cases} leaves no case", _option(f"--max-cases {max_cases}"), hint=hint)
        )
    if wrong:
        return suite, tuple(wrong)
    cases = [case for case in suite.cases if all(_values(case, key) & values for key, values in wanted.items())]
    if wanted and (unmatched := _unmatched(suite, wanted, bool(cases))):
        return suite, tuple(unmatched)
    kept = cases if max_cases is None else cases[:max_cases]
    if len(kept) == len(suite.cases):
        return suite, ()
    reason = f"only {len(kept):,} of {len(suite.cases):,} cases were selected"
    return replace(suite, cases=tuple(kept), draft=(*suite.draft, reason)), ()


def _option(text: str) -> Place:
    return Place("command line", text=text)


def _wanted(suite: Suite, filters: Sequence[str]) -> tuple[dict[str, set[str]], list[Diagnostic]]:
    wanted: dict[str, set[str]] = {}
    wrong: list[Diagnostic] = []
    for text in filters:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals or not key:
            hint = "write, for example, --filter tag=bengali"
            wrong.append(
                found("ES705", f"a filter is KEY=VALUE, found {text!r}", _option(f"--filter {text}"), hint=hint)
            )
            continue
        name = ALIASES.get(key.lower(), key.lower() if key.lower() in KEYS else key)
        known = keys_of(suite)
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near}?" if near else f"keys are {', '.join(known)}"
            wrong.append(found("ES705", f"no case has the key {key}", _option(f"--filter {text}"), hint=hint))
            continue
        wanted.setdefault(name, set()).add(value.strip().casefold())
    return wanted, wrong


def keys_of(suite: Suite) -> list[str]:
    """The keys that the cases of a suite can be filtered by."""
    facts: dict[str, None] = {}
    for case in suite.cases:
        facts.update(dict.fromkeys(_paths(case)))
    return [*KEYS, *(key for key in facts if key not in KEYS)]


def _values(case: Case, key: str) -> set[str]:
    """What a case has under a key, folded for comparing."""
    match key:
        case "id":
            return {case.case_id.casefold()}
        case "tag":
            return {tag.casefold() for tag in case.tags}
        case "severity" | "set":
            return {getattr(case, key).casefold()}
        case "blocking":
            return {_text(case.blocking)}
        case "metric":
            own = {check.metric for turn in case.turns for check in turn.checks if check.metric}
            return {name.casefold() for name in own | ({case.metric} if case.metric else set())}
    return _paths(case).get(key, set())


def _paths(case: Case) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    _walk(case.facts, "", out)
    first = case.turns[0].input if case.turns else None
    if isinstance(first, dict):
        _walk(first, "input", out)
    return out


def _walk(value: Any, path: str, out: dict[str, set[str]]) -> None:
    match value:
        case dict():
            for key, item in value.items():
                _walk(item, f"{path}.{key}" if path else str(key), out)
        case list() | tuple():
            for item in value:
                _walk(item, path, out)
        case _:
            out.setdefault(path, set()).add(_text(value))


def _text(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip().casefold()


def _unmatched(suite: Suite, wanted: dict[str, set[str]], some: bool) -> list[Diagnostic]:
    """The filters that match nothing, one by one; or all together, where `some` does not say that cases are left."""
    out = []
    for key, values in wanted.items():
        there: set[str] = set()
        for case in suite.cases:
            there |= _values(case, key)
        for value in sorted(values - there):
            near = nearest(value, there)
            shown = ", ".join(sorted(there)[:12])
            hint = f"did you mean {near}?" if near else f"{key} is one of {shown}" if there else f"no case has a {key}"
            out.append(found("ES705", f"no case has {key}={value}", _option(f"--filter {key}={value}"), hint=hint))
    if not out and not some:
        said = " and ".join(f"{key}={'|'.join(sorted(values))}" for key, values in wanted.items())
        out.append(found("ES705", f"no case has {said} together", _option(f"--filter {said}")))
    return out
