"""Texts as vectors by a model of sentence-transformers, which comes with the extra `semantic`.

Vectors are kept by the hash of their text in a file beside the journal, so that a text is embedded once in the life of
a folder. The file holds a line of JSON (the model and its dimensions), then 16 bytes of hash and the floats of each
text; what a kill tore off its end is dropped.
"""

import json
import re
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from evalspec.outputs.embedder import Embedded, EmbedderError, Vectors, Watch, unwatched

BATCH = 64
_MARK = 16


class Semantic:
    """A model by its name on the Hub, or by its folder."""

    def __init__(self, model: str, cache: Path | None = None, watch: Watch = unwatched) -> None:
        self.model = model
        self._watch = watch
        self._file = cache / f"embeddings-{_slug(model)}.bin" if cache is not None else None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a text, in order; those that are not in the cache are made in batches. Raises EmbedderError."""
        import numpy as np

        known = _read(self._file, self.model) if self._file else {}
        marks = [_digest(text) for text in texts]
        wanted = {mark: text for mark, text in zip(marks, texts, strict=True) if mark not in known}
        if wanted:
            self._watch(Embedded(0, len(wanted)))
            model = _loaded(self.model)
            # texts of like length share a batch: little is padded
            order = sorted(wanted, key=lambda mark: (len(wanted[mark]), mark))
            for at in range(0, len(order), BATCH):
                some = order[at : at + BATCH]
                made = model.encode(
                    [wanted[mark] for mark in some],
                    batch_size=BATCH,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                    convert_to_numpy=True,
                )
                vectors = np.ascontiguousarray(made, np.float32)
                known |= dict(zip(some, vectors, strict=True))
                self._append(some, vectors)
                self._watch(Embedded(at + len(some), len(wanted)))
        return np.stack([known[mark] for mark in marks]) if marks else np.zeros((0, 1), np.float32)

    def _append(self, marks: Sequence[bytes], vectors: Vectors) -> None:
        """Add to the cache; a folder that cannot be written leaves the vectors to be made again."""
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("ab") as file:
                if file.tell() == 0:
                    file.write(_head(self.model, vectors.shape[1]))
                file.write(b"".join(mark + row.tobytes() for mark, row in zip(marks, vectors, strict=True)))
        except OSError:
            self._file = None


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_MARK).digest()


def _slug(model: str) -> str:
    digest = blake2b(_identity(model).encode(), digest_size=4).hexdigest()
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', Path(model).name)[:40]}-{digest}"


def _identity(model: str) -> str:
    """The model's name, and for a folder the names and sizes of its files: another model has another cache."""
    folder = Path(model)
    if not folder.is_dir():
        return model
    sizes = sorted((path.name, path.stat().st_size) for path in folder.rglob("*") if path.is_file())
    return json.dumps([path for path in sizes if not path[0].startswith(".")])


def _head(model: str, dimensions: int) -> bytes:
    return json.dumps({"model": _identity(model), "dimensions": dimensions}).encode() + b"\n"


def _read(file: Path, model: str) -> dict[bytes, Any]:
    """The cache by hash; one that is torn is cut, and one that is another model's or no cache is removed."""
    import numpy as np

    try:
        data = file.read_bytes()
        head, _, body = data.partition(b"\n")
        dimensions = int(json.loads(head)["dimensions"])
        if head + b"\n" != _head(model, dimensions):
            raise ValueError(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError):
        file.unlink(missing_ok=True)
        return {}
    size = _MARK + 4 * dimensions
    whole = len(body) // size * size
    if whole < len(body):
        with file.open("r+b") as torn:
            torn.truncate(len(head) + 1 + whole)
    table = np.frombuffer(body[:whole], np.dtype([("mark", f"V{_MARK}"), ("vector", np.float32, (dimensions,))]))
    return {bytes(entry["mark"]): entry["vector"] for entry in table}


def _loaded(model: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        extra = "the extra: pip install 'evalspec-compiler[semantic]', a CPU build of torch first"
        message = f"the embedder 'sentence-transformers:{model}' needs {extra}"
        raise EmbedderError(message) from None
    try:
        return SentenceTransformer(model, device="cpu")
    except Exception as error:  # whatever it raises says that there is no such model
        said = " ".join(str(error).split())[:200]
        raise EmbedderError(f"the embedder 'sentence-transformers:{model}' cannot be loaded: {said}") from None
