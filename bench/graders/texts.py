"""Checks on the words of an answer: terms that stand in it, folded, and patterns that must not."""

import unicodedata

import regex

from evalspec.bench.checks import MatchesNone
from evalspec.bench.graders.finding import Finding, failed, listed, passed, quote, unscored
from evalspec.bench.graders.folding import fold, plain
from evalspec.bench.patterns import SECONDS, PatternError, compiled

_LOCAL = r"[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]"
EMAIL = regex.compile(
    rf"(?<!{_LOCAL}|\.){_LOCAL}++(?:\.{_LOCAL}++)*+"
    r"@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.){1,8}"
    r"(?:\p{L}[\p{L}\p{M}]{1,23}|xn--[a-z0-9-]{2,59})(?![\p{L}\p{M}\p{N}-])",
    regex.IGNORECASE,
)
"""An e-mail address: a name (dots and plus tags in it or not), @, and a domain with a dot."""


def contains_all(terms: tuple[str, ...], text: str) -> Finding:
    """Each term stands in the text, folded, as a part of a word or as a whole one."""
    if _blank(terms):
        return _EMPTY_TERM
    folded = fold(text)
    missing = [term for term in terms if not _stands(term, folded)]
    return failed(f"lacks {listed(missing)}") if missing else passed()


def contains_any(terms: tuple[str, ...], text: str) -> Finding:
    """One of the terms stands in the text."""
    if _blank(terms):
        return _EMPTY_TERM
    folded = fold(text)
    found = next((term for term in terms if _stands(term, folded)), None)
    if found is None:
        return failed(f"has none of {listed(terms)}")
    return passed(f"has {quote(found)}" if len(terms) > 1 else "")


def contains_none(terms: tuple[str, ...], text: str) -> Finding:
    """None of the terms stands in the text."""
    if _blank(terms):
        return _EMPTY_TERM
    folded = fold(text)
    found = [term for term in terms if _stands(term, folded)]
    return failed(f"has {listed(found)}") if found else passed()


def matches_none(spec: MatchesNone, text: str) -> Finding:
    """None of the patterns is found, in the text as it stands; no e-mail address, where that is asked.

    A pattern that is none, or takes too long, leaves the check unscored unless another one is found.
    """
    unknown = ""
    if spec.emails and (match := EMAIL.search(plain(text))):
        return failed(f"has the e-mail address {quote(match.group())}")
    for pattern in spec.patterns:
        try:
            match = compiled(pattern).search(text, timeout=SECONDS)
        except TimeoutError:
            unknown = unknown or f"the pattern {quote(pattern)} takes over {SECONDS} s"
            continue
        except PatternError as error:
            unknown = unknown or f"the pattern {quote(pattern)} {error}"
            continue
        if match:
            return failed(f"has {quote(match.group())}, which matches {quote(pattern)}")
    return unscored(unknown) if unknown else passed()


_EMPTY_TERM = unscored("a term of the check is empty")


def _blank(terms: tuple[str, ...]) -> bool:
    return not all(fold(term) for term in terms)


def _stands(term: str, folded: str) -> bool:
    """A letter with an accent or a nukta that follows it as a character of its own is not the letter without."""
    term = fold(term)
    place = folded.find(term)
    while place >= 0:
        end = place + len(term)
        if unicodedata.combining(folded[end : end + 1] or " ") in _JOINERS:
            return True
        place = folded.find(term, place + 1)
    return False


_JOINERS = (0, 9)
"""Combining classes of what may follow a term: no mark or a vowel sign, and the virama."""
