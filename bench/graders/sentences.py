"""Sentences of a text in English or Bengali, with the citation marks that stand behind their stops."""

import regex

_STOP = regex.compile(r"[.!?।॥؟۔。！？…]++[\"'”’»)\]*_]*+(?=[\s\[【]|$)")
_BLOCK = regex.compile(r"\n\s*\n|\n(?=[ \t]*(?:[-*•+#|>]|\d{1,3}[.)])[ \t]?)")
_BULLET = regex.compile(r"[ \t]*(?:[-*•+#>|]+|\d{1,3}[.)])[ \t]+")
_MARK = r"[\[【][^\[\]【】\n]{0,199}[^\[\]【】\n.!?][\]】]|\([^\s()]{1,60}(?:[,;] ?[^\s()]{1,60}){0,5}\)"
_MARKS = regex.compile(rf"\s*(?:(?:{_MARK})[.,;]?\s*)+")
_TITLES = "e.g. i.e. eg. ie. vs. cf. mr. mrs. ms. dr. prof. fig. approx. dept. st. sr. jr. ref. sec. art. viz. al."
_ENDINGS = "etc. inc. ltd. co. corp. a.m. p.m. u.s. u.k. u.a.e. e.u."
_HEADS = "step part phase section point option rule chapter"
_COUNTED = "no. nos. p. pp. vol. ch. ver. rs. tk. dh. dhs."
_NEAR = 40
_HEADING = 10
"""The words that a heading has at most; a longer one says something."""
_NEVER = frozenset(_TITLES.split())
"""No sentence ends with these."""
_BEFORE_LOWER = frozenset(_ENDINGS.split())
"""None ends with these before a small letter, and with the next ones before a digit."""
_BEFORE_DIGIT = frozenset(_COUNTED.split())
_NUMBERED = frozenset(_HEADS.split())
"""`Step 1.` ends none either."""


def sentences(text: str) -> list[str]:
    """The sentences, without list marks.

    What is in brackets after a stop belongs to the sentence before it. Headings of a few words, and what ends with a
    colon, are none where a list or another paragraph follows: they stand for what they lead to.
    """
    blocks = [block.strip() for block in _BLOCK.split(text) if block.strip()]
    out: list[str] = []
    for number, block in enumerate(blocks):
        said = _of_block(_BULLET.sub("", block, count=1) if _BULLET.match(block) else block)
        if said and number + 1 < len(blocks) and _leads(block, said[-1]):
            said.pop()
        out += said
    return out


def _leads(block: str, last: str) -> bool:
    heading = block.startswith("#") and len(last.split()) <= _HEADING
    return heading or last.rstrip("*_ ").endswith(":")


def _of_block(block: str) -> list[str]:
    out, start = [], 0
    for stop in _STOP.finditer(block):
        end = stop.end()
        if end <= start or not _ends(block, stop.start(), end):
            continue
        marks = _MARKS.match(block, end)
        end = marks.end() if marks else end
        out.append(block[start:end].strip())
        start = end
    return [sentence for sentence in (*out, block[start:].strip()) if sentence]


def _ends(block: str, at: int, end: int) -> bool:
    following = block[end : end + _NEAR].lstrip()[:1]
    if block[at] != "." or "." in block[at + 1 : end]:
        quoted = end - at > 1 and block[end - 1] in "\"'”’»)"
        return not (quoted and following.islower())
    before = block[max(0, at - _NEAR) : at].split()
    word = (before[-1].lower().lstrip("(\"'“‘[*_") if before else "") + "."
    if word in _BEFORE_DIGIT and following.isdigit():
        return False
    if len(before) > 1 and before[-1].isdigit() and before[-2].lower() in _NUMBERED:
        return False
    if word in _NEVER or (len(word) == 2 and word[0].isalpha() and block[at - 1].isupper()):
        return False
    return word not in _BEFORE_LOWER or not following.islower()
