"""The lines of a JSONL file by number, without holding them: only where each begins is kept."""

from array import array
from collections.abc import Iterator
from pathlib import Path


class Lines:
    """A file of lines. Raises OSError where it cannot be read. Lines are counted from 1."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._starts = array("Q")
        at = 0
        with path.open("rb") as file:
            for line in file:
                self._starts.append(at)
                at += len(line)
        self._end = at

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[str]:
        """All lines in order, without their ends; bytes that are no UTF-8 become lone surrogates."""
        with self.path.open("rb") as file:
            for line in file:
                yield line.removesuffix(b"\n").decode("utf-8", errors="surrogateescape")

    def text(self, number: int) -> str:
        """One line; empty for a number that there is not, and for a file that went away."""
        if not 1 <= number <= len(self._starts):
            return ""
        end = self._starts[number] if number < len(self._starts) else self._end
        try:
            with self.path.open("rb") as file:
                file.seek(self._starts[number - 1])
                line = file.read(end - self._starts[number - 1])
        except OSError:
            return ""
        return line.removesuffix(b"\n").decode("utf-8", errors="replace")
