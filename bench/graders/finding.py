"""What a grader says of one check: the verdict and its reason, and how an answer is quoted in a reason."""

import unicodedata

from evalspec.bench.results import Verdict
from evalspec.spec.dataclass import dataclass

QUOTED = 80
"""The most characters of an answer that a reason quotes."""
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict and, where it is not a plain pass, why."""

    verdict: Verdict
    reason: str = ""


def passed(reason: str = "") -> Finding:
    """The check holds."""
    return Finding("pass", reason)


def failed(reason: str) -> Finding:
    """The check does not hold."""
    return Finding("fail", reason)


def unscored(reason: str) -> Finding:
    """Nobody can say whether the check holds."""
    return Finding("unscored", reason)


def quote(text: object) -> str:
    """The start of a text in quotes, on one line, control characters shown as escapes."""
    shown = str(text)
    if len(shown) <= QUOTED and shown.isprintable():
        return f"'{shown}'"
    out = ""
    for char in shown[: QUOTED + 1]:
        step = _shown(char)
        if len(out) + len(step) > QUOTED:
            return f"'{out}…'"
        out += step
    return f"'{out}'"


def listed(values: list[str] | tuple[str, ...]) -> str:
    """A few names in a row, each quoted; how many more there are where there are many."""
    some = ", ".join(quote(value) for value in values[:5])
    return some if len(values) <= 5 else f"{some} and {len(values) - 5} more"


def _shown(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char != " " and unicodedata.category(char)[0] in "CZ":
        code = ord(char)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return char
