"""All pairs of vectors whose cosine is over a threshold: none is missed, and few are looked at whole.

Each vector x is split by an orthonormal basis Q of a few directions in which the set is long: a prefix p = Q'x and
what is left of it, of length r. By Cauchy-Schwarz x·y <= p·p' + r r', which is one product of rows of a few floats
with r as one more of them. Any orthonormal basis gives a true bound; of few rows, the first places are one that costs
nothing. Rows are sorted by the first of the directions: two unit vectors over the threshold t lie
within sqrt(2 - 2t) of each other in each of them, so rows further apart are not multiplied at all. What the bound
lets pass is multiplied whole in float32, and what comes near the threshold in float64.
"""

from collections.abc import Iterator
from typing import Any

BLOCK = 1024
WIDE = 4096
"""Rows of one side and of the other in one product: the product stays in the processor's cache."""
_SLACK = 1e-4
"""Over what float32 may err in a dot product of unit vectors of a few thousand dimensions."""
_SPARE = 1e-5
"""Over what float32 may err in the square of a prefix's length."""
_SMALL = 5000
"""Rows for which finding the directions would take longer than it saves: the first places stand in for them."""
_PLACES = 128
"""The places of a prefix of few rows."""
_SAMPLE = 1500
_TRIED = 500
"""Rows of a sample of few rows."""
_SOLVED = 768
"""Dimensions up to which the directions are solved for."""
_PREFIXES = (16, 24, 32, 48, 64, 96, 128, 192, 256)
_FEW = 1e-4
"""The part of all pairs that a prefix may let pass before a longer one is tried."""
_CROWDED = 0.003
"""The part of a block's pairs from which on the whole block is multiplied rather than its pairs one by one."""

Pairs = tuple[Any, Any, Any]
"""The lower row, the higher row and the cosine, as three arrays."""


def pairs_over(vectors: Any, threshold: float) -> Pairs:
    """All pairs of rows whose cosine is over `threshold`, each once. Rows have length 1, or are all zero."""
    import numpy as np

    empty = np.empty(0, np.int64)
    prefix = _prefix(vectors, threshold) if len(vectors) > _SMALL else _places(vectors, threshold)
    blocks = _plain(vectors, threshold) if prefix is None else _pruned(vectors, prefix, threshold)
    found: list[Pairs] = [(empty, empty, np.empty(0, np.float64)), *blocks]
    left, right, cosines = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((right, left))
    return left[order], right[order], cosines[order]


def _plain(vectors: Any, threshold: float) -> Iterator[Pairs]:
    """Products of whole rows, block by block."""
    import numpy as np

    order = np.arange(len(vectors))
    for start in range(0, len(vectors), BLOCK):
        for other in range(start, len(vectors), BLOCK):
            found = _block(vectors, order[start : start + BLOCK], order[other : other + BLOCK], threshold)
            yield _once(found) if other == start else found


def _block(vectors: Any, rows: Any, columns: Any, threshold: float) -> Pairs:
    """The pairs of some rows with others, multiplied whole."""
    import numpy as np

    product = vectors[rows] @ vectors[columns].T
    passing = np.flatnonzero(product > threshold - _SLACK)  # of one dimension: np.nonzero takes ten times as long
    left, right = np.divmod(passing, product.shape[1])
    cosines = product[left, right].astype(np.float64)
    return _decided(vectors, rows[left], columns[right], cosines, threshold)


def _decided(vectors: Any, left: Any, right: Any, cosines: Any, threshold: float) -> Pairs:
    """Of candidates with cosines of float32, those that are over the threshold, the lower row first."""
    import numpy as np

    left, right = np.minimum(left, right), np.maximum(left, right)
    cosines = np.round(cosines, 6)
    near = np.abs(cosines - threshold) <= 2 * _SLACK
    cosines[near] = _exact(vectors, left[near], right[near])
    over = (cosines > threshold) & (left < right)
    return left[over], right[over], np.minimum(cosines[over], 1.0)


def _pruned(vectors: Any, prefix: Any, threshold: float) -> Iterator[Pairs]:
    """Products of prefixes in sorted order, and whole products of what they let pass."""
    import numpy as np

    order = np.argsort(prefix[:, 0], kind="stable")
    prefix = np.ascontiguousarray(prefix[order])
    reach = float(np.sqrt(max(0.0, 2 - 2 * (threshold - _SLACK)))) + 1e-3
    ends = np.searchsorted(prefix[:, 0], prefix[:, 0] + np.float32(reach), side="right")
    for start in range(0, len(order), BLOCK):
        stop = min(start + BLOCK, len(order))
        # what stands before `stop` is multiplied with this block alone, so that no pair comes twice
        yield _bounded(vectors, prefix, order, (slice(start, stop), slice(start, stop)), threshold)
        for other in range(stop, int(ends[stop - 1]), WIDE):
            columns = slice(other, min(other + WIDE, int(ends[stop - 1])))
            yield _bounded(vectors, prefix, order, (slice(start, stop), columns), threshold)


def _bounded(vectors: Any, prefix: Any, order: Any, sides: tuple[slice, slice], threshold: float) -> Pairs:
    """The pairs of one block of sorted rows with another, or with itself."""
    import numpy as np

    here, there = sides
    bound = prefix[here] @ prefix[there].T
    passing = np.flatnonzero(bound > threshold - _SLACK)
    if len(passing) > _CROWDED * bound.size + len(order[here]):
        found = _block(vectors, order[here], order[there], threshold)
    else:
        left, right = np.divmod(passing, bound.shape[1])
        left, right = order[here][left], order[there][right]
        apart = left != right
        left, right = left[apart], right[apart]
        found = _decided(vectors, left, right, _dots(vectors, left, right), threshold)
    return _once(found) if here == there else found


def _once(found: Pairs) -> Pairs:
    """Pairs of a block with itself, of which each was found from both sides."""
    import numpy as np

    left, right, cosines = found
    order = np.lexsort((right, left))
    left, right, cosines = left[order], right[order], cosines[order]
    new = np.ones(len(left), bool)
    new[1:] = (left[1:] != left[:-1]) | (right[1:] != right[:-1])
    return left[new], right[new], cosines[new]


def _prefix(vectors: Any, threshold: float) -> Any:
    """The prefix of each row, with the length of what is left of the row as its last column.

    The shortest of a few lengths whose bound rules out nearly all pairs of a sample: of other rows than those that the
    directions were made for, since those are longest in them.
    """
    import numpy as np

    step = max(1, len(vectors) // _SAMPLE)
    squares = np.einsum("ij,ij->i", vectors, vectors)
    basis = _directions(vectors[::step], min(_PREFIXES[-1], vectors.shape[1]))
    sample = vectors[step // 2 :: step]
    for length in _PREFIXES:
        projected = _extended(sample @ basis[:, :length], squares[step // 2 :: step])
        if _few_pass(projected, threshold):
            break
    return _extended(vectors @ basis[:, :length], squares)


def _places(vectors: Any, threshold: float) -> Any:
    """The first places of each row as its prefix; None where its bound rules out too few pairs of a sample."""
    import numpy as np

    prefix = _extended(vectors[:, :_PLACES], np.einsum("ij,ij->i", vectors, vectors))
    return prefix if _few_pass(prefix[:: max(1, len(prefix) // _TRIED)], threshold) else None


def _few_pass(sample: Any, threshold: float) -> bool:
    """Whether the bound of a prefix rules out nearly all pairs of some rows."""
    passing = int((sample @ sample.T > threshold - _SLACK).sum()) - len(sample)
    return passing <= _FEW * len(sample) ** 2


def _extended(projected: Any, squares: Any) -> Any:
    """Prefixes with the lengths of what is left of their rows, whose squared lengths are `squares`."""
    import numpy as np

    out = np.empty((len(projected), projected.shape[1] + 1), np.float32)
    out[:, :-1] = projected
    lengths = np.einsum("ij,ij->i", projected, projected)
    out[:, -1] = np.sqrt(np.maximum(squares - lengths, 0) + _SPARE)
    return out


def _directions(sample: Any, count: int) -> Any:
    """Orthonormal columns, along which the sample is longest first; of many dimensions by subspace iteration from a
    fixed start. Any orthonormal columns give a true bound; these give a sharp one.
    """
    import numpy as np

    rows = sample.astype(np.float64)
    if rows.shape[1] <= _SOLVED:
        return np.ascontiguousarray(np.linalg.eigh(rows.T @ rows)[1][:, ::-1][:, :count], np.float32)
    basis = np.random.default_rng(0).standard_normal((rows.shape[1], count))
    for _ in range(2):
        basis = np.linalg.qr(rows.T @ (rows @ basis))[0]
    projected = rows @ basis
    _, turn = np.linalg.eigh(projected.T @ projected)
    return np.ascontiguousarray(basis @ turn[:, ::-1], np.float32)


def _dots(vectors: Any, left: Any, right: Any) -> Any:
    """Dot products in float32, some rows at a time."""
    import numpy as np

    out = np.empty(len(left), np.float64)
    for at in range(0, len(left), 4096):
        out[at : at + 4096] = np.einsum("ij,ij->i", vectors[left[at : at + 4096]], vectors[right[at : at + 4096]])
    return out


def _exact(vectors: Any, left: Any, right: Any) -> Any:
    """Cosines in float64, to twelve places, some rows at a time."""
    import numpy as np

    out = np.empty(len(left), np.float64)
    for at in range(0, len(left), 4096):
        a = vectors[left[at : at + 4096]].astype(np.float64)
        b = vectors[right[at : at + 4096]].astype(np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", a, a) * np.einsum("ij,ij->i", b, b))
        out[at : at + 4096] = np.einsum("ij,ij->i", a, b) / np.where(lengths > 0, lengths, 1.0)
    return np.round(out, 12)
