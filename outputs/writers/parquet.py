"""The Parquet file of a release."""

from pathlib import Path
from typing import Any

NAME = "train.parquet"


def write(folder: Path, table: Any) -> Path:
    """Write an Arrow table of the declared schema; equal tables give equal bytes. Raises OSError."""
    import pyarrow.parquet as pq

    path = folder / NAME
    with path.open("wb") as file:
        pq.write_table(table, file, compression="zstd", version="2.6", row_group_size=50_000)
    return path


def read(path: Path, columns: list[str] | None = None) -> Any:
    """Read a Parquet file as an Arrow table. Raises OSError, pyarrow.ArrowException."""
    import pyarrow.parquet as pq

    with path.open("rb") as file:
        return pq.read_table(file, columns=columns)
