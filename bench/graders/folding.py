"""Folding: when two texts count as the same, and no further.

What is folded, all of it: letter case (full: ß is ss), compatibility forms (NFKC: wide letters, ligatures, no-break
spaces), composed and decomposed letters, white space in runs, characters without width, and typographic apostrophes,
quotes and dashes. Accents stay, scripts stay, digits of other scripts stay what they are.
"""

import unicodedata
from functools import lru_cache
from typing import Any

_UNSEEN = (
    "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
_DROPPED = dict.fromkeys(map(ord, _UNSEEN))
_TYPED = {
    **dict.fromkeys(map(ord, "‘’‚‛ʼ"), "'"),
    **dict.fromkeys(map(ord, "“”„‟"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"),
}


def fold(text: str) -> str:
    """The text as comparisons see it; folding twice changes nothing."""
    if not text.isascii():
        text = unicodedata.normalize("NFD", text.translate(_DROPPED)).casefold()
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        text = unicodedata.normalize("NFKC", text.translate(_TYPED))
    return " ".join(text.casefold().split())


def as_given(text: str) -> str:
    """The text as it stands, but for white space around it and the form of composed letters (NFC)."""
    return unicodedata.normalize("NFC", text).strip()


def plain(text: str) -> str:
    """The text as amounts are read from it: compatibility forms and unseen characters gone, case and lines kept.

    Superscripts, fractions and circled digits stay as they are: 25² is not 252.
    """
    if text.isascii():
        return text
    pieces = _other_numbers().split(text.translate(_DROPPED))
    return "".join(piece if at % 2 else unicodedata.normalize("NFKC", piece) for at, piece in enumerate(pieces))


@lru_cache(maxsize=1)
def _other_numbers() -> Any:
    import regex

    return regex.compile(r"(\p{No}+)")
