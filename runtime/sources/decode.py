"""Bytes of a file as text, by what they declare; nothing is guessed."""

import codecs
import re
from contextlib import suppress

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(
    rb"""<\?xml[^>]{0,200}encoding=["']([\w.:-]+)|<meta[^>]{0,300}charset\s*=\s*["']?([\w.:-]+)""", re.I
)


class DecodeError(ValueError):
    """The bytes are no text; the message says why."""


def decode(data: bytes, *, markup: bool, charset: str | None = None) -> str:
    """Text with Unix line ends, without a byte order mark or characters that no text holds. Raises DecodeError.

    A byte order mark decides; then UTF-8, where the bytes are that; then `charset`, as a header gave it; then, for
    markup, the charset that it declares.
    """
    text = _decoded(data, markup=markup, charset=charset)
    if "\x00" in text[:8192]:
        raise DecodeError("it is binary")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n")
    return text.translate(_CONTROLS)


_LATIN = {"iso-8859-1", "iso8859-1", "latin1", "latin-1", "ascii", "us-ascii"}
"""Names under which pages are written in Windows-1252, as browsers read them."""
_CONTROLS = dict.fromkeys((*range(9), 11, *range(14, 32), 0x7F, 0xFEFF, 0x200B, 0xAD))


def _decoded(data: bytes, *, markup: bool, charset: str | None) -> str:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _with(data, encoding)
    if charset is not None and charset.lower().startswith(("utf-16", "utf-32")):
        return _with(data, charset)
    if b"\x00" in data[:8192]:
        raise DecodeError("it is binary")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        if charset is not None and charset.lower() not in ("utf-8", "utf8"):
            return _with(data, charset)
        match = _DECLARED.search(data[:4096]) if markup else None
    if match is None:
        raise DecodeError("it is not UTF-8 and declares no other charset")
    return _with(data, (match[1] or match[2]).decode("ascii", "replace"))


def _with(data: bytes, encoding: str) -> str:
    try:
        if encoding.lower() in _LATIN:
            with suppress(UnicodeDecodeError):
                return data.decode("cp1252")
        if not codecs.lookup(encoding)._is_text_encoding:
            raise LookupError
        return data.decode(encoding)
    except LookupError:
        raise DecodeError(f"it declares the charset {encoding}, which is not known") from None
    except UnicodeError:
        raise DecodeError(f"it declares the charset {encoding} and is not in it") from None
