"""Checks of one turn that no answer can pass together."""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from evalspec.bench import checks as c
from evalspec.bench.checks import Check
from evalspec.bench.patterns import PatternError, found_in

MAX_CHECKS = 100
"""Turns with more checks are compared no further than this."""


def contradictions(checks: Sequence[Check]) -> Iterator[tuple[str, int]]:
    """What contradicts what, in words, and the position of the later of the two."""
    for (_, first), (index, second) in combinations(enumerate(checks[:MAX_CHECKS]), 2):
        said = _against(first.spec, second.spec) or _against(second.spec, first.spec)
        if said:
            yield f"{second.name} contradicts {first.name}: {said}", index


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _against(first: Any, second: Any) -> str:
    """Why no answer can pass both; empty where one may. Looked at both ways round."""
    match first, second:
        case c.ContainsAll(terms), c.ContainsNone(others):
            return _shared(terms, others)
        case c.ContainsAny(terms), c.ContainsNone(others) if terms:
            ruled_out = [_shared((term,), others) for term in terms]
            return "each of its terms is forbidden" if all(ruled_out) else ""
        case (c.ContainsAll(terms), c.MatchesNone(patterns)):
            return _forbidden(terms, patterns)
        case c.ToolCalled(()), c.ToolCalled((_, *_)) | c.ToolsInOrder((_, *_)):
            return "no tool may be called, and one must"
        case c.ToolCalled((one,)), c.ToolNotCalled(tool) if one == tool:
            return f"{tool} must be called, and must not"
        case c.ToolsInOrder(tools), c.ToolNotCalled(tool) if tool in tools:
            return f"{tool} must be called, and must not"
        case c.ConfidenceIn(levels), c.ConfidenceIn(others) if not {*levels} & {*others}:
            return "no confidence is in both"
    return _opposed(first, second)


def _opposed(first: Any, second: Any) -> str:
    match first, second:
        case (
            (c.HasMoney(yes), c.HasMoney(no))
            | (c.HasPercentage(yes), c.HasPercentage(no))
            | (c.Abstains(yes), c.Abstains(no))
        ) if yes != no:
            return "one asks for what the other rules out"
        case c.NotEmpty(path, yes), c.NotEmpty(other, no) if path == other and yes != no:
            return f"{path} must be empty, and must not"
        case c.Equals(value, path), c.Equals(other, there) if path == there and _folded(str(value)) != _folded(
            str(other)
        ):
            return f"{path or 'the text'} must equal {value!r} and {other!r}"
        case c.NumberIs(value, near, path, unit), c.NumberIs(other, far, there, also) if path == there and unit == also:
            return f"no number is both {value:g} and {other:g}" if abs(value - other) > near + far else ""
    return ""


def _shared(terms: Sequence[str], others: Sequence[str]) -> str:
    for term in terms:
        for other in others:
            if other.strip() and _folded(other) in _folded(term):
                same = _folded(other) == _folded(term)
                return f"{term!r} must be there, and {'must not' if same else f'{other!r} in it must not'}"
    return ""


def _forbidden(terms: Sequence[str], patterns: Sequence[str]) -> str:
    for term in terms:
        for pattern in patterns:
            try:
                if found_in(pattern, term):
                    return f"{term!r} must be there, and matches the forbidden {pattern!r}"
            except PatternError:
                continue
    return ""
