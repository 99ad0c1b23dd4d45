"""What the YAML reader could not read, in words for people: where the fault lies, what it is, and what to write."""

import re

from ruamel.yaml.error import MarkedYAMLError

from evalspec.spec.dataclass import dataclass

_START = "a text that begins with {0} needs quotes, or a block (|)"
_COLON = "a text that holds a colon needs quotes, or a block (|); a key stands in line with the keys beside it"


@dataclass(frozen=True, slots=True)
class Unread:
    """A message, a hint, and the offset that they are about."""

    message: str
    hint: str
    offset: int


_Words = tuple[re.Pattern[str], str, str, bool]
"""What the reader says, the message and hint for it, and whether the fault lies where it began to look."""


def _words(said: str, message: str, hint: str, *, at_start: bool = False) -> _Words:
    return re.compile(said, re.DOTALL), message, hint, at_start


_TABLE: tuple[_Words, ...] = (
    _words("could not find expected ':'", "a key without a colon and a space behind it", "write `key: value`; the "
           "lines of a block (|) are indented further than its key", at_start=True),
    _words("mapping values are not allowed", "a colon stands where no key can be", _COLON),
    _words("quoted scalar.*found unexpected (?:end of stream|document)", "the quote that opens here is not closed",
           "close it; a quote inside a text in double quotes is written \\\"", at_start=True),
    _words("flow (?:sequence|mapping).*(?:expected|got|did not find)", "the bracket that opens here is not closed, or "
           "lacks a comma between two entries", "close it, and put a comma between entries", at_start=True),
    _words(r"character '\\t' that cannot start", "a tab stands in the indent", "indent with spaces"),
    _words(r"character '(.)' that cannot start", "a plain text cannot begin with {0}", _START),
    _words("block mapping.*found '<scalar>'", "text stands behind what ended before it", "put quotes around the whole "
           "text, or write it as a block (|)"),
    _words("block (?:mapping|collection).*found '(?:<block mapping start>|<block sequence start>|-|\\?)'",
           "this line is indented unlike those before it", "put it in line with the keys or dashes that it belongs to"),
    _words("block mapping.*expected <block end>", "this line is indented unlike those before it", "put it in line with "
           "the keys that it belongs to"),
    _words("mapping keys are not allowed", "a plain text cannot begin with ? and a space", _START.format("?")),
    _words("sequence entries are not allowed", "a list cannot begin on the line of its key", "begin it on the next "
           "line; a text that begins with - needs quotes"),
    _words("escape sequence|unknown escape character", "a backslash in double quotes begins an escape, and this is "
           "none", "write \\\\ for a backslash, or use single quotes"),
    _words("anchor|alias", "this is no name of an anchor or alias", _START.format("& or *")),
)  # fmt: skip


def unread(error: MarkedYAMLError) -> Unread:
    """What an error of the reader says; the reader's own words where no others are known."""
    said = " ".join(part for part in (error.context, error.problem) if part)
    for pattern, message, hint, at_start in _TABLE:
        if match := pattern.search(said):
            mark = (error.context_mark if at_start else None) or error.problem_mark or error.context_mark
            return Unread(message.format(*match.groups()), hint.format(*match.groups()), mark.index if mark else 0)
    mark = error.problem_mark or error.context_mark
    return Unread(said or "not YAML", "", mark.index if mark else 0)
