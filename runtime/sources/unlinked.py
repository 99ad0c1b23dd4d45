"""Text without the addresses of pages and people: a dataset leads nobody past the licence of its source."""

import re

ADDRESS = re.compile(
    r"\b(?:https?|ftp)://\S+|\bwww\.[^\s.]+\.\S+|\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}\b", re.IGNORECASE
)
_MARKS = ("@", "://", "www.")
_SENTENCE_END = re.compile(r"(?<=[.!?;])[\"'”’)\]]*\s+(?=\S)")


def address_in(text: str) -> str | None:
    """The first address of a text; its marks are looked for first, since nearly every text holds none."""
    lower = text.lower()
    if not any(mark in lower for mark in _MARKS):
        return None
    match = ADDRESS.search(text)
    return match[0] if match else None


def unlinked(text: str) -> str:
    """The text without the sentences that hold an address; paragraphs and lines that were only that are gone."""
    if address_in(text) is None:
        return text
    blocks = ("\n".join(filter(None, map(_line, block.split("\n")))) for block in text.split("\n\n"))
    return "\n\n".join(block for block in blocks if block.strip("#-| \n"))


def _line(line: str) -> str:
    if address_in(line) is None:
        return line
    kept = []
    start = 0
    for end in (*(match.end() for match in _SENTENCE_END.finditer(line)), len(line)):
        if not ADDRESS.search(line[start:end]):
            kept.append(line[start:end])
        start = end
    return "".join(kept).rstrip()
