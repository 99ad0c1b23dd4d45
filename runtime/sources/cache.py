"""Extracted text in data/raw/, so that a page is taken apart once."""

from hashlib import blake2b
from pathlib import Path

from evalspec.spec.writing import write_atomically

CACHE_VERSION = "4"
"""Raise it when extraction changes: what was extracted before is then extracted again."""


class TextCache:
    """Plain-text files named by the hash of a document's name and bytes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def key(self, name: str, data: bytes) -> str:
        """The name under which the text of `data` is kept."""
        head = f"{CACHE_VERSION}\x00{name}\x00".encode("utf-8", "surrogateescape")
        return blake2b(head + data, digest_size=16).hexdigest()

    def get(self, key: str) -> str | None:
        """The text kept under `key`; a file that cannot be read is as good as none."""
        try:
            return (self._folder / f"{key}.txt").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def put(self, key: str, text: str) -> None:
        """Keep `text`. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._folder / f"{key}.txt", text.encode("utf-8", "replace"))
