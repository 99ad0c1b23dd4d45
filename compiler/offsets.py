"""From a character of a scalar's value to the character of the file that it was written with."""

import re

from evalspec.compiler.tree import Leaf

_PROPERTIES = re.compile(r"(?:[&!][^\s]*(?:\s+|$))+")
_LINE = re.compile(r"([^\r\n\x85]*)(\r\n|\r|\n|\x85|\Z)")
_ESCAPES = {"x": 2, "u": 4, "U": 8}
Mapped = tuple[str, list[int]]
"""A decoded value, and for each of its characters the offset in the raw text."""


def offsets(text: str, leaf: Leaf) -> list[int] | None:
    """For each character of the leaf's value its offset in `text`, and at the end the offset after the last.

    None where the raw text, decoded again, does not give the leaf's value: then nothing is claimed.
    """
    raw = text[leaf.start : leaf.end]
    skip = _PROPERTIES.match(raw)
    at = skip.end() if skip else 0
    raw = raw[at:]
    if leaf.style in ("|", ">"):
        found = _block(raw, leaf)
    elif leaf.style == "":
        found = _flow(raw, "", leaf.text)
    else:
        found = _flow(raw[1:-1], leaf.style, leaf.text, 1)
    if found is None:
        return None
    base = leaf.start + at
    after = found[-1] + 1 if found else 0
    return [base + offset for offset in found] + [base + after]


def _flow(raw: str, style: str, value: str, lead: int = 0) -> list[int] | None:
    """Plain and quoted scalars: lines folded, escapes read."""
    if raw == value:
        return list(range(lead, lead + len(raw)))
    out: list[str] = []
    where: list[int] = []
    at = 0
    while at < len(raw):
        size, piece, keep = _flow_piece(raw, at, style)
        if not keep:
            # the space before a line break is not part of the value
            while out and out[-1] in " \t" and raw[where[-1]] in " \t":
                out.pop()
                where.pop()
        out += piece
        where += [at] * len(piece)
        at += size
    if "".join(out) != value:
        return None
    return [lead + offset for offset in where]


def _flow_piece(raw: str, at: int, style: str) -> tuple[int, str, bool]:
    """The piece of a flow scalar at an offset: raw length, what it gives, and whether space before it stays."""
    char = raw[at]
    if char in "\r\n\x85":
        blank = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n|\x85))+[ \t]*").match(raw, at)
        assert blank is not None
        breaks = len(re.findall(r"\r\n|\r|\n|\x85", blank[0]))
        return len(blank[0]), "\n" * (breaks - 1) or " ", False
    if style == "'" and char == "'":
        return 2, "'", True
    if style == '"' and char == "\\":
        return _escape(raw, at)
    return 1, char, True


_SIMPLE = dict(zip('0abt\tnvfre "/\\N_LP', '\0\x07\x08\t\t\n\x0b\x0c\r\x1b "/\\\x85\xa0\u2028\u2029', strict=True))


def _escape(raw: str, at: int) -> tuple[int, str, bool]:
    kind = raw[at + 1 : at + 2]
    if kind in _ESCAPES:
        digits = raw[at + 2 : at + 2 + _ESCAPES[kind]]
        return 2 + len(digits), chr(int(digits, 16)), True
    if kind in _SIMPLE:
        return 2, _SIMPLE[kind], True
    joined = re.compile(r"\\(?:\r\n|\r|\n|\x85)((?:[ \t]*(?:\r\n|\r|\n|\x85))*)[ \t]*").match(raw, at)
    if joined is None:
        return 1, raw[at], True
    return len(joined[0]), "\n" * len(re.findall(r"\r\n|\r|\n|\x85", joined[1])), True


def _block(raw: str, leaf: Leaf) -> list[int] | None:
    """Literal and folded scalars: the indent that gives the value is searched for."""
    lines = [(m.start(), m[1], bool(m[2])) for m in _LINE.finditer(raw) if m[0]][1:]
    widths = {len(text) - len(text.lstrip(" ")) for _, text, _ in lines}
    first = next((len(t) - len(t.lstrip(" ")) for _, t, _ in lines if t.strip(" ")), 0)
    for indent in sorted(widths | set(range(min(first, 40) + 1)), key=lambda w: (w != first, w)):
        value, where = _unfold(lines, indent) if leaf.style == ">" else _literal(lines, indent)
        body = leaf.text.rstrip("\n")
        if value.rstrip("\n") == body:
            kept = where[: len(body)]
            ends = where[len(body) : len(leaf.text)]
            after = kept[-1] + 1 if kept else (lines[0][0] if lines else 0)
            return kept + (ends + [after] * len(leaf.text))[: len(leaf.text) - len(body)]
    return None


def _literal(lines: list[tuple[int, str, bool]], indent: int) -> Mapped:
    out: list[str] = []
    where: list[int] = []
    for start, text, _ in lines:
        body = text[indent:]
        out += [body, "\n"]
        at = start + min(indent, len(text))
        where += range(at, at + len(body) + 1)
    return "".join(out), where


def _unfold(lines: list[tuple[int, str, bool]], indent: int) -> Mapped:
    out: list[str] = []
    where: list[int] = []
    previous = ""
    blanks: list[int] = []
    for start, text, _ in lines:
        body = text[indent:]
        if not body:
            blanks.append(start)
            continue
        if previous:
            folds = previous[0] not in " \t" and body[0] not in " \t"
            glue = ([start - 1] if not blanks else []) if folds else [start - 1]
            out.append((" " if folds else "\n") * len(glue))
            where += glue
        out.append("\n" * len(blanks))
        where += blanks
        out.append(body)
        where += range(start + indent, start + indent + len(body))
        previous, blanks = body, []
    return "".join(out), where
