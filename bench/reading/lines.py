"""JSONL with places: each line read at the speed of `json`, and again, exactly, where something is wrong with it.

An object that goes on over the next lines, as people print them, is read as one.
"""

import json
import re
from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from evalspec.bench.reading.files import MAX_LINES, findings_of, size_fault
from evalspec.bench.reading.gathered import Gathered
from evalspec.bench.reading.jsonscan import MAX_DEPTH, JsonError, scan
from evalspec.bench.reading.parts import Moved, Part
from evalspec.compiler.document import Document, build
from evalspec.compiler.rules import es001_file_unreadable
from evalspec.compiler.sourcemap import TextLines
from evalspec.compiler.tree import TreeError
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

MAX_LINE = 8 << 20
"""The longest line that is read, in bytes."""
MAX_FAULTS = 200
"""So many findings a file are reported; then its reading stops, and says so."""
MOST_LINES = 1000
"""An object goes on over so many lines at most."""
SHOWN = 400
"""Characters of a line that the place of a whole case quotes."""
_MARKS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"), (b"\x00\x00\xfe\xff", "UTF-32"))
_HALF = re.compile(r"\\u[dD][89abAB]")


class LineOrigin:
    """One line of a file, made a document when a place in it is asked for."""

    def __init__(self, file: str, number: int, text: str) -> None:
        self.file, self.number = file, number
        self.text = text.replace("\r", " ")

    @cached_property
    def document(self) -> Document:
        """The nodes of the line. Raises JsonError and TreeError where it is no JSON."""
        return build(self.file, self.text, scan(self.text))

    @cached_property
    def places(self) -> Moved:
        """Places in the file, not in the line."""
        return Moved(self.document, self.number)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that holds an object, and its number from 1."""

    number: int
    part: Part
    place: Place
    """Of the line as a whole."""


def whole_line(file: str, number: int, text: str) -> Place:
    """The place of a line from its first character; of several lines, of the first."""
    shown = text.partition("\n")[0][:SHOWN]
    start = len(shown) - len(shown.lstrip())
    return Place(file, number, start + 1, number, max(len(shown.rstrip()), start + 1) + 1, "", shown)


def read_lines(path: Path, name: str, gathered: Gathered) -> Iterator[Line]:
    """The objects of a JSONL file; what is wrong with other lines is added to `gathered`, the digest at the end."""
    if fault := size_fault(path, name, MAX_LINES):
        gathered.add(fault)
        return
    before = len(gathered.diagnostics)
    digest = sha256()
    try:
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(MAX_LINE + 1):
                number += 1
                digest.update(raw)
                if len(raw) > MAX_LINE:
                    message = f"a line of more than {MAX_LINE:,} bytes"
                    gathered.add(found("ES702", message, Place(name, number), hint="a case stands on one line"))
                    return
                more = _more(file, raw)
                digest.update(more)
                line = _read_line(raw + more, name, number, gathered)
                number += more.rstrip(b"\n").count(b"\n") + bool(more)
                if line is not None:
                    yield line
                if len(gathered.diagnostics) - before >= MAX_FAULTS:
                    gathered.add(_stopped(name, number))
                    return
    except OSError as error:
        gathered.add(es001_file_unreadable.unreadable(name, error))
        return
    gathered.files[name] = digest.hexdigest()


def _more(file: BinaryIO, raw: bytes) -> bytes:
    """The lines after `raw` that the object in it goes on over; none where they are no part of one."""
    if not raw.lstrip(b" \t\xef\xbb\xbf").startswith(b"{") or raw.rstrip()[-1:] not in (b"{", b"[", b",", b":"):
        return b""
    start, more, others = file.tell(), b"", 0
    for _ in range(MOST_LINES):
        line = file.readline(MAX_LINE + 1)
        others = others + 1 if _whole_object(line) else 0
        if not line or others > 1 or len(raw) + len(more) + len(line) > MAX_LINE:
            break  # two whole objects on end are cases of their own
        more += line
        if line.rstrip().endswith(b"}") and _whole_object(raw + more):
            return more
    file.seek(start)
    return b""


def _whole_object(raw: bytes) -> bool:
    try:
        return isinstance(json.loads(raw.removeprefix(b"\xef\xbb\xbf")), dict)
    except (ValueError, RecursionError):
        return False


def _stopped(name: str, number: int) -> Diagnostic:
    message = f"reading stopped after line {number}: {MAX_FAULTS} findings are enough to go on"
    return found("ES702", message, Place(name, number), hint="mend these, and read it again")


def _read_line(raw: bytes, name: str, number: int, gathered: Gathered) -> Line | None:
    text = _decoded(raw, name, number, gathered)
    if text is None or not text.strip(" \t"):
        return None
    origin = LineOrigin(name, number, text)
    try:
        data = _quick(text)
    except (ValueError, RecursionError):
        try:
            document = origin.document
        except JsonError as fault:
            gathered.lost += 1
            gathered.add(_located(name, number, origin.text, fault))
            return None
        except TreeError as error:
            gathered.lost += 1
            gathered.add(_located(name, number, origin.text, JsonError(error.message, error.offset)))
            return None
        data = document.data
        gathered.add(*findings_of(document, origin.places, number - 1))
    if not isinstance(data, dict):
        gathered.lost += 1
        kind = "a list" if isinstance(data, list) else f"the value {origin.text.strip()[:40]}"
        place = whole_line(name, number, origin.text)
        message = f"a line holds one object, and this one {kind}"
        gathered.add(found("ES702", message, place, hint='write {"id": ..., "input": ...}, one case a line'))
        return None
    return Line(number, Part(data, origin), whole_line(name, number, text))


def _located(name: str, number: int, text: str, fault: JsonError) -> Diagnostic:
    place = TextLines(name, text).place(fault.offset, fault.offset + 1)
    at = number + place.line - 1
    moved = Place(name, at, place.column, at, place.end_column, "", place.text)
    return found("ES702", fault.message, moved, hint=fault.hint)


def _decoded(raw: bytes, name: str, number: int, gathered: Gathered) -> str | None:
    """The text of a line without its end; None with a finding."""
    if number == 1:
        for mark, encoding in _MARKS:
            if raw.startswith(mark):
                gathered.lost += 1
                message = f"{name} is {encoding}, not UTF-8"
                gathered.add(found("ES003", message, Place(name), hint="save it as UTF-8"))
                return None
        raw = raw.removeprefix(b"\xef\xbb\xbf")
    body = raw.removesuffix(b"\n").removesuffix(b"\r")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        gathered.lost += 1
        column = len(body[: error.start].decode("utf-8", "replace")) + 1
        shown = body.decode("utf-8", "replace")
        place = Place(name, number, column, number, column + 1, "", shown)
        message = f"the line is not UTF-8: the byte 0x{body[error.start]:02X} cannot stand here"
        gathered.add(found("ES003", message, place, hint="save it as UTF-8"))
        return None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")) or len(text) > 300:
        raise ValueError(text)
    return value


def _whole(text: str) -> int:
    if len(text) > 300:
        raise ValueError(text)
    return int(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_refuse, parse_float=_finite, parse_int=_whole)


def _quick(text: str) -> Any:
    """The value of a line. Raises ValueError where it must be looked at closely."""
    if _HALF.search(text) or (text.count("{") + text.count("[") > MAX_DEPTH and _deep(text)):
        raise ValueError("look closely")
    return _DECODER.decode(text)


def _deep(text: str) -> bool:
    """Whether the brackets of a text, those in its strings included, nest too deep."""
    depth = 0
    for char in text:
        if char in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif char in "}]":
            depth -= 1
    return False
