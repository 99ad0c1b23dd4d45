"""Bodies are unpacked as they come, and never beyond their bound."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalspec.runtime.sources.body import BodyError, unpacked


async def _blocks(data: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


def body(data: bytes, encoding: str, most: int = 10_000, *, size: int = 7, cut: bool = False) -> bytes:
    return asyncio.run(unpacked(_blocks(data, size), encoding, most, cut=cut))


@given(st.binary(max_size=2000), st.integers(1, 500), st.sampled_from(["gzip", "x-gzip", "deflate", "", "identity"]))
@settings(max_examples=40, deadline=None)
def test_a_body_comes_out_as_it_went_in(data: bytes, size: int, encoding: str) -> None:
    pack = {"gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress}.get(encoding, bytes)
    assert body(pack(data), encoding, size=size) == data


def test_members_of_gzip_follow_one_another() -> None:
    assert body(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip") == b"one two"


@pytest.mark.parametrize("encoding", ["", "gzip", "deflate"])
def test_a_body_of_the_bound_is_taken_and_one_byte_more_is_not(encoding: str) -> None:
    pack = {"gzip": gzip.compress, "deflate": zlib.compress}.get(encoding, bytes)
    assert len(body(pack(b"x" * 1000), encoding, 1000)) == 1000
    with pytest.raises(BodyError, match="larger than"):
        body(pack(b"x" * 1001), encoding, 1000)


@pytest.mark.parametrize(("data", "encoding"), [(b"no gzip at all", "gzip"), (b"x", "br"), (b"x", "gzip, gzip")])
def test_what_cannot_be_unpacked_is_refused(data: bytes, encoding: str) -> None:
    with pytest.raises(BodyError):
        body(data, encoding)


def test_the_beginning_of_a_long_body_can_be_asked_for() -> None:
    assert body(b"x" * 5000, "", 100, cut=True) == b"x" * 100


def test_what_is_packed_small_takes_no_more_room_than_its_bound(bomb: bytes) -> None:
    import tracemalloc

    tracemalloc.start()
    try:
        with pytest.raises(BodyError, match="larger than"):
            body(bomb, "gzip", 100_000, size=len(bomb))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000
