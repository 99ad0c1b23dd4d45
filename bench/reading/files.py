"""The files of a suite: bytes within bounds, and YAML and JSON documents with places."""

import stat
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from evalspec.bench.reading.gathered import Gathered
from evalspec.bench.reading.jsonscan import JsonError, scan
from evalspec.bench.reading.parts import Opened, Part
from evalspec.compiler.document import Document, build
from evalspec.compiler.rules import es001_file_unreadable, es002_file_too_large, es003_not_utf8, es008_file_empty
from evalspec.compiler.rules.es107_ambiguous_scalar import ambiguous
from evalspec.compiler.sourcemap import SourceMap, TextLines
from evalspec.compiler.tree import Node, TreeError, parse_tree
from evalspec.spec.diagnostic import Diagnostic, Related, found
from evalspec.spec.source import Place

MAX_DOCUMENT = 4 << 20
"""The largest YAML or JSON file that is read, in bytes."""
MAX_LINES = 1 << 30
"""The largest JSONL or Parquet file that is read, in bytes."""
YAML = (".yaml", ".yml")


def size_fault(path: Path, name: str, limit: int) -> Diagnostic | None:
    """What keeps a file from being read before it is opened; None where nothing does."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError | ValueError):
            return found("ES701", f"there is no {name}", Place(name), hint="give a file or a folder that is there")
        return es001_file_unreadable.unreadable(name, error)
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        return found("ES001", f"{name} is {what}", Place(name))
    return es002_file_too_large.too_large(name, status.st_size, limit) if status.st_size > limit else None


def read_text(path: Path, name: str, gathered: Gathered) -> str | None:
    """The text of a file, its digest noted; None with a finding."""
    if fault := size_fault(path, name, MAX_DOCUMENT):
        gathered.add(fault)
        return None
    try:
        data = path.read_bytes()
    except OSError as error:
        gathered.add(es001_file_unreadable.unreadable(name, error))
        return None
    gathered.files[name] = sha256(data).hexdigest()
    text = es003_not_utf8.decoded(name, data)
    if isinstance(text, Diagnostic):
        gathered.add(text)
        return None
    return text


def read_document(path: Path, name: str, gathered: Gathered) -> Part | None:
    """The document of a YAML or JSON file, by its suffix; None with a finding."""
    text = read_text(path, name, gathered)
    if text is None:
        return None
    document = _parsed(name, text, path.suffix.lower() in YAML, gathered)
    if document is None:
        return None
    places = SourceMap((document,))
    gathered.add(*findings_of(document, places), *_ambiguous(document, places))
    return Part(document.data, Opened(document, places))


def _parsed(name: str, text: str, yaml: bool, gathered: Gathered) -> Document | None:
    root: Node | None
    try:
        root = parse_tree(text) if yaml else (scan(text) if text.strip() else None)
        document = None if root is None else build(name, text, root)
    except TreeError as error:
        place = TextLines(name, text).place(error.offset, error.offset + 1)
        gathered.add(found(error.code, error.message, place, hint=error.hint))
        return None
    except JsonError as error:
        place = TextLines(name, text).place(error.offset, error.offset + 1)
        gathered.add(found("ES702", error.message, place, hint=error.hint))
        return None
    if document is None or document.data is None:
        gathered.add(es008_file_empty.empty(name, text))
        return None
    return document


def findings_of(document: Document, places: SourceMap, down: int = 0) -> list[Diagnostic]:
    """What the tree of a document shows on its own: keys that stand twice, tags. `down` lines are added."""
    lines = places.lines(document.file)
    out = []
    for finding in document.findings:
        related = []
        if finding.related is not None:
            start, end, label = finding.related
            related.append(Related(_down(lines.place(start, end, finding.path), down), label))
        place = _down(lines.place(finding.start, finding.end, finding.path), down)
        out.append(found(finding.code, finding.message, place, hint=finding.hint, related=related))
    return out


def _ambiguous(document: Document, places: SourceMap) -> list[Diagnostic]:
    """Plain values that other readers of YAML take for something else."""
    lines = places.lines(document.file)
    return [ambiguous(leaf.text, what, lines.place(leaf.start, leaf.end, at)) for at, leaf, what in document.ambiguous]


def _down(place: Place, lines: int) -> Place:
    return replace(place, line=place.line + lines, end_line=place.end_line + lines)
