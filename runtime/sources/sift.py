"""What is no document: error pages, scraps, and lists of headings."""

import re

MIN_WORDS = 100
"""Fewer words than this are no material for a question that is more than a lookup."""

_ERROR = re.compile(
    r"\b(?:error\s+)?(?:40[0-9]|41[0-9]|42[0-9]|50[0-9])\b.{0,20}\b(?:error|not found|forbidden|denied|unavailable"
    r"|unauthorized|gateway|too many|bad request|server)"
    r"|\b(?:page|file|document|resource)\b.{0,20}\b(?:not found|cannot be found|could not be found|does not exist)"
    r"|\baccess (?:is |was |has been )?denied\b|\bforbidden\b|\bservice (?:is )?(?:temporarily )?unavailable\b"
    r"|\bbad gateway\b|\bjust a moment\b|\battention required\b|\bverify (?:that )?you are (?:a )?human\b"
    r"|\bare you a robot\b|\benable javascript\b|\brequest (?:rate )?(?:threshold exceeded|blocked)\b"
    r"|\btoo many requests\b|\bundeclared automated tool\b|\binternal server error\b|\bpage introuvable\b"
    r"|\baccès refusé\b",
    re.IGNORECASE,
)
_SHORT = 300
"""An error page with more words than this is taken for a page about errors."""


def fault(text: str, title: str) -> str | None:
    """Why a text cannot be a document, or None; counts words of paragraphs, not of headings."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    if not blocks:
        return "it holds no text"
    body = [block for block in blocks if not block.startswith("#")]
    words = sum(len(block.split()) for block in body)
    if words < _SHORT:
        head = " ".join([title, *text.split()[:40]])
        match = _ERROR.search(head)
        if match:
            return f"it is an error page (“{' '.join(match[0].split())}”)"
    if not body:
        return "it holds only headings"
    if words < MIN_WORDS:
        return f"it has {words} words, and {MIN_WORDS} are needed"
    if not is_prose(" ".join(body).split()):
        return "it lists names and figures and holds no prose"
    return None


def is_prose(words: list[str]) -> bool:
    """Whether at least a quarter of the words begin in lower case; where a script has no cases, always."""
    first = [word[:1] for word in words]
    lower = sum(map(str.islower, first))
    other = sum(map(str.isupper, first)) + sum(map(str.isdigit, first))
    return 4 * lower >= lower + other
