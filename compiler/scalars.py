"""What a plain scalar means: the core schema of YAML 1.2, and which of them other readers take for something else."""

import re

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INF = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_NAN = frozenset({".nan", ".NaN", ".NAN"})
_NUMBER_START = frozenset("0123456789+-.")
_LONGEST_NUMBER = 300

Value = str | int | float | bool | None

_ELSEWHERE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"[yY]|yes|Yes|YES|on|On|ON"), "the truth value true"),
    (re.compile(r"[nN]|no|No|NO|off|Off|OFF"), "the truth value false"),
    (re.compile(r"[-+]?0[0-9_]+"), "a number in base 8"),
    (re.compile(r"[-+]?0b[01_]+"), "a binary number"),
    (re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?"), "a number with its underscores left out"),
    (re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"), "a number in base 60"),
    (re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?"), "a date"),
    (re.compile(r"[-+]?[0-9]+[eE][0-9]+"), "text, not a number"),
    (re.compile(r"0o[0-7]+"), "text, not a number"),
)


def resolve_plain(text: str) -> Value:
    """The value of a plain (unquoted) scalar by the core schema of YAML 1.2."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if text[0] not in _NUMBER_START or len(text) > _LONGEST_NUMBER:
        return text
    if _INT.fullmatch(text):
        if text[:2] in ("0o", "0x"):
            return int(text[2:], 8 if text[1] == "o" else 16)
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if match := _INF.fullmatch(text):
        return float(match[1] + "inf")
    return float("nan") if text in _NAN else text


def taken_elsewhere(text: str) -> str:
    """What readers of YAML 1.1 take a plain scalar for where that differs; empty where it does not."""
    if len(text) > 40 or not (text[:1] in _NUMBER_START or len(text) <= 3):
        return ""
    return next((what for pattern, what in _ELSEWHERE if pattern.fullmatch(text)), "")
