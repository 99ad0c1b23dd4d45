"""The facts of a prompt that tell it from a prompt in nearly the same words: the rule `dedup.facts_distinguish`.

Two prompts may agree in all words but one, and ask two things: "the 2023 limit" and "the 2024 limit", "may" and
"may not". So texts are compared by the figures (dates and amounts are figures), number words, months, negations and
jurisdictions that stand in them, each as often as it stands there. The word lists are English and French.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

Facts = tuple[str, ...]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NUMBER_WORDS = _words("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million
    billion half third quarter twice first second fourth fifth sixth seventh eighth ninth tenth double triple
    deux trois quatre cinq sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante
    cinquante soixante cent cents mille milliard moitie tiers quart premier premiere deuxieme troisieme
""")
_MONTHS = _words("""
    january february march april june july august september october november december janvier fevrier mars avril
    juin juillet aout septembre octobre novembre decembre
""")
_NEGATIONS = _words("""
    not no never none nor neither without cannot nobody nothing nowhere except unless ne pas jamais aucun aucune
    sans ni sauf
""")
_PLACES = _words("""
    canada canadian canadians canadien canadienne canadiens us usa american americans america americain
    americaine federal provincial provinces states british britain uk england scotland wales ireland irish eu
    european europe france french francais francaise belgium belgian suisse switzerland swiss germany german
    italy italian spain spanish japan japanese china chinese india indian australia australian mexico mexican
    brazil brazilian quebec quebecois ontario alberta manitoba saskatchewan newfoundland labrador yukon nunavut
    alaska alabama arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho
    illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi
    missouri montana nebraska nevada hampshire jersey york carolina dakota ohio oklahoma oregon pennsylvania
    tennessee texas utah vermont virginia washington wisconsin wyoming
""")
_NUMBER = re.compile(r"\d+(?:[.,\u00a0\u202f ]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d)[,\u00a0\u202f ](?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ACRONYM = re.compile(r"\b(?:[A-Z]\.){2,}|\b[A-Z]{2,}\b")
_UNITS = re.compile(r"[%$€£¥]")


def facts_of(text: str, names: Iterable[str] = ()) -> Facts:
    """The facts of one text, sorted; `names` are further words that tell jurisdictions apart, in lower case.

    Acronyms are the names of institutions and regimes; a text that is all in capitals has none.
    """
    jurisdictions = _PLACES | frozenset(names)
    found = [f"#{_THOUSANDS.sub('', match).replace(',', '.')}" for match in _NUMBER.findall(text)]
    found += _UNITS.findall(text)
    if sum(letter.isupper() for letter in text) * 2 < sum(letter.isalpha() for letter in text):
        found += [f"^{match.replace('.', '')}" for match in _ACRONYM.findall(text)]
    for word in _WORD.findall(_plain(text)):
        if word in _NEGATIONS or word.endswith(("n't", "n’t")):
            found.append("not")
        elif word in _NUMBER_WORDS or word in _MONTHS or word in jurisdictions:
            found.append(word)
    return tuple(sorted(found))


def jurisdiction_names(labels: Iterable[str]) -> tuple[str, ...]:
    """The words of the labels of a plan's geographies; short words tell nothing."""
    return tuple(sorted({word for label in labels for word in _WORD.findall(_plain(label)) if len(word) > 3}))


def numbered(texts: Sequence[str], names: Iterable[str] = ()) -> list[int]:
    """A number for each text, equal where the facts are equal."""
    known: dict[Facts, int] = {}
    words = tuple(names)
    return [known.setdefault(facts_of(text, words), len(known)) for text in texts]


def _plain(text: str) -> str:
    """Lower case, accents off."""
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
