"""Figures of a text: where they stand, what they count, and wrong ones of the same form."""

import re
from functools import lru_cache

from evalspec.runtime.composer.phrasebook import Phrasebook, phrasebook
from evalspec.spec.dataclass import dataclass
from evalspec.spec.draw import draw

_MONEY = r"(?:(?:US|CA?)?[$€£]\s?\d[\d,]*(?:\.\d+)?(?:\s(?:thousand|million|billion|trillion))?)"
_NUMBER = r"\d{1,3}(?:[,\u00a0]\d{3})*(?:[.,]\d+)?"
_YEAR = r"(?:1[5-9]|20)\d{2}"
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Shapes:
    """Regular expressions of one language, without groups."""

    figure: str
    """Any figure with a unit."""
    period: str
    """A length of time."""
    year: str = _YEAR


@lru_cache(maxsize=16)
def shapes(language: str) -> Shapes:
    """The shapes of figures in a language, from its phrases."""
    book = phrasebook(language)
    count = rf"(?:{_NUMBER}|{_either(book.numbers)})"
    period = rf"(?:{count}[ -](?:(?:{_either(book.qualifiers)})\s)?(?:{_either(book.periods)})\b)"
    percent = rf"(?:{_NUMBER}\s?(?:%|{_either(book.percents)}\b))"
    unit = rf"(?:{_NUMBER}\s?(?:{_either(book.units)})(?!\w))"
    return Shapes(figure=rf"(?:{_MONEY}|{percent}|\b{period}|\b{unit})", period=rf"\b{period}")


def _either(words: tuple[str, ...] | dict[str, int]) -> str:
    """An alternation, longest first; one that never matches where there are no words."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word))) or "(?!)"


def amount(figure: str, book: Phrasebook) -> float | None:
    """The number that a figure names, in digits or in words; thousands and above as they are written."""
    match = _DIGITS.search(figure)
    if match:
        return float(match[0].replace(",", ""))
    word = _number_word(figure, book)
    return float(book.numbers[word.lower()]) if word else None


def _number_word(figure: str, book: Phrasebook) -> str | None:
    match = re.match(rf"(?:{_either(book.numbers)})(?=[ -])", figure, re.IGNORECASE)
    return match[0] if match else None


def unit_of(figure: str, book: Phrasebook) -> str:
    """What a figure counts, as it stands after its number: `business days`; empty for none."""
    match = _DIGITS.match(figure)
    word = match[0] if match else _number_word(figure, book)
    return figure[len(word) :].lstrip(" -") if word else ""


def moved(figure: str, seed: int, *key: object, book: Phrasebook) -> str | None:
    """Another figure of the same form; None where none can be told.

    A year moves by one or two, a small count by a few, others by a quarter to the double; number words stay words.
    """
    drawn = draw(seed, "moved", figure, *key)
    match = _DIGITS.search(figure)
    if match is None:
        return _moved_word(figure, drawn, book)
    digits = match[0].replace(",", "")
    number = float(digits)
    if re.fullmatch(_YEAR, figure):
        changed = number + (1, -1, 2, -2)[drawn % 4]
    elif number <= 12:
        changed = number + (1, 2, 3)[drawn % 3]
    elif number <= 120 and number % 5 == 0 and "." not in digits:
        changed = number + (-5, 5, 10, 15)[drawn % 4]
    else:
        changed = number * (1.5, 2.0, 1.25, 0.5)[drawn % 4]
    places = len(digits.partition(".")[2])
    grouped = "," in match[0] or (number >= 10_000 and not re.fullmatch(_YEAR, figure))
    text = f"{changed:,.{places}f}" if grouped else f"{changed:.{places}f}"
    return figure[: match.start()] + text + figure[match.end() :]


def _moved_word(figure: str, drawn: int, book: Phrasebook) -> str | None:
    word = _number_word(figure, book)
    if word is None:
        return None
    ordered = sorted(book.numbers, key=lambda name: (book.numbers[name], name))
    at = ordered.index(word.lower())
    near = [ordered[i] for i in (at + 1, at + 2, at - 1, at + 3, at - 2) if 0 < i < len(ordered)]
    near = [name for name in near if book.numbers[name] not in (book.numbers[word.lower()], 1)]
    if not near:
        return None
    rest = figure[len(word) :]
    if book.numbers[word.lower()] == 1 and book.plural and not rest.endswith(book.plural):
        rest += book.plural
    other = near[drawn % len(near)]
    return (other.capitalize() if word[:1].isupper() else other) + rest
