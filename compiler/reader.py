"""ruamel's reader of characters, which steps over a stretch at once and makes one mark for a place."""

import re
from typing import Any

from ruamel.yaml.error import StringMark
from ruamel.yaml.reader import Reader

_WALKED = re.compile("[\n\r\ufeff]")


class QuickMark(StringMark):
    """A mark that is made in one call."""

    __slots__ = ()

    def __init__(self, reader: Any) -> None:  # does what ruamel's two constructors do
        self.name, self.buffer, self.pointer = reader.name, reader.buffer, reader.pointer
        self.index, self.line, self.column = reader.index, reader.line, reader.column


class QuickReader(Reader):
    """Steps over a stretch without line breaks at once, and makes one mark for a place."""

    _mark: QuickMark | None = None

    def get_mark(self) -> Any:
        """Where the reader is."""
        mark = self._mark
        if mark is None or mark.index != self.index:
            mark = self._mark = QuickMark(self)
        return mark

    def forward(self, length: int = 1) -> None:
        """Move on by `length` characters."""
        if _WALKED.search(self.buffer, self.pointer, self.pointer + length):
            super().forward(length)
        else:
            self.step(length)

    def step(self, length: int) -> None:
        """Move on by `length` characters of which none is a line break or a byte order mark."""
        self.pointer += length
        self.index += length
        self.column += length
