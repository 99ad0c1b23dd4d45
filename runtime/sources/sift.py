"""What is no document: error pages, scraps, and lists of headings."""

from evalspec.runtime.sources.excuses import excuse

MIN_WORDS = 100
"""Fewer words than this are no material for a question that is more than a lookup."""


def fault(text: str, title: str) -> str | None:
    """Why a text cannot be a document, or None; counts words of paragraphs, not of headings."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    if not blocks:
        return "it holds no text"
    body = [block for block in blocks if not block.startswith("#")]
    words = sum(len(block.split()) for block in body)
    said = excuse(text, title)
    if said is not None:
        return f"it is an error page (“{said[:60]}”)"
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
