"""A file is not UTF-8 text.

## What it does
Reports a file with bytes that are not UTF-8, a file in UTF-16 or UTF-32, and a NUL byte. A byte order mark before
UTF-8 is fine.

## Why
Guessing an encoding turns an accent into two wrong letters, in every record made from the template.

## Example
```
description: "Hypothèque"       saved by an editor as Latin-1 or as UTF-16
```

## Use instead
```
description: "Hypothèque"       saved as UTF-8; or: iconv -f LATIN1 -t UTF-8 old.yaml > new.yaml
```
"""

from evalspec.compiler.sourcemap import TextLines
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_HINT = "save it as UTF-8"


def decoded(name: str, data: bytes) -> str | Diagnostic:
    """The text of a file without its byte order mark, or what is wrong with it."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return found("ES003", f"{name} is {encoding}, not UTF-8", Place(name), hint=_HINT)
    if b"\0" in data:
        message = f"{name} holds a NUL byte, so it is no text in UTF-8"
        return found("ES003", message, _place(name, data, data.index(b"\0")), hint=_HINT)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        message = f"{name} is not UTF-8: the byte 0x{data[at]:02X} cannot stand here"
        return found("ES003", message, _place(name, data, at), hint=_HINT)


def _place(name: str, data: bytes, at: int) -> Place:
    text = data.decode("utf-8-sig", errors="replace")
    offset = len(data[:at].decode("utf-8-sig", errors="replace"))
    return TextLines(name, text).place(offset, offset + 1)
