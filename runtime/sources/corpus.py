"""Folders of text, Markdown and HTML files."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from evalspec.runtime.sources import Document, Skipped
from evalspec.runtime.sources.cache import TextCache
from evalspec.runtime.sources.decode import DecodeError, decode
from evalspec.runtime.sources.language import foreign
from evalspec.runtime.sources.sift import fault
from evalspec.runtime.sources.unlinked import unlinked
from evalspec.spec.config import CorpusFolder
from evalspec.spec.passage import FENCE, FrontMatter, Passage, PassageError, faults, parse_passage

MAX_BYTES = 20_000_000
"""A larger file is skipped."""
_TEXT = {".txt", ".md", ".markdown"}
_MARKUP = {".html", ".htm", ".xhtml"}


class CorpusSource:
    """The files under one folder of the plan, in the order of their names."""

    def __init__(self, root: Path, entry: CorpusFolder, language: str = "", origin: str = "") -> None:
        self._root = root
        self._entry = entry
        self._language = language
        self._origin = origin
        self._cache = TextCache(root / "data" / "raw")

    def documents(self) -> Iterator[Document | Skipped]:
        """Every file once; what cannot be used is given as skipped."""
        folder = self._root / self._entry.path
        if not folder.is_dir():
            yield self._unused("there is no such folder")
            return
        others: Counter[str] = Counter()
        found = 0
        shut: list[OSError] = []
        for path in _files(folder, shut.append):
            suffix = path.suffix.lower()
            if suffix not in _TEXT | _MARKUP:
                others[suffix or path.name] += 1
                continue
            found += 1
            yield from self._document(path, markup=suffix in _MARKUP)
        for suffix, count in sorted(others.items()):
            what = "1 file" if count == 1 else f"{count} files"
            yield self._unused(f"{what} of type {suffix} not read (only .txt, .md and .html are)")
        for error in shut:
            yield Skipped(_name(Path(error.filename or folder), self._root), f"it cannot be read: {error.strerror}")
        if not found and not shut:
            yield self._unused("the folder holds no .txt, .md or .html file")

    def _unused(self, reason: str) -> Skipped:
        return Skipped(self._entry.path, reason, self._origin)

    def _document(self, path: Path, *, markup: bool) -> Iterator[Document | Skipped]:
        name = _name(path, self._root)
        try:
            if path.stat().st_size > MAX_BYTES:
                yield Skipped(name, f"it is larger than {MAX_BYTES // 1_000_000} MB")
                return
            data = path.read_bytes()
            if not data.strip():
                yield Skipped(name, "it is empty")
                return
            if markup:
                passage = self._page(path, data)
                reasons: list[str] = []
            else:
                source = decode(data, markup=False)
                passage, reasons = _passage(source, _heading(source) or _printable(path.stem))
        except OSError as error:
            yield Skipped(name, f"it cannot be read: {error.strerror}")
            return
        except (DecodeError, ValueError) as error:
            yield Skipped(name, str(error))
            return
        yield from (Skipped(name, reason) for reason in reasons)
        wrong = fault(passage.text, passage.front.title) or foreign(passage.text, self._language, surely=True)
        if wrong:
            yield Skipped(name, wrong)
            return
        yield self._made(name, passage)

    def _page(self, path: Path, data: bytes) -> Passage:
        """The text of an HTML file, from data/raw/ where it was extracted before. Raises ValueError, OSError."""
        from evalspec.runtime.sources.markup import page_text

        key = self._cache.key(path.name, data)
        kept = self._cache.get(key)
        if kept is None:
            title, text = page_text(decode(data, markup=True))
            kept = f"{title}\n\n{text}\n"
            with suppress(OSError):  # without a cache the page is taken apart again next time
                self._cache.put(key, kept)
        title, _, text = kept.partition("\n\n")
        return Passage(front=FrontMatter(title=title.strip()[:600] or _printable(path.stem)), text=text.strip() or "\n")

    def _made(self, name: str, passage: Passage) -> Document:
        front = passage.front
        return Document(
            name=name,
            title=front.title,
            text=unlinked(passage.text) or passage.text,
            origin="corpus",
            domains=front.domains or self._entry.domains,
            geographies=front.geographies or self._entry.geographies,
            as_of=front.as_of,
            facts=front.facts,
            boundaries=front.boundaries,
            sensitive=front.sensitive,
        )


def _files(folder: Path, shut: Callable[[OSError], None]) -> Iterator[Path]:
    """Files under a folder, sorted by name; hidden ones and linked folders are left alone, `shut` is told of others."""
    for at, folders, names in os.walk(folder, onerror=shut):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (
            Path(at) / name for name in sorted(names) if not name.startswith(".") and (Path(at) / name).is_file()
        )


def _name(path: Path, root: Path) -> str:
    try:
        return _printable(path.relative_to(root).as_posix())
    except ValueError:
        return _printable(path.as_posix())


def _printable(name: str) -> str:
    """A file's name as text, even where its bytes are not UTF-8."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _passage(source: str, title: str) -> tuple[Passage, list[str]]:
    """A passage, and why parts of it are not used; where its front matter is faulty, its text alone."""
    try:
        passage = parse_passage(source, title)
    except PassageError as error:
        return _without_front(source, title), [f"its front matter is not used: {error}"]
    wrong = list(faults(passage))
    if not wrong:
        return passage, []
    named = {reason.split(":", 1)[0].removeprefix("fact ") for reason in wrong}
    front = passage.front
    kept = front.model_copy(
        update={
            "facts": tuple(fact for fact in front.facts if fact.id not in named),
            "sensitive": tuple(item for item in front.sensitive if item.trigger.lower() in item.request.lower()),
        }
    )
    return Passage(front=kept, text=passage.text), wrong


def _heading(source: str) -> str:
    """The heading that a Markdown text begins with, after its front matter; empty where it begins with none."""
    lines = source.removeprefix("\ufeff").split("\n")
    if lines[0].strip() == FENCE:
        lines = lines[next((i for i, line in enumerate(lines[1:], 2) if line.strip() == FENCE), 0) :]
    first = next((line.strip() for line in lines if line.strip()), "")
    found = re.fullmatch(r"#{1,2}[ \t]+([^\x00-\x1f\x7f]{1,200}?)[ \t]*#*", first)
    return found[1].strip() if found else ""


def _without_front(source: str, title: str) -> Passage:
    lines = source.removeprefix("\ufeff").split("\n")
    closing = next((i for i, line in enumerate(lines[1:], 1) if line.strip() == FENCE), 0)
    text = "\n".join(lines[closing + 1 :]).strip()
    return Passage(front=FrontMatter(title=title), text=text or "\n")
