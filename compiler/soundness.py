"""Jinja that needs no parse to be found sound: plain printing, and branching on names that are known."""

import re

from evalspec.spec.sandbox import FILTERS

_BLOCK = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#", re.DOTALL)
_OPENING = re.compile(r"\{[{%#]")
_PRINT = re.compile(r"\{\{ *([A-Za-z_]\w*)((?: *\| *[a-z]+)*) *\}\}")
_BRANCH = re.compile(r"""\{% *(if|elif) +(?:not +)?([A-Za-z_]\w*)(?: *[=!]= *(?:'[\w .,-]*'|"[\w .,-]*"))? *%\}""")
_REST = re.compile(r"\{% *(else|endif) *%\}")
_KEYWORDS = frozenset(
    {
        "and",
        "or",
        "not",
        "in",
        "is",
        "if",
        "else",
        "elif",
        "endif",
        "true",
        "false",
        "none",
        "True",
        "False",
        "None",
        "loop",
        "self",
    }
)


def without_sound_jinja(text: str, names: frozenset[str]) -> str:
    """The text with spaces in place of its Jinja, where that is plain printing and branching on known names.

    Most texts that use Jinja are of this kind, and need no parse to be found sound. Any other text comes back as
    it is.
    """
    if not _OPENING.search(text):
        return text
    branches: list[bool] = []  # for each open if whether its else was seen
    for block in _BLOCK.finditer(text):
        joined = text.endswith("{", 0, block.start())  # Jinja reads `{{%` as `{{` and a stray %
        if joined or not _sound(block[0], names, branches):
            return text
    blank = _BLOCK.sub(lambda block: " " * len(block[0]), text)
    return text if branches or _OPENING.search(blank) else blank


def _sound(block: str, names: frozenset[str], branches: list[bool]) -> bool:
    if match := _PRINT.fullmatch(block):
        filters = {name.strip() for name in match[2].split("|")[1:]}
        return match[1] in names and match[1] not in _KEYWORDS and filters <= FILTERS.keys()
    if match := _BRANCH.fullmatch(block):
        if match[1] == "if":
            branches.append(False)
        return match[2] in names and match[2] not in _KEYWORDS and bool(branches) and not branches[-1]
    if (match := _REST.fullmatch(block)) is None or not branches:
        return False
    if match[1] == "endif":
        branches.pop()
        return True
    seen, branches[-1] = branches[-1], True
    return not seen
