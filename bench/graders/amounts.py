"""Checks on amounts: whether a sum of money or a percentage stands in the text. Linear in the text."""

import regex

from evalspec.bench.graders import words
from evalspec.bench.graders.finding import Finding, failed, passed, quote
from evalspec.bench.graders.folding import plain

_GAP = r"[^\S\r\n]{0,2}\*{0,2}"
_START = r"(?<![\p{L}\p{M}\p{N}_])"
_END = r"(?![\p{L}\p{M}\p{N}_])"
_AMOUNT = r"[-−–+~(]?\.?\d++(?:[.,'’ ]\d++)*+"
_GROUPED = r"[-−–+~(]?\d{1,12}(?:,\d{2,3}|[.,]\d{2}(?!\d))"
_SCALE = rf"(?:[^\S\r\n]{{0,2}}(?:[kKmMbB]|{'|'.join(words.MAGNITUDES)}))?"
_SIGN = r"\p{Sc}"
# not x, as in the formula $2x+1$: after a sign, letters must be a magnitude or a code
_LETTERS = rf"(?:(?:[kKmMbBtT]|mm|MM|mn|Mn|bn|Bn|BN|tn|Tn|cr|Cr|L|{'|'.join(words.CODES)}){_END}|(?![A-Za-z_^\\{{]))"


def _any(values: tuple[str, ...]) -> str:
    return "|".join(regex.escape(value) for value in sorted(values, key=len, reverse=True))


_NUMBER_WORD = r"(?i:\L<numbers>)"
_CODE = r"(?:\L<codes>|(?i:\L<common>))"
_WORDLIKE = r"\L<wordlike>"
_NAMED = rf"{_SCALE}[ \t-]{{0,2}}\*{{0,2}}(?i:\L<currencies>){_END}"
_AFTER_DIGIT = "|".join(
    (
        rf"{_SCALE}{_GAP}(?:{_SIGN}(?![\p{{L}}\d])|(?:{_CODE}|{_any(words.SHORT_AFTER)}){_END})",
        rf"[.,]\d{{2,3}}{_GAP}{_WORDLIKE}{_END}",
        _NAMED,
    )
)
_AT_A_WORD = "|".join(
    (
        rf"(?:{_CODE}|{_any(words.SHORT_BEFORE)}):?(?:[^\S\r\n]{{1,2}}[-−–+~(]?)?\*{{0,2}}\.?\d",
        rf"{_WORDLIKE}{_GAP}{_GROUPED}",
        rf"{_NUMBER_WORD}{_NAMED}",
    )
)
MONEY = regex.compile(
    rf"{_SIGN}{_GAP}{_AMOUNT}{_LETTERS}|\d(?:{_AFTER_DIGIT})|{_START}(?:{_AT_A_WORD})",
    codes=words.CODES,
    common=words.CODES_IN_ANY_CASE,
    wordlike=words.CODES_THAT_ARE_WORDS,
    currencies=words.CURRENCIES,
    numbers=words.NUMBERS,
)
"""A sum of money: a number beside a currency's sign, code or word, on either side."""
PERCENT = regex.compile(
    rf"\d{_GAP}[%٪](?!\d|[A-Fa-f]\d|[A-F]{{2}})"
    rf"|(?:\d|{_START}{_NUMBER_WORD})[ \t-]{{0,2}}\*{{0,2}}(?i:{_any(words.PER_CENT)}){_END}",
    numbers=words.NUMBERS,
)
"""A percentage. A % before a digit, or before two hexadecimal digits as in 5%3A, is an escape or a remainder."""
_SHELL = regex.compile(
    r"^```[ \t]*(?:sh|bash|zsh|shell|console|fish|awk|perl|sql)\b.*?(?:^```|\Z)",
    regex.MULTILINE | regex.DOTALL | regex.IGNORECASE,
)
_PARAMETER = regex.compile(r"\$(?=\d)")


def has_money(expected: bool, text: str) -> Finding:
    """A sum of money stands in the text, or none does."""
    text = plain(text)
    if "```" in text:
        text = _SHELL.sub(lambda block: _PARAMETER.sub("", block.group()), text)
    return _presence(expected, MONEY.search(text), "amount of money")


def has_percentage(expected: bool, text: str) -> Finding:
    """A percentage stands in the text, or none does."""
    return _presence(expected, PERCENT.search(plain(text)), "percentage")


def _presence(expected: bool, match: "regex.Match[str] | None", what: str) -> Finding:
    if match is None:
        return failed(f"has no {what}") if expected else passed()
    return passed(f"has {quote(match.group())}") if expected else failed(f"has the {what} {quote(match.group())}")
