"""How a text is named in a question, by its title."""

import re
from collections.abc import Mapping, Sequence

from evalspec.runtime.composer.phrasebook import Phrasebook
from evalspec.spec.dataclass import dataclass
from evalspec.spec.language import render

_SECTION = re.compile(r"^(§+\s*[\w.-]+)\s+(.{3,})$")
_PARTS = re.compile(r"\s+[-–—|:]\s+|:\s+")
_LONGEST = 90
_JOINTS = re.compile(r"[_\s]+|(?<=[^\W\d_])-(?=[^\W\d_])")
_OPENING_WORDS = 5
_TOLD = re.compile(r"(?:(?:an)?other_)?(?:ask|subject)|unsaid|setup|scenario_ask|request|sensitive_request")
"""Values that name the text, and quote nothing of it."""


@dataclass(frozen=True, slots=True)
class Named:
    """A text's name in mid-sentence: `the Bank Act`, `the text “On bread”`."""

    act: str
    under: str
    """`under the Bank Act`, without a comma."""


def named(title: str, book: Phrasebook) -> Named:
    """The name of a text; one whose title is no words, such as a file's name, is `own_text`."""
    title = _spaced(" ".join(title.split()).strip(" ."))
    names = book.names
    head = _PARTS.split(title)[0]
    section = _SECTION.match(title)
    if re.match(names.act, head) and len(head) <= _LONGEST:
        the = head if head.lower().startswith("the ") else render(names.act_name, {"name": head})
        return Named(the, render(names.under_act, {"name": the}))
    if section:
        act = render(names.section_name, {"number": section[1], "name": section[2]})
        return Named(act, render(names.under_act, {"name": act}))
    if not _wordy(title):
        return Named(book.own_text, render(names.under_other, {"name": book.own_text}))
    act = render(names.other_name, {"name": _short(title)})
    return Named(act, render(names.under_other, {"name": act}))


def name_alone(title: str, headings: Sequence[str], opening: str, book: Phrasebook) -> str | None:
    """What names an `own_text` to a reader who does not see it: its heading, else how it opens; None for others."""
    if named(title, book).act != book.own_text:
        return None
    heading = next((text.strip(" .:#") for text in headings if _wordy(text.strip(" .:#"))), "")
    words = opening.split()[:_OPENING_WORDS]
    plain = next((at for at, word in enumerate(words) if re.search(r"\d", word)), len(words))
    name = _short(heading) if heading else f"{' '.join(words[:plain])} …" if plain > 1 else ""
    return render(book.names.other_name, {"name": name}) if name else None


def standing_alone(values: Mapping[str, str], own_text: str, name: str) -> dict[str, str]:
    """The values with `name` where they say `own_text`, as a prompt without an excerpt must have them."""
    found = re.compile(rf"\b{re.escape(own_text)}\b", re.IGNORECASE)

    def put(match: re.Match[str]) -> str:
        return name[:1].upper() + name[1:] if match[0][:1].isupper() else name

    return {key: found.sub(put, text) if _TOLD.fullmatch(key) else text for key, text in values.items()}


def _spaced(title: str) -> str:
    """A file's name of plain words as a title: `refund_policy` is `Refund policy`."""
    words = [word for word in _JOINTS.split(title) if word]
    plain = all(re.fullmatch(r"[^\W\d_]{3,}", word) for word in words if len(word) > 2 or len(words) == 1)
    if " " in title or not words or not plain or not title.islower():
        return title
    return " ".join(words)[:1].upper() + " ".join(words)[1:]


def _wordy(title: str) -> bool:
    words = title.split()
    plain = [word for word in words if re.fullmatch(r"[^\W\d_][^\d_]*", word)]
    return len(plain) * 2 > len(words) and (len(words) > 1 or title[:1].isupper())


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST else title[:_LONGEST].rsplit(" ", 1)[0].rstrip(" ,;:-–—") + " …"
