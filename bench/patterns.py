"""Regexes that a suite forbids in answers: compiled once, within bounds, and matched against the clock."""

from functools import lru_cache
from typing import Any

MAX_PATTERN = 1_000
"""Characters of a regex."""
MAX_REPEATS = 10_000
"""The largest number in a counted repeat, and of nested ones their product: beyond it compiling has no bound."""
SECONDS = 0.5
"""The time that one search may take, over the whole text."""


class PatternError(ValueError):
    """A regex that cannot be used: what is wrong, and at which of its characters."""

    def __init__(self, message: str, at: int | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.at, self.hint = message, at, hint


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> Any:
    """The pattern of the `regex` package, case-insensitive, `.` over lines. Raises PatternError."""
    import regex

    if len(pattern) > MAX_PATTERN:
        raise PatternError(f"has {len(pattern):,} characters, and at most {MAX_PATTERN:,} are compiled")
    if (repeats := _repeats(pattern)) > MAX_REPEATS:
        message = f"repeats something {repeats:,} times, and its time cannot be bounded over {MAX_REPEATS:,}"
        raise PatternError(message, hint="write + or *, which search as far")
    try:
        made = regex.compile(pattern, regex.IGNORECASE | regex.DOTALL)
    except regex.error as error:
        raise PatternError(f"is no regex: {error.msg}", error.pos, _hint(error.msg)) from None
    except (ValueError, OverflowError, RecursionError, KeyError, IndexError, TypeError) as error:
        raise PatternError(f"is no regex: {error}") from None
    try:
        empty = made.match("", timeout=SECONDS) is not None
    except TimeoutError:
        raise PatternError(f"takes over {SECONDS} s on an empty text") from None
    if empty:
        raise PatternError("matches an empty text, so it is found in every answer", hint="write what must be there")
    return made


def found_in(pattern: str, text: str) -> bool | None:
    """Whether a pattern is found in a text; None where it took too long. Raises PatternError."""
    try:
        return compiled(pattern).search(text, timeout=SECONDS) is not None
    except TimeoutError:
        return None


def _hint(message: str) -> str:
    if "nothing to repeat" in message:
        return "a literal *, + or ? is written with a backslash"
    if "parenthesis" in message or "missing )" in message:
        return "a literal parenthesis is written with a backslash"
    return ""


def _repeats(pattern: str) -> int:
    """The largest product of counted repeats that the nesting of the groups allows, roughly and from above."""
    import re

    product, counts, stack = 1, 1, []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 2
            continue
        if char == "(":
            stack.append(counts)
            counts = 1
        elif char == ")" and stack:
            match = re.match(r"\)\{(\d{1,9})?(?:,(\d{1,9})?)?\}", pattern[at:])
            inner = counts * (max(int(n or 1) for n in match.groups()) if match else 1)
            counts = max(stack.pop(), inner)
        elif char == "{" and (match := re.match(r"\{(\d{1,9})?(?:,(\d{1,9})?)?\}", pattern[at:])):
            counts = max(counts, *(int(n or 1) for n in match.groups()))
        product = max(product, counts)
        at += 1
    return product
