"""Keys and tokens that should not stand in a spec: found by their shape, and never shown."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator

_SHAPES = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    r"sk-[A-Za-z0-9_-]{16,}"
    r"|hf_[A-Za-z0-9]{20,}"
    r"|gh[pousr]_[A-Za-z0-9]{30,}"
    r"|github_pat_[A-Za-z0-9_]{30,}"
    r"|xox[abprs]-[A-Za-z0-9-]{16,}"
    r"|AKIA[0-9A-Z]{16}"
    r"|AIza[0-9A-Za-z_-]{30,}"
    r"|gsk_[A-Za-z0-9]{20,}"
    r"|(?<=://)[^\s/:@{}\"']+:[^\s/@{}\"']{3,}(?=@)"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
    r")"
)
_TOKEN = re.compile(r"(?<![A-Za-z0-9_+/=.-])[A-Za-z0-9_+/=-]{32,}(?![A-Za-z0-9_+/=-])")
_HEX = re.compile(r"[0-9a-fA-F]{32,}")
_MIN_BITS = 3.9
"""Entropy of a character, in bits, from which a long mixed token counts as random; English words have under 3.6."""


def secrets_in(text: str) -> Iterator[tuple[int, int]]:
    """The half-open ranges of what looks like a key or token."""
    taken = -1
    for match in _SHAPES.finditer(text):
        taken = match.end()
        yield match.span()
    if len(text) < 32:
        return
    for match in _TOKEN.finditer(text):
        if match.start() >= taken and _random(match[0]):
            yield match.span()


def _random(token: str) -> bool:
    mixed = all(any(test(char) for char in token) for test in (str.isupper, str.islower, str.isdigit))
    return mixed and "/" not in token.strip("/") and _bits(token) >= _MIN_BITS


def looks_like_key(value: str) -> bool:
    """Whether the value of `api_key_env` is a key, and not the name of a variable."""
    if any(secrets_in(value)):
        return True
    if _HEX.fullmatch(value):
        return True
    mixed = any(map(str.isdigit, value)) and any(map(str.islower, value))
    return len(value) >= 20 and mixed and _bits(value) >= 3.5


def _bits(token: str) -> float:
    counts = Counter(token).values()
    return -sum(count / len(token) * math.log2(count / len(token)) for count in counts)


def masked(text: str, hidden: Iterable[str] = ()) -> str:
    """The text with each character of a secret replaced by an asterisk, so that columns stay what they are.

    Secret is what looks like it, and each text of `hidden`.
    """
    for secret in hidden:
        text = text.replace(secret, "*" * len(secret))
    for start, end in list(secrets_in(text)):
        text = text[:start] + "*" * (end - start) + text[end:]
    return text
