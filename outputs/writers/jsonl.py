"""The JSONL file of a release: one record a line, fields in the order of the model, nulls and empty lists written."""

import json
from collections.abc import Sequence
from pathlib import Path

from evalspec.outputs.records import Row

NAME = "train.jsonl"


def write(folder: Path, rows: Sequence[Row]) -> Path:
    """Write the rows. Raises OSError."""
    path = folder / NAME
    encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{encode(row)}\n" for row in rows)
    return path
