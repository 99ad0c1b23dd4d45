"""Comments that set a finding aside: `# evalspec: ignore ES315 -- reason`, on its line or the line above."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace

from evalspec.compiler.document import Document
from evalspec.compiler.secrets import masked
from evalspec.compiler.sourcemap import SourceMap
from evalspec.compiler.tree import Leaf
from evalspec.spec.codes import CODES
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, Severity, found
from evalspec.spec.source import Place, render_path

_COMMENT = re.compile(r"#[ \t]*evalspec:[ \t]*ignore\b([^\r\n]*)")
_CODE = re.compile(r"\bES\d{3}\b", re.IGNORECASE)
_REASON = re.compile("--+|[\u2013\u2014]")
_ERRORS = frozenset({"ES108", "ES301", "ES402"})
"""Errors that may be silenced all the same: a plan can be made with them."""
_NOT_OURS = frozenset({"ES209"})
"""Found after the front end, so that nothing can be said here about whether a comment is used."""


@dataclass(frozen=True, slots=True)
class Ignore:
    """One code in one comment, and the line that it is about."""

    code: str
    place: Place
    lines: tuple[int, ...]


def may_be_silenced(code: str) -> bool:
    """Whether a comment can set a code aside: what keeps a plan from being made cannot be."""
    info = CODES.get(code)
    if info is None or code.startswith("ES0"):
        return False
    return info.severity != Severity.ERROR or code in _ERRORS


def silenced(diagnostics: Iterable[Diagnostic], places: SourceMap) -> list[Diagnostic]:
    """The diagnostics that may be shown: those that no comment sets aside, and those about comments (ES010, ES011).

    Secrets are out of their words; places are masked where they are made.
    """
    return [_masked(diagnostic, places.hidden) for diagnostic in _standing(diagnostics, places)]


def _masked(diagnostic: Diagnostic, hidden: frozenset[str]) -> Diagnostic:
    message, hint = masked(diagnostic.message, hidden), masked(diagnostic.hint, hidden)
    if (message, hint) == (diagnostic.message, diagnostic.hint):
        return diagnostic
    return replace(diagnostic, message=message, hint=hint)


def _standing(diagnostics: Iterable[Diagnostic], places: SourceMap) -> list[Diagnostic]:
    ignores: list[Ignore] = []
    own: list[Diagnostic] = []
    for document in places.documents.values():
        if "evalspec:" in document.text:
            more, wrong = _comments(document, places)
            ignores += more
            own += wrong
    if not ignores:
        return [*diagnostics, *own]
    used: set[Ignore] = set()
    kept = []
    keys = _key_lines({i.place.file for i in ignores}, places)
    by_code: dict[tuple[str, str], list[Ignore]] = {}
    for ignore in ignores:
        by_code.setdefault((ignore.place.file, ignore.code), []).append(ignore)
    for diagnostic in diagnostics:
        near = by_code.get((diagnostic.place.file, diagnostic.code), [])
        matching = [ignore for ignore in near if _covers(ignore, diagnostic, keys)]
        used.update(matching)
        if not matching:
            kept.append(diagnostic)
    unused = [i for i in ignores if i not in used and i.code not in _NOT_OURS]
    return [*kept, *own, *(_unused(ignore) for ignore in unused)]


def _covers(ignore: Ignore, diagnostic: Diagnostic, keys: dict[tuple[str, str], int]) -> bool:
    place = diagnostic.place
    here = place.line in ignore.lines or keys.get((place.file, place.path), -1) in ignore.lines
    return here and (may_be_silenced(ignore.code) or diagnostic.severity != Severity.ERROR)


def _key_lines(files: set[str], places: SourceMap) -> dict[tuple[str, str], int]:
    """The line of each key, for findings inside the block that the key opens."""
    out = {}
    for file in files:
        lines = places.lines(file)
        for path, leaf in places.documents[file].keys.items():
            out[(file, render_path(path))] = lines.position(leaf.start)[0]
    return out


def _comments(document: Document, places: SourceMap) -> tuple[list[Ignore], list[Diagnostic]]:
    ignores: list[Ignore] = []
    wrong: list[Diagnostic] = []
    lines = places.lines(document.file)
    texts = sorted((n.start, n.end) for n in document.nodes.values() if isinstance(n, Leaf))
    for match in _COMMENT.finditer(document.text):
        before = bisect_right(texts, (match.start(), len(document.text))) - 1
        if before >= 0 and match.start() < texts[before][1]:
            continue
        place = lines.place(match.start(), match.end())
        codes, *reason = _REASON.split(match[1], maxsplit=1)
        names = [name.upper() for name in _CODE.findall(codes)]
        if not names or not "".join(reason).strip():
            wrong.append(_without(names, place))
            continue
        number = place.line
        alone = lines.line(number).lstrip().startswith("#")
        covered = (number, _next_line(document, lines.starts, number)) if alone else (number,)
        ignores += [Ignore(name, place, covered) for name in dict.fromkeys(names)]
    return ignores, wrong


def _next_line(document: Document, starts: list[int], number: int) -> int:
    """The next line that is not a comment, so that several comments may stand above one line."""
    while number < len(starts):
        number += 1
        end = starts[number] if number < len(starts) else len(document.text)
        if not document.text[starts[number - 1] : end].lstrip().startswith("#"):
            break
    return number


def _without(names: list[str], place: Place) -> Diagnostic:
    if not names:
        return found("ES010", "the comment names no code", place, hint="# evalspec: ignore ES315 -- reason")
    message = f"the comment silences {', '.join(names)} and gives no reason"
    return found("ES010", message, place, hint=f"# evalspec: ignore {', '.join(names)} -- reason")


def _unused(ignore: Ignore) -> Diagnostic:
    if ignore.code not in CODES:
        message = f"{ignore.code} is no code"
    elif not may_be_silenced(ignore.code):
        message = f"{ignore.code} cannot be silenced: it must be mended before a plan can be made"
    else:
        message = f"{ignore.code} was not found here"
    return found("ES011", message, ignore.place, hint="remove the comment")
