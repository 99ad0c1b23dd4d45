"""Where the values of a spec stand: from a file and a path, or an offset in a text value, to a Place."""

import re
from bisect import bisect_right
from functools import cached_property

from evalspec.compiler.document import Document
from evalspec.compiler.offsets import offsets
from evalspec.compiler.secrets import masked
from evalspec.compiler.tree import Branch, Leaf
from evalspec.spec.source import Place, YamlPath, render_path

_BREAK = re.compile(r"\r\n|\r|\n")


class TextLines:
    """A text cut into lines, and places by offset in it; secrets in the quoted lines are masked."""

    def __init__(self, file: str, text: str, hidden: frozenset[str] = frozenset()) -> None:
        self.file, self.text, self.hidden = file, text, hidden

    @cached_property
    def starts(self) -> list[int]:
        """The offset at which each line starts."""
        return [0, *(match.end() for match in _BREAK.finditer(self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, both from 1."""
        index = bisect_right(self.starts, offset) - 1
        return index + 1, offset - self.starts[index] + 1

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        start = self.starts[number - 1]
        match = _BREAK.search(self.text, start)
        return self.text[start : match.start() if match else len(self.text)]

    def place(self, start: int, end: int, path: YamlPath = ()) -> Place:
        """The place of the offsets `start` to `end`, exclusive; at least one character wide."""
        start = min(max(start, 0), len(self.text))
        line, column = self.position(start)
        end_line, end_column = self.position(min(max(end, start), len(self.text)))
        if (end_line, end_column) <= (line, column):
            end_line, end_column = line, column + 1
        return Place(
            self.file, line, column, end_line, end_column, render_path(path), masked(self.line(line), self.hidden)
        )


class SourceMap:
    """Places by file and path; the `Places` of a Spec. Texts in `hidden` are never shown."""

    def __init__(self, documents: tuple[Document, ...], hidden: frozenset[str] = frozenset()) -> None:
        self.documents = {document.file: document for document in documents}
        self.hidden = hidden
        self._lines: dict[str, TextLines] = {}
        self._offsets: dict[tuple[str, YamlPath], list[int] | None] = {}

    def lines(self, file: str) -> TextLines:
        """The lines of a file of the spec; of an empty text for a file that is not known."""
        if file not in self._lines:
            document = self.documents.get(file)
            self._lines[file] = TextLines(file, document.text if document else "", self.hidden)
        return self._lines[file]

    def _nearest(self, file: str, path: YamlPath) -> YamlPath | None:
        """The longest prefix of a path that stands in the file."""
        document = self.documents.get(file)
        if document is None:
            return None
        while path not in document.nodes:
            if not path:
                return None
            path = path[:-1]
        return path

    def place_of(self, file: str, path: YamlPath) -> Place:
        """The place of a value; for a list or mapping its key, or its first line where it has none."""
        near = self._nearest(file, path)
        if near is None:
            return self.lines(file).place(0, 0, path)
        document = self.documents[file]
        node = document.nodes[near]
        if near != path or isinstance(node, Branch) or node.start == node.end:
            return self._key(document, near, path)
        return self._first_line(document, node.start, node.end, path)

    def key_place(self, file: str, path: YamlPath) -> Place:
        """The place of a value's key; of the value itself where it has no key."""
        near = self._nearest(file, path)
        if near is None:
            return self.lines(file).place(0, 0, path)
        return self._key(self.documents[file], near, path)

    def place_in(self, file: str, path: YamlPath, start: int, end: int) -> Place:
        """The place of the characters `start` to `end` of a text value; of the value where that cannot be told."""
        near = self._nearest(file, path)
        node = self.documents[file].nodes[near] if near == path and near is not None else None
        if not isinstance(node, Leaf):
            return self.place_of(file, path)
        key = (file, path)
        if key not in self._offsets:
            self._offsets[key] = offsets(self.documents[file].text, node)
        table = self._offsets[key]
        if table is None or not 0 <= start < len(table):
            return self.place_of(file, path)
        last = table[min(max(end, start + 1), len(table)) - 1]
        past = last + (1 if end <= len(table) - 1 else 0)
        return self.lines(file).place(table[start], past, path)

    def _key(self, document: Document, near: YamlPath, path: YamlPath) -> Place:
        key = document.keys.get(near)
        if key is not None:
            return self._first_line(document, key.start, key.end, path)
        node = document.nodes[near]
        return self._first_line(document, node.start, node.end, path)

    def _first_line(self, document: Document, start: int, end: int, path: YamlPath) -> Place:
        lines = self.lines(document.file)
        number, column = lines.position(start)
        text = lines.line(number).rstrip()
        stop = lines.starts[number - 1] + max(len(text), column)
        return lines.place(start, min(end, stop) if end > start else start, path)
