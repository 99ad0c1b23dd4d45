"""data/raw/: the plain text of what was fetched, and the manifest that says where it came from.

Nothing of the manifest leaves the folder: no address reaches a dataset.
"""

import json
from datetime import UTC, datetime
from hashlib import blake2b
from os import SEEK_END
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError

from evalspec.runtime.journaling import JournalError, not_writable
from evalspec.spec.model import Model
from evalspec.spec.writing import write_atomically

FOLDER = Path("data") / "raw"
MANIFEST = "manifest.jsonl"


class Entry(Model):
    """A line of the manifest: one address, the last time that it was fetched."""

    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    """BLAKE2b (16 bytes) of the address, hexadecimal; the text lies in `<id>.txt`."""
    address: str
    source: str
    at: str
    """When, in UTC, ISO 8601."""
    status: int
    title: str = ""
    words: int = Field(default=0, ge=0)
    licence: str | None = None
    """Where it is known."""
    skipped: str | None = None
    """Why it is no document; there is no text file then."""
    links: tuple[str, ...] = ()
    """Where its text leads, or what a list held."""
    titles: tuple[str, ...] = ()
    """What a list calls each of its `links`, where it does."""
    menu: tuple[str, ...] = ()
    """Where what surrounds its text leads."""


def address_id(address: str) -> str:
    """The hash under which an address is kept."""
    return blake2b(address.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Raw:
    """The folder as it is; with `anew` what it holds counts for nothing until it is fetched again."""

    def __init__(self, folder: Path, *, anew: bool = False) -> None:
        self._home = folder / FOLDER
        self._manifest = self._home / MANIFEST
        self._entries = {} if anew else self._kept()

    def _kept(self) -> dict[str, Entry]:
        """The last line of each address; lines that are none are passed over, and their pages fetched again."""
        out: dict[str, Entry] = {}
        try:
            lines = self._manifest.read_bytes().split(b"\n")
        except OSError:
            return out
        for line in lines:
            try:
                entry = Entry.model_validate_json(line)
            except (ValidationError, ValueError):
                continue
            out[entry.id] = entry
        return out

    def get(self, address: str) -> Entry | None:
        """What is known of an address; None where its text is not there."""
        entry = self._entries.get(address_id(address))
        if entry is None or (entry.skipped is None and not self._file(entry.id).is_file()):
            return None
        return entry

    def text(self, entry: Entry) -> str | None:
        """The text of an entry, if it can be read."""
        try:
            return self._file(entry.id).read_text(encoding="utf-8").rstrip("\n")
        except (OSError, UnicodeDecodeError):
            return None

    def put(self, address: str, source: str, status: int, text: str | None, **facts: object) -> Entry:
        """Keep a text, or with a reason in `skipped` that there is none. Raises JournalError (ES510)."""
        values = {
            "id": address_id(address),
            "address": address,
            "source": source,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "status": status,
            "words": len(text.split()) if text is not None else 0,
            **facts,
        }
        entry = Entry.model_validate(values)
        try:
            self._home.mkdir(parents=True, exist_ok=True)
            if text is not None:
                write_atomically(self._file(entry.id), f"{text}\n".encode("utf-8", "replace"))
            self._append(entry)
        except OSError as error:
            raise JournalError(not_writable(self._home, error)) from None
        self._entries[entry.id] = entry
        return entry

    def _append(self, entry: Entry) -> None:
        line = json.dumps(entry.model_dump(mode="json", exclude_defaults=True), ensure_ascii=True) + "\n"
        with self._manifest.open("a+b") as file:
            if file.seek(0, SEEK_END):
                file.seek(-1, SEEK_END)
                if file.read(1) != b"\n":
                    line = "\n" + line  # a write that was cut off stays a line of its own
            file.write(line.encode("ascii"))

    def _file(self, key: str) -> Path:
        return self._home / f"{key}.txt"
