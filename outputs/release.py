"""A release folder appears whole or not at all.

Files are written into `.<name>.new` beside the folder and synced; then the old folder steps aside as `.<name>.old`,
the new one takes its name, and what the user kept in the old one beside the release is carried over. A run that was
killed in between is made good by the next: while the folder is missing, the old one is the release.
"""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from evalspec.outputs.writers import figures, jsonl, parquet

CARD = "README.md"
FILES: tuple[str, ...] = (parquet.NAME, jsonl.NAME, CARD, *figures.NAMES)
"""All files of a release."""


def publish(folder: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a new folder, and put it in place of `folder`. Raises OSError, and leaves `folder` as it
    was.
    """
    folder = Path(os.path.realpath(folder))
    folder.parent.mkdir(parents=True, exist_ok=True)
    recover(folder)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    if folder.exists():
        list(folder.iterdir())  # what stands there beside a release is carried over: better to fail now than then
    new, old = _beside(folder, "new"), _beside(folder, "old")
    try:
        new.mkdir()
        write(new)
        for path in new.iterdir():
            _sync(path)
        _sync(new)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    if folder.exists():
        folder.rename(old)
    try:
        new.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        shutil.rmtree(new, ignore_errors=True)
        raise
    _sync(folder.parent)
    _carry_over(old, folder)


def recover(folder: Path) -> None:
    """Finish or undo what a killed run left beside `folder`. Raises OSError."""
    folder = Path(os.path.realpath(folder))
    new, old = _beside(folder, "new"), _beside(folder, "old")
    if new.exists():
        shutil.rmtree(new)
    if not old.exists():
        return
    if folder.exists():
        _carry_over(old, folder)
    else:
        old.rename(folder)


def _beside(folder: Path, what: str) -> Path:
    return folder.parent / f".{folder.name}.{what}"


def _carry_over(old: Path, folder: Path) -> None:
    """Move the entries of `old` that are no files of a release, and remove it."""
    if not old.exists():
        return
    for entry in old.iterdir():
        if entry.name not in FILES and not (folder / entry.name).exists():
            entry.rename(folder / entry.name)
    shutil.rmtree(old)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
