"""The JSONL file of a release: one record a line, fields in the order of the model, nulls and empty lists written."""

import json
from collections.abc import Sequence
from pathlib import Path

from evalspec.outputs.records import Row

NAME = "train.jsonl"


def write(folder: Path, rows: Sequence[Row]) -> Path:
    """Write the rows. Raises OSError."""
    path = folder / NAME
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(row, ensure_ascii=False, separators=(", ", ": ")) + "\n" for row in rows)
    return path
