"""The JSONL file of a release: one record a line, fields in the order of the model, nulls and empty lists written."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evalspec.outputs.records import Row

NAME = "train.jsonl"


def write(folder: Path, rows: Iterable[Row]) -> Path:
    """Write the rows. Raises OSError."""
    with opened(folder) as add:
        add(rows)
    return folder / NAME


@contextmanager
def opened(folder: Path) -> Iterator[Callable[[Iterable[Row]], None]]:
    """A new file; gives what adds rows to it. Raises OSError."""
    encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
    with (folder / NAME).open("w", encoding="utf-8", newline="\n") as file:

        def add(rows: Iterable[Row]) -> None:
            file.writelines(f"{encode(row)}\n" for row in rows)

        yield add
