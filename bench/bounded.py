"""Reading a file whole, within bounds: a device or a pipe never ends, and a file can be larger than memory."""

import stat
from pathlib import Path


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of a regular file of at most `most` bytes. Raises OSError, whose `strerror` says why not."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(0, "it is a folder" if stat.S_ISDIR(status.st_mode) else "it is no regular file")
    if status.st_size > most:
        raise OSError(0, f"it has over {most:,} bytes")
    return path.read_bytes()
