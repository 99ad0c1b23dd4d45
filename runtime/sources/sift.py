"""What is no document: error pages, scraps, and lists of headings."""

MIN_WORDS = 100
"""Fewer words than this are no material for a question that is more than a lookup."""
LONG = 300
"""An excuse has fewer words than this; a longer text is one about errors."""


def fault(text: str, title: str) -> str | None:
    """Why a text cannot be a document, or None; counts words of paragraphs, not of headings."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    if not blocks:
        return "it holds no text"
    body = [block for block in blocks if not block.startswith("#")]
    words = sum(len(block.split()) for block in body)
    said = _excuse(text, title)
    if said is not None:
        return f"it is an error page (“{said[:60]}”)"
    if not body:
        return "it holds only headings"
    if words < MIN_WORDS:
        return f"it has {words} words, and {MIN_WORDS} are needed"
    if not is_prose(" ".join(body).split()):
        return "it lists names and figures and holds no prose"
    return None


def _excuse(text: str, title: str) -> str | None:
    """The words in which a text says that it is not the one that was asked for; a long one never does."""
    if len(text.split()) >= LONG:
        return None
    from evalspec.runtime.sources.excuses import excuse  # compiling its patterns takes 8 ms

    return excuse(text, title)


def is_prose(words: list[str]) -> bool:
    """Whether at least a quarter of the words begin in lower case; where a script has no cases, always."""
    first = [word[:1] for word in words]
    lower = sum(map(str.islower, first))
    other = sum(map(str.isupper, first)) + sum(map(str.isdigit, first))
    return 4 * lower >= lower + other
