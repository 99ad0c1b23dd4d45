"""The bytes of an answer, unpacked within bounds."""

import zlib
from collections.abc import AsyncIterator

_GZIP_OR_ZLIB = 47
"""zlib's window bits for either header."""


class BodyError(Exception):
    """The body cannot be used; the message says why."""


async def unpacked(blocks: AsyncIterator[bytes], encoding: str, most: int, *, cut: bool = False) -> bytes:
    """The body, at most `most` bytes of it before and after unpacking. Raises BodyError.

    What is longer is an error, or with `cut` is left out.
    """
    packed = encoding.strip().lower() not in ("", "identity")
    if packed and encoding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
        raise BodyError(f"it is packed as {encoding.strip()[:40]}, which was not asked for")
    unpack = zlib.decompressobj(_GZIP_OR_ZLIB)
    out = bytearray()
    taken = 0
    async for block in blocks:
        taken += len(block)
        if packed:
            unpack = _unpack(unpack, block, out, most)
        else:
            out += block
        if len(out) > most or taken > most:
            if cut:
                break
            raise BodyError(f"it is larger than {most / 1_000_000:g} MB")
    return bytes(out[:most])


def _unpack(unpack: "zlib._Decompress", block: bytes, out: bytearray, most: int) -> "zlib._Decompress":
    """Add what `block` holds to `out`, up to one byte over `most`; the object for the next block."""
    while block and len(out) <= most:
        try:
            out += unpack.decompress(block, most + 1 - len(out))
        except zlib.error:
            raise BodyError("it cannot be unpacked") from None
        block = unpack.unconsumed_tail
        if unpack.eof:
            block = unpack.unused_data
            unpack = zlib.decompressobj(_GZIP_OR_ZLIB)
            if not block.startswith(b"\x1f\x8b"):
                break
    return unpack
