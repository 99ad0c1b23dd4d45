"""The passages of a spec's corpus folders, read for lint and for the digest."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path, PurePosixPath

from evalspec.compiler.files import PAGES, PASSAGES, SOURCES_FILE, corpus_files
from evalspec.compiler.model import Places
from evalspec.compiler.rules import es001_file_unreadable, es002_file_too_large, es003_not_utf8
from evalspec.compiler.rules.es404_passage_faulty import passage_faults, passage_unread
from evalspec.spec.config import SourceConfig
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.passage import Passage, PassageError, parse_passage
from evalspec.spec.source import YamlPath

MAX_BYTES = 8 << 20
"""The largest corpus file that is read."""


class CorpusReader:
    """Reads the corpus of one spec; `files`, `digests`, `diagnostics` and `lost` fill while `passages` runs.

    A folder whose path is in `lost` is passed over.
    """

    def __init__(self, folder: Path, sources: SourceConfig, places: Places) -> None:
        self.folder, self.sources, self.places = folder, sources, places
        self.digests: dict[str, str] = {}
        self.diagnostics: list[Diagnostic] = []
        self.lost: set[YamlPath] = set()
        self.files: list[str] = []

    def passages(self) -> Iterator[tuple[str, Passage]]:
        """Relative path and passage of every text and Markdown file, in the order of folders and names."""
        if not self.sources.corpus.enabled:
            return
        for index, entry in enumerate(self.sources.corpus.folders):
            for name, path in self._files(entry.path, index):
                if name in self.digests:
                    continue
                data = self._bytes(name, path)
                if data is None:
                    continue
                self.digests[name] = sha256(data).hexdigest()
                passage = self._passage(name, data) if path.suffix.lower() in PASSAGES else None
                if passage is not None:
                    yield name, passage
                if passage is not None or path.suffix.lower() in PAGES:
                    self.files.append(name)
                else:
                    self.lost.add(("corpus", "folders", index, "path"))

    def _files(self, written: str, index: int) -> list[tuple[str, Path]]:
        root = self.folder / written
        if ("corpus", "folders", index, "path") in self.lost:
            return []
        try:
            if not root.is_dir():
                raise NotADirectoryError(20, "it is not a folder" if root.exists() else "it is not there")
            found = corpus_files(root)
        except (OSError, ValueError) as error:
            path: YamlPath = ("corpus", "folders", index, "path")
            place = self.places.place_of(SOURCES_FILE, path)
            self.lost.add(path)
            reason = getattr(error, "strerror", None) or "it is no path"
            self.diagnostics.append(es001_file_unreadable.corpus_folder_missing(written, reason, place))
            return []
        base = PurePosixPath(written)
        return [((base / name).as_posix(), path) for name, path in found]

    def _bytes(self, name: str, path: Path) -> bytes | None:
        try:
            size = path.stat().st_size
            if size > MAX_BYTES:
                self.diagnostics.append(es002_file_too_large.too_large(name, size, MAX_BYTES))
                return None
            return path.read_bytes()
        except OSError as error:
            self.diagnostics.append(es001_file_unreadable.unreadable(name, error))
            return None

    def _passage(self, name: str, data: bytes) -> Passage | None:
        text = es003_not_utf8.decoded(name, data)
        if isinstance(text, Diagnostic):
            self.diagnostics.append(text)
            return None
        try:
            passage = parse_passage(text, PurePosixPath(name).stem)
        except (PassageError, ValueError) as error:
            self.diagnostics.append(passage_unread(name, text, str(error)))
            return None
        self.diagnostics += passage_faults(name, text, passage)
        return passage
