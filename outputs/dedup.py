"""Duplicates: which texts say the same, and which linkage groups fall for it.

Every pair with a cosine over the threshold is found. Pairs within a group never count. Of two groups that meet, the
later falls whole if the earlier is kept.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from evalspec.outputs import database, queries
from evalspec.outputs.embedder import PLAINLY, Embedding, embedder_of
from evalspec.outputs.facts import numbered
from evalspec.outputs.pairs import pairs_over
from evalspec.spec.config import Dedup
from evalspec.spec.dataclass import dataclass

_MOVED = 4096
"""Rows that are moved at a time."""


@dataclass(frozen=True, slots=True)
class Text:
    """What is compared of one slot or row. `rank` is the place of its group: the lower one is kept."""

    rank: int
    group_id: str
    slot_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Fallen:
    """A group that repeats a kept one: `slot_id` of it says the same as `of`, a slot of the kept group `of_group`."""

    group_id: str
    slot_id: str
    of_group: str
    of: str
    cosine: float


@dataclass(frozen=True, slots=True)
class Close:
    """A pair over the threshold: a slot, an earlier one, and what became of the two.

    `fate`: `fell` (the group of `slot` repeats a kept group), `other_fell` (the earlier group fell for another), or
    `facts_differ` (both are kept). Members of one group are no pair.
    """

    slot: str
    of: str
    cosine: float
    fate: str


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Groups that fall, in the order of ranks, the number of close pairs that were spared for their facts, and every
    close pair.
    """

    fallen: tuple[Fallen, ...]
    spared: int
    pairs: tuple[Close, ...] = ()


def load(
    connection: database.Connection,
    texts: Sequence[Text],
    dedup: Dedup,
    names: Sequence[str] = (),
    how: Embedding = PLAINLY,
) -> None:
    """Put the tables `entries` and `pairs` into the database. Raises EmbedderError for an embedder that is not here."""
    database.put(connection, compared(texts, dedup, names, how))


def compared(
    texts: Sequence[Text], dedup: Dedup, names: Sequence[str] = (), how: Embedding = PLAINLY
) -> dict[str, Any]:
    """The tables `entries` and `pairs`. Raises EmbedderError for an embedder that is not here.

    `entries.text` numbers the texts that differ in their vectors, and `pairs` are of those numbers, so that a text
    which stands a thousand times is compared once. `entries.facts` is equal where the facts are.
    """
    import numpy as np
    import pyarrow as pa

    vectors = embedder_of(dedup.embedder, how).embed([text.text for text in texts])
    known: dict[bytes, int] = {}
    number = np.asarray([known.setdefault(_mark(row), len(known)) for row in vectors], np.int64)
    first = np.unique(number, return_index=True)[1]
    vectors = _packed(vectors, first)
    left, right, cosines = pairs_over(vectors, dedup.threshold)
    counts = np.bincount(number, minlength=len(first))
    same = np.flatnonzero((counts > 1) & vectors.any(axis=1)) if dedup.threshold < 1 else left[:0]
    facts = np.zeros(len(texts), np.int64)
    if dedup.facts_distinguish:
        close = np.flatnonzero(np.isin(number, np.concatenate([left, right, same]))).tolist()
        facts[close] = numbered([texts[row].text for row in close], names)
    entries = pa.table(
        {
            "position": pa.array(range(len(texts)), pa.int64()),
            "rank": pa.array([text.rank for text in texts], pa.int64()),
            "group_id": pa.array([text.group_id for text in texts], pa.string()),
            "slot_id": pa.array([text.slot_id for text in texts], pa.string()),
            "text": _column(number),
            "facts": _column(facts),
        }
    )
    pairs = pa.table(
        {
            "a": _column(np.concatenate([left, same])),
            "b": _column(np.concatenate([right, same])),
            "cosine": _column(np.concatenate([cosines, np.ones(len(same))])),
        }
    )
    return {"entries": entries, "pairs": pairs}


def _packed(vectors: Any, rows: Any) -> Any:
    """Some rows of an array, in rising order, moved to its beginning: it is too large to be there twice."""
    if len(rows) < len(vectors):
        for at in range(0, len(rows), _MOVED):
            some = rows[at : at + _MOVED]
            vectors[at : at + len(some)] = vectors[some]
    return vectors[: len(rows)]


def _column(values: Any) -> Any:
    """An array of numpy's as Arrow's, by its buffer: given the array itself, pyarrow imports numpy.ma, 0.05 s."""
    import numpy as np
    import pyarrow as pa

    buffer = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, buffer])


def _mark(row: Any) -> bytes:
    """Equal for equal vectors, and for no others."""
    return blake2b(row.tobytes(), digest_size=16).digest()


def find_duplicates(
    connection: database.Connection,
    texts: Sequence[Text],
    dedup: Dedup,
    names: Sequence[str] = (),
    how: Embedding = PLAINLY,
) -> Duplicates:
    """Which groups fall, and every close pair.

    `names` are words that tell jurisdictions apart. Raises EmbedderError.
    """
    tables = compared(texts, dedup, names, how)
    if not len(tables["pairs"]):
        return Duplicates((), 0)
    database.put(connection, tables)
    steps = queries.folder("dedup")
    connection.execute(steps["collisions"].sql)
    connection.execute(steps["fates"].sql)
    while database.rows(connection, steps["still_open"].sql)[0]["open"]:
        connection.execute(steps["settle"].sql)
    fallen = [
        Fallen(row["group_id"], row["slot_id"], row["of_group"], row["of_slot"], row["cosine"])
        for row in database.rows(connection, steps["fallen"].sql)
    ]
    connection.execute(steps["compared"].sql)
    spared = database.rows(connection, steps["spared"].sql)[0]["spared"]
    pairs = [
        Close(row["slot_id"], row["of_slot"], row["cosine"], row["fate"])
        for row in database.rows(connection, steps["close"].sql)
    ]
    return Duplicates(tuple(fallen), spared, tuple(pairs))
