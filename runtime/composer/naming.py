"""How a text is named in a question, by its title."""

import re
from dataclasses import dataclass

from evalspec.runtime.composer.phrasebook import Phrasebook
from evalspec.spec.language import render

_SECTION = re.compile(r"^(§+\s*[\w.-]+)\s+(.{3,})$")
_PARTS = re.compile(r"\s+[-–—|:]\s+|:\s+")
_LONGEST = 90


@dataclass(frozen=True, slots=True)
class Named:
    """A text's name in mid-sentence: `the Bank Act`, `the text “On bread”`."""

    act: str
    under: str
    """`under the Bank Act`, without a comma."""


def named(title: str, book: Phrasebook) -> Named:
    """The name of a text; one whose title is no words, such as a file's name, is `own_text`."""
    title = " ".join(title.split()).strip(" .")
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


def _wordy(title: str) -> bool:
    words = title.split()
    plain = [word for word in words if re.fullmatch(r"[^\W\d_][^\d_]*", word)]
    return len(plain) * 2 > len(words) and (len(words) > 1 or title[:1].isupper())


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST else title[:_LONGEST].rsplit(" ", 1)[0].rstrip(" ,;:-–—") + " …"
