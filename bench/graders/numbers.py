"""The check on a number: which one an answer gives, where it gives one."""

import math
from decimal import Decimal
from typing import Any

import regex

from evalspec.bench.checks import NumberIs
from evalspec.bench.graders import words
from evalspec.bench.graders.finding import Finding, failed, listed, passed, quote, unscored
from evalspec.bench.graders.folding import plain
from evalspec.spec.dataclass import dataclass

MOST_DIGITS = 60
_SCALES = "|".join(sorted(words.MAGNITUDES, key=len, reverse=True))
_PERCENTS = "|".join(regex.escape(word) for word in words.PER_CENT)
_NUMBER = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}_]|\d[.,٫٬])"
    r"(?P<sign>(?:(?<![\p{L}\p{N}])[-−–]|(?i:(?:minus|negative)[ \t]++))?)"
    rf"(?:\p{{Sc}}|(?:{'|'.join(words.CODES)}|Rs\.?)[ \t]?(?=[\d-]))?+(?P<minus>-?)"
    r"(?P<digits>\d++(?:[.,'’٫٬]\d++|[ ]\d{3}(?!\d))*+|\.\d++)"
    r"(?P<power>(?:[eE][-+]?\d{1,3}(?![\p{L}\p{N}]))?)"
    rf"(?P<scale>(?:[ \t]?(?i:{_SCALES})(?![\p{{L}}\p{{N}}_])|[kKMBT](?![\p{{L}}\p{{N}}_]))?)"
    rf"(?P<percent>(?:[ \t]{{0,2}}[*_]{{0,2}}(?:[%٪]|(?i:{_PERCENTS})(?![\p{{L}}\p{{N}}])))?)"
    r"(?P<odd>(?:[mb](?![\p{L}\p{N}_])|st\b|nd\b|rd\b|th\b|[\p{No}^])?)"
    r"|[\p{L}_][\p{L}\p{M}\p{N}_]*+(?:[-–−‑][\p{L}\p{M}\p{N}_]++)*+"  # a word or an id: its digits are no number
)
_MARK = regex.compile(r"(?i:\banswer\b[*_]{0,2}[ \t]{0,3}(?:is\b|[:=])|^[ \t]*####)|\\boxed\{", regex.MULTILINE)
_WESTERN = regex.compile(r"\d{1,3}(?:,\d{3})+")
_INDIAN = regex.compile(r"\d{1,2}(?:,\d{2})*,\d{3}")


@dataclass(frozen=True, slots=True)
class Reading:
    """A number as it stands in a text; `value` is None where it can be read in more than one way."""

    value: Decimal | None
    percent: bool
    text: str


def number_is(spec: NumberIs, given: Any) -> Finding:
    """The number in a text, or a number of JSON, is the one that was due."""
    if not math.isfinite(spec.value) or not math.isfinite(spec.tolerance):
        return unscored(f"the check expects {spec.value}, within {spec.tolerance}")
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return failed(f"{quote(given)} is not a number")
    if isinstance(given, str):
        return _of_text(spec, given)
    if isinstance(given, float) and not math.isfinite(given):
        return failed(f"{given} is not a number")
    return _compared(spec, Reading(_decimal(given), spec.percent, str(given)[:MOST_DIGITS]))


def _of_text(spec: NumberIs, text: str) -> Finding:
    readings = distinct(answered(plain(text)))
    if not readings:
        return failed("has no number")
    if len(readings) > 1:
        return failed(f"several numbers: {listed([reading.text for reading in readings])}")
    return _compared(spec, readings[0])


def answered(text: str) -> str:
    """What stands after the last `answer:`, `answer is`, `####` or in the last `\\boxed{}`, to the end of its line.

    The whole text where none of them is there.
    """
    marks = list(_MARK.finditer(text))
    if not marks:
        return text
    rest = text[marks[-1].end() :]
    if marks[-1].group().endswith("{"):
        return rest.partition("}")[0]
    return rest.lstrip(" \t*_:=").lstrip("\r\n").partition("\n")[0]


def distinct(text: str) -> list[Reading]:
    """The numbers in a text, those of one value once, in order."""
    found: dict[object, Reading] = {}
    for match in _NUMBER.finditer(text):
        if match["digits"] is None:
            continue
        reading = _reading(match)
        key = (reading.value, reading.percent) if reading.value is not None else reading.text
        found.setdefault(key, reading)
    return list(found.values())


def _reading(match: "regex.Match[str]") -> Reading:
    shown = match.group().strip()
    value = None if match["odd"] else value_of(match["digits"])
    if value is not None:
        if match["power"]:
            value = value.scaleb(int(match["power"][1:]))
        scale = match["scale"].strip()
        value *= words.LETTERS.get(scale) or words.MAGNITUDES.get(scale.lower(), 1)
        value = -value if bool(match["sign"].strip()) != bool(match["minus"]) else value
    return Reading(value, bool(match["percent"]), shown)


def value_of(digits: str) -> Decimal | None:
    """A number of digits, dots, commas, spaces and apostrophes; None where it is none or may be two.

    `1,234.50`, `1.234,50`, `1 234`, `1,23,456.78` and `0,5` are numbers; `1,234` is a thousand and more, `1.234` is one
    and a bit; `1.2.3` is none.
    """
    digits = digits.replace("٫", ".").replace("٬", ",").replace("’", ",").replace("'", ",").replace(" ", ",")
    if len(digits) > MOST_DIGITS:
        return None
    dots, commas = digits.count("."), digits.count(",")
    if dots and commas and digits.rfind(",") > digits.rfind("."):
        digits = digits.translate(str.maketrans(".,", ",."))
        dots, commas = commas, dots
    elif dots > 1 and not commas:
        digits, dots, commas = digits.replace(".", ","), 0, dots
    elif commas == 1 and not dots and (len(digits.rpartition(",")[2]) != 3 or digits.startswith("0")):
        digits, dots, commas = digits.replace(",", "."), 1, 0
    whole, _, rest = digits.partition(".")
    if dots > 1 or "," in rest or (commas and not (_WESTERN.fullmatch(whole) or _INDIAN.fullmatch(whole))):
        return None
    return Decimal(f"{whole.replace(',', '') or '0'}.{rest or '0'}")


def _compared(spec: NumberIs, reading: Reading) -> Finding:
    if reading.value is None:
        return failed(f"{quote(reading.text)} is not one plain number")
    if reading.percent != spec.percent:
        what = "a percentage" if reading.percent else "not a percentage"
        return failed(f"{quote(reading.text)} is {what}")
    if abs(reading.value - _decimal(spec.value)) <= _decimal(spec.tolerance):
        return passed(f"reads {quote(reading.text)}")
    within = f" within {spec.tolerance:g}" if spec.tolerance else ""
    return failed(f"is {quote(reading.text)}, not {spec.value:g}{within}")


def _decimal(number: float) -> Decimal:
    """As it is written: 0.1 is a tenth."""
    return Decimal(number) if isinstance(number, int) else Decimal(repr(float(number)))
