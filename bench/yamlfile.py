"""One YAML file of settings, read with places by the compiler's reader."""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from evalspec.compiler.document import Document, build
from evalspec.compiler.load import MAX_BYTES
from evalspec.compiler.rules import (
    es001_file_unreadable,
    es002_file_too_large,
    es003_not_utf8,
    es008_file_empty,
    es108_secret_in_config,
)
from evalspec.compiler.sourcemap import SourceMap, TextLines
from evalspec.compiler.tree import TreeError, parse_tree
from evalspec.compiler.typed import typed
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, Related, found, has_errors
from evalspec.spec.model import Model

M = TypeVar("M", bound=Model)
Hidden = Callable[[Document], frozenset[str]]


@dataclass(frozen=True, slots=True)
class YamlFile:
    """A file as a document, with the places of its values; `diagnostics` are of the YAML alone."""

    document: Document
    places: SourceMap
    diagnostics: tuple[Diagnostic, ...]

    def typed(self, model: type[M]) -> tuple[M | None, list[Diagnostic]]:
        """The file as a model, or None, and everything that is wrong with it."""
        instance, refused, _ = typed(self.document, model, self.places)
        everything = [*self.diagnostics, *refused]
        return (None if has_errors(everything) else instance), everything


def read_yaml(path: Path, name: str, hidden: Hidden = lambda _document: frozenset()) -> YamlFile | Diagnostic:
    """The document of a file, which diagnostics call `name`, or the finding that it holds none.

    Texts that `hidden` gives are keys, and shown in no place.
    """
    data = _bytes(path, name)
    if isinstance(data, Diagnostic):
        return data
    text = es003_not_utf8.decoded(name, data)
    if isinstance(text, Diagnostic):
        return text
    try:
        root = parse_tree(text)
        document = None if root is None else build(name, text, root)
    except TreeError as error:
        place = TextLines(name, text).place(error.offset, error.offset + 1)
        return found(error.code, error.message, place, hint=error.hint)
    if document is None or document.data is None:
        return es008_file_empty.empty(name, text)
    places = SourceMap((document,), hidden(document))
    return YamlFile(document, places, tuple(_findings(document, places)))


def _bytes(path: Path, name: str) -> bytes | Diagnostic:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return es001_file_unreadable.no_file(name, stat.S_ISDIR(status.st_mode))
        if status.st_size > MAX_BYTES:
            return es002_file_too_large.too_large(name, status.st_size, MAX_BYTES)
        return path.read_bytes()
    except (OSError, ValueError) as error:
        return es001_file_unreadable.unreadable(name, error if isinstance(error, OSError) else OSError(str(error)))


def _findings(document: Document, places: SourceMap) -> list[Diagnostic]:
    lines = places.lines(document.file)
    out = []
    for finding in document.findings:
        related = []
        if finding.related is not None:
            start, end, label = finding.related
            related.append(Related(lines.place(start, end, finding.path), label))
        place = lines.place(finding.start, finding.end, finding.path)
        out.append(found(finding.code, finding.message, place, hint=finding.hint, related=related))
    return out + list(es108_secret_in_config.secrets_of(document, places))
