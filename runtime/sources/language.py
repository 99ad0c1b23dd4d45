"""Which language a text is in, by its commonest words."""

import re
from collections import Counter

_WORDS = {
    "en": "the of and to in is that for it with as be by on are this or from at an which not have was were has their "
    "its will may shall any such you your can if",
    "fr": "le la les des et du une est que pour dans qui par sur au aux ce cette avec sont pas plus ou être il elle "
    "nous vous leur ses en un se son",
    "es": "el la los las de y en que del un una por con para es se no su al lo como más o pero sus si este esta",
    "de": "der die und das von den zu mit ist des für auf nicht im ein eine dem sich auch als werden bei oder wird "
    "sind einer sie wenn nach",
    "it": "il di e che la per un una del della non con sono è le dei nel alla si da come più anche gli ai delle",
    "pt": "o de e que do da em um uma para com não os no se na por mais as dos das ao é ou sua seu",
    "nl": "de het een en van dat op te zijn voor met die niet aan er om ook als door naar bij of worden wordt u uw",
}
_SETS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
NAMES = {
    "en": "English",
    "fr": "French",
    "es": "Spanish",
    "de": "German",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
}
_WORD = re.compile(r"[^\W\d_]+")
FEWEST = 0.06
"""The least share of its commonest words that prose of a language has; running English has about 0.4."""


def foreign(text: str, language: str, *, surely: bool = False) -> str | None:
    """Why a text is not in `language` (a BCP 47 tag), or None; None too for a language without a word list.

    With `surely` only a text that is plainly in another known language is refused.
    """
    primary = language.partition("-")[0].lower()
    if primary not in _SETS:
        return None
    words = _WORD.findall(text[:200_000].lower())
    if not words:
        return None
    counts = Counter(words)
    shares = {name: sum(counts[word] for word in counts.keys() & common) / len(words) for name, common in _SETS.items()}
    likeliest = max(shares, key=lambda name: shares[name])
    if likeliest != primary and shares[likeliest] > 0.1 and shares[likeliest] > 1.4 * shares[primary]:
        return f"it is in {NAMES[likeliest]} and not in {NAMES[primary]}"
    if not surely and shares[primary] < FEWEST:
        return f"it is not in {NAMES[primary]}"
    return None
