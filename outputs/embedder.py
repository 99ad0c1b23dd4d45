"""Texts as vectors: the default embedder hashes words and pairs of words, and needs no model and no download."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol
from zlib import crc32

from evalspec.spec.dataclass import dataclass

Vectors = Any
"""A `numpy.ndarray` of float32, one row a text; rows have length 1, or are all zero for a text without words."""

BLOCK = 512
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Embedded:
    """How far a model is: of the texts without a vector, how many have one by now."""

    done: int
    total: int


Watch = Callable[[Embedded], None]
"""Is told before a model is loaded, and after each batch."""


def unwatched(event: Embedded) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """The folder in which a model keeps its vectors, and who is told how far it is."""

    cache: Path | None = None
    watch: Watch = unwatched


PLAINLY = Embedding()
"""Without a cache, and unwatched."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is a cosine."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a text, in order."""
        ...


class Hashed:
    """Counts of words and of pairs of neighbouring words, hashed into `dimensions` signed places.

    Equal on every machine: the hash is CRC-32 over the case-folded word.
    """

    def __init__(self, dimensions: int = 512) -> None:
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a text, in order."""
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for at in range(0, len(texts), BLOCK):
            vectors[at : at + BLOCK] = self._block(texts[at : at + BLOCK])
        return vectors

    def _block(self, texts: Sequence[str]) -> Vectors:
        """Vectors of some texts: what is made on the way is several times as large."""
        import numpy as np

        words: list[str] = []
        sizes: list[int] = []
        for text in texts:
            found = _WORD.findall(text.casefold())
            words += found
            sizes.append(len(found))
        known = {word: crc32(word.encode("utf-8", "replace")) for word in set(words)}
        hashes = np.fromiter(map(known.__getitem__, words), np.uint64, len(words))
        single = hashes * np.uint64(0x9E3779B97F4A7C15)
        owner = np.repeat(np.arange(len(texts), dtype=np.int64), sizes)
        neighbours = owner[1:] == owner[:-1]
        pair = (single[:-1] * np.uint64(0xC2B2AE3D27D4EB4F) + single[1:])[neighbours]
        grams = np.concatenate([single, pair])
        rows = np.concatenate([owner, owner[1:][neighbours]])
        return self._fold(grams, rows, len(texts))

    def _fold(self, grams: Vectors, rows: Vectors, count: int) -> Vectors:
        """Hashes of 64 bits into signed places, summed by row and brought to length 1."""
        import numpy as np

        grams = (grams ^ (grams >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        grams ^= grams >> np.uint64(32)
        place = (grams % np.uint64(self.dimensions)).astype(np.int64)
        sign = np.where((grams >> np.uint64(63)) == 0, 1.0, -1.0)
        flat = np.bincount(rows * self.dimensions + place, sign, count * self.dimensions)
        vectors = flat.astype(np.float64, copy=False).reshape(count, self.dimensions)
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
        return np.divide(vectors, lengths, out=vectors, where=lengths > 0).astype(np.float32)


class EmbedderError(Exception):
    """There is no such embedder here."""


def embedder_of(name: str, how: Embedding = PLAINLY) -> Embedder:
    """The embedder that `dedup.embedder` names: `hashed`, or `sentence-transformers:` and a model's name or folder.

    Raises EmbedderError.
    """
    if name == "hashed":
        return Hashed()
    kind, _, model = name.partition(":")
    if kind != "sentence-transformers" or not model:
        message = f"there is no embedder '{name}'; there is: hashed, sentence-transformers:<model or folder>"
        raise EmbedderError(message)
    from evalspec.outputs.semantic import Semantic

    return Semantic(model, how.cache, how.watch)
