"""Whether a prompt gives its answer away: one rule for the fill, for the composer and for the gate.

Texts are compared word by word, with the signs of units (365 % is not 365). What the template says by itself in
every prompt is not counted, nor are lettered options, nor words so ordinary that they give nothing away.
"""

import re
from collections.abc import Mapping, Sequence

from evalspec.spec.plan import PlannedTemplate

_OPTION = re.compile(r"(?m)^\s*[A-H][).]\s.*$")
_PERCENT = re.compile(r"\b(?:per\s?cent|pour\s+cent|por\s+ciento|prozent)\b")
_TOKEN = re.compile(r"\d(?:[\d.,]*\d)?\w*|\w+|[%‰$€£¥°|]")
_UNITS = frozenset("%‰$€£¥°")
_VARIABLE = re.compile(r"(\{[A-Za-z_][A-Za-z0-9_]*\}|\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BREAK = "\n|\n"
"""Stands where a field is shown, so that the words before and after it are not read as one."""
_SHORT_WORD = 3
"""Letters of a word that a prompt may hold whatever it is."""
_ORDINARY = frozenset(
    word
    for line in (
        # English
        "none nothing never always both neither either true false zero one two three four five six seven eight nine",
        "ten eleven twelve",
        # French
        "aucun aucune rien jamais toujours vrai vraie faux fausse zéro",
        "deux trois quatre cinq sept huit neuf onze douze",
        # German
        "keine keiner keines nein nichts niemals immer wahr falsch null",
        "eins eine zwei drei vier fünf sechs sieben acht neun zehn zwölf",
        # Spanish
        "ninguno ninguna nada nunca siempre verdadero falso cero",
        "tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for word in line.split()
)
"""Answers of one word that a question may name without giving them away: yes and no in their forms, small numbers."""


def gives_away(answer: str, prompt: str, fixed: str = "") -> bool:
    """Whether `answer` stands in `prompt` more often than in `fixed`, the words that its template has by itself."""
    wanted = _tokens(answer)
    if not wanted or (len(wanted) == 1 and _ordinary(wanted[0])):
        return False
    flat = prompt.casefold()
    if any(word not in flat for word in wanted if word not in _UNITS):
        return False
    there = _count(wanted, _tokens(_OPTION.sub("", prompt)))
    return there > 0 and there > _count(wanted, _tokens(_OPTION.sub("", fixed)))


def fixed_words(template: PlannedTemplate, values: Mapping[str, str]) -> str:
    """The text of a template's prompt without its fields; `values` are those of the slot, by name."""
    shown = (template.system_prompt, template.user_message_template)
    return _BREAK.join(_without_fields(text, values) for text in shown)


def _without_fields(text: str, values: Mapping[str, str]) -> str:
    parts = _VARIABLE.split(text)
    for at in range(1, len(parts), 2):
        named = [] if parts[at].startswith(("{%", "{#")) else _NAME.findall(parts[at])
        parts[at] = next((values[name] for name in named if name in values), _BREAK if named else "")
    return "".join(parts)


def _ordinary(word: str) -> bool:
    return (word.isalpha() and len(word) <= _SHORT_WORD) or word in _ORDINARY


def _tokens(text: str) -> Sequence[str]:
    return tuple(_TOKEN.findall(_PERCENT.sub("%", text.casefold())))


def _count(wanted: Sequence[str], text: Sequence[str]) -> int:
    """How often `wanted` stands in `text` with no unit beside it that it does not name itself."""
    size, last = len(wanted), len(text)
    return sum(
        1
        for at in range(last - size + 1)
        if text[at] == wanted[0]
        and text[at : at + size] == wanted
        and not (wanted[0][:1].isdigit() and at and text[at - 1] in _UNITS)
        and not (wanted[-1][:1].isdigit() and at + size < last and text[at + size] in _UNITS)
    )
