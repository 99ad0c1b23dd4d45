"""Draws that are the same on every machine: a function of a seed and a key, with no generator to keep."""

import uuid
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def draw(seed: int, *key: object) -> int:
    """A number of 64 bits from `seed` and `key`, spread evenly."""
    text = "\x1f".join(map(str, (seed, *key)))
    return int.from_bytes(blake2b(text.encode("utf-8"), digest_size=8).digest(), "big")


def pick(items: Sequence[T], seed: int, *key: object) -> T:
    """One of `items`, by `seed` and `key`. Raises IndexError on an empty sequence."""
    return items[draw(seed, *key) % len(items)]


def shuffled(items: Iterable[T], seed: int, *key: object) -> list[T]:
    """The items in an order drawn from `seed` and `key`; equal items keep their positions' draws."""
    keyed = [(draw(seed, *key, position), position, item) for position, item in enumerate(items)]
    return [item for _, _, item in sorted(keyed, key=lambda entry: entry[:2])]


def draw_uuid4(seed: int, *key: object) -> str:
    """A UUID of version 4 (RFC 9562) whose random bits are drawn from `seed` and `key`."""
    bits = (draw(seed, *key, "high") << 64) | draw(seed, *key, "low")
    return str(uuid.UUID(int=bits, version=4))
