"""Find and read the files of a spec folder: bytes to documents with places, within bounds."""

import stat
from hashlib import sha256
from pathlib import Path

from evalspec.compiler.document import Document, Finding, build
from evalspec.compiler.files import CONFIG_FILE, SOURCES_FILE, spec_files
from evalspec.compiler.rules import (
    es001_file_unreadable,
    es002_file_too_large,
    es003_not_utf8,
    es008_file_empty,
    es009_not_a_spec,
    es108_secret_in_config,
)
from evalspec.compiler.sourcemap import SourceMap, TextLines
from evalspec.compiler.tree import TreeError, parse_tree
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, Related, found

MAX_BYTES = 1 << 20
"""The largest file that is read as YAML."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The files of a spec folder as documents; a file that could not be read is None or missing, and reported."""

    folder: Path
    config: Document | None
    sources: Document | None
    templates: tuple[Document, ...]
    """Sorted by file name."""
    unread: frozenset[str]
    """Files that are there and gave no document."""
    places: SourceMap
    digests: dict[str, str]
    """Relative name to SHA-256 of the bytes, for every file that was read."""
    diagnostics: tuple[Diagnostic, ...]


def load_folder(folder: Path) -> Loaded:
    """Read the spec in `folder`, or beside a `generation_config.yaml` named in its place. Raises nothing."""
    if folder.name == CONFIG_FILE and folder.is_file():
        folder = folder.parent
    reader = _Reader(folder)
    config = sources = None
    templates: list[Document] = []
    if wrong := es009_not_a_spec.missing_parts(folder):
        reader.diagnostics += wrong
    for name in spec_files(folder):
        document = reader.read(name)
        if document is None:
            reader.unread.add(name)
        elif name == CONFIG_FILE:
            config = document
        elif name == SOURCES_FILE:
            sources = document
        else:
            templates.append(document)
    documents = tuple(d for d in (config, sources, *templates) if d is not None)
    hidden = es108_secret_in_config.hidden_texts(documents)
    places = SourceMap(documents, hidden)
    for document in documents:
        reader.diagnostics += [_located(finding, places, document.file) for finding in document.findings]
        reader.diagnostics += es108_secret_in_config.secrets_of(document, places)
    return Loaded(
        folder,
        config,
        sources,
        tuple(templates),
        frozenset(reader.unread),
        places,
        reader.digests,
        tuple(reader.diagnostics),
    )


class _Reader:
    """Reads the files of one folder and collects what is wrong with them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.diagnostics: list[Diagnostic] = []
        self.digests: dict[str, str] = {}
        self.unread: set[str] = set()

    def read(self, name: str) -> Document | None:
        """The document of a file, or None with a diagnostic."""
        data = self._bytes(name)
        if data is None:
            return None
        self.digests[name] = sha256(data).hexdigest()
        text = es003_not_utf8.decoded(name, data)
        if isinstance(text, Diagnostic):
            self.diagnostics.append(text)
            return None
        try:
            root = parse_tree(text)
            document = None if root is None else build(name, text, root)
        except TreeError as error:
            place = TextLines(name, text).place(error.offset, error.offset + 1)
            self.diagnostics.append(found(error.code, error.message, place, hint=_hint(error)))
            return None
        if document is None or document.data is None:
            self.diagnostics.append(es008_file_empty.empty(name, text))
            return None
        return document

    def _bytes(self, name: str) -> bytes | None:
        path = self.folder / name
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                self.diagnostics.append(es001_file_unreadable.no_file(name, stat.S_ISDIR(status.st_mode)))
            elif status.st_size > MAX_BYTES:
                self.diagnostics.append(es002_file_too_large.too_large(name, status.st_size, MAX_BYTES))
            else:
                return path.read_bytes()
        except OSError as error:
            self.diagnostics.append(es001_file_unreadable.unreadable(name, error))
        return None


def _hint(error: TreeError) -> str:
    return "write the values out flat, without anchors that hold anchors" if error.code == "ES005" else error.hint


def _located(finding: Finding, places: SourceMap, file: str) -> Diagnostic:
    """A finding of a document, with its place."""
    lines = places.lines(file)
    related = []
    if finding.related is not None:
        start, end, label = finding.related
        related.append(Related(lines.place(start, end, finding.path), label))
    place = lines.place(finding.start, finding.end, finding.path)
    return found(finding.code, finding.message, place, hint=finding.hint, related=related)
