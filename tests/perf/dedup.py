"""Finding all pairs over a threshold among many vectors, against plain blocked products in the same run.

    python tests/perf/dedup.py [--rows N]

Vectors are of 384 floats, of the spectrum of sentence embeddings, in clusters, with one row in twenty planted near
another; with `--flat` they have no direction in which they are long, which is the worst case. Exits with 1 where the
two ways do not find the same pairs, or a bound is broken: 0.3 s for 2,910 rows, no slower than plain products over all
pairs, and 1.5 GB.
"""

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from evalspec.outputs.pairs import pairs_over

THRESHOLD = 0.97
BLOCK = 2048


def vectors_of(rows: int, flat: bool) -> Any:
    """Unit vectors of float32."""
    drawn = np.random.default_rng(1)
    spectrum = np.ones(384) if flat else 1 / np.sqrt(1 + np.arange(384) / 8)
    centres = drawn.standard_normal((max(rows // 50, 1), 384), dtype=np.float32) * spectrum.astype(np.float32)
    noise = 1.0 if flat else 0.7
    out = noise * drawn.standard_normal((rows, 384), dtype=np.float32) * spectrum.astype(np.float32)
    if not flat:
        out += centres[drawn.integers(0, len(centres), rows)] + 0.5 * centres[0]
    near = drawn.choice(rows // 2, rows // 20, replace=False)
    lengths = np.linalg.norm(out[near], axis=1, keepdims=True)
    shift = drawn.standard_normal((len(near), 384), dtype=np.float32) * 0.2 * lengths / np.sqrt(384)
    out[rows // 2 + np.arange(len(near))] = out[near] + shift.astype(np.float32)
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def plain(vectors: Any) -> Iterator[int]:
    """The number of pairs that plain products of blocks find, over all pairs once."""
    for start in range(0, len(vectors), BLOCK):
        for other in range(start, len(vectors), BLOCK):
            product = vectors[start : start + BLOCK] @ vectors[other : other + BLOCK].T
            found = int((product > THRESHOLD).sum())
            if other == start:
                found = (found - len(product)) // 2
            yield found


def main() -> int:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--flat", action="store_true")
    asked = parser.parse_args()
    small = vectors_of(2910, asked.flat)
    pairs_over(small, THRESHOLD)
    took = []
    for _ in range(5):
        began = time.perf_counter()
        pairs_over(small, THRESHOLD)
        took.append(time.perf_counter() - began)
    many = vectors_of(asked.rows, asked.flat)
    began, cpu = time.perf_counter(), time.process_time()
    found = len(pairs_over(many, THRESHOLD)[0])
    pruned, pruned_cpu = time.perf_counter() - began, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    began, cpu = time.perf_counter(), time.process_time()
    expected = sum(plain(many))
    whole, whole_cpu = time.perf_counter() - began, time.process_time() - cpu
    print(f"2,910 rows: {min(took):.3f} s (best of 5), {max(took):.3f} s at worst")
    print(f"{asked.rows:,} rows: {pruned:.1f} s, {pruned_cpu:.1f} s CPU, {peak} MB, {found:,} pairs")
    print(f"plain products: {whole:.1f} s, {whole_cpu:.1f} s CPU, {expected:,} pairs")
    print(f"ratio: {whole / pruned:.1f} times faster, {whole_cpu / pruned_cpu:.1f} times by CPU")
    # plain products of float32 may differ in a pair that lies within 1e-6 of the threshold
    return int(abs(found - expected) > 2 or min(took) > 0.3 or pruned > whole or peak > 1500)


if __name__ == "__main__":
    sys.exit(main())
