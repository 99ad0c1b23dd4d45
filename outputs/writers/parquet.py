"""The Parquet file of a release."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAME = "train.parquet"
GROUP = 50_000
"""Rows of a row group."""


def write(folder: Path, table: Any) -> Path:
    """Write an Arrow table; equal tables give equal bytes. Raises OSError."""
    with opened(folder, table.schema) as add:
        add(table)
    return folder / NAME


@contextmanager
def opened(folder: Path, schema: Any) -> Iterator[Callable[[Any], None]]:
    """A new file; gives what adds Arrow tables to it, of which no more than a row group is held. Raises OSError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with (
        (folder / NAME).open("wb") as file,
        pq.ParquetWriter(file, schema, compression="zstd", version="2.6") as writer,
    ):
        waiting = schema.empty_table()
        begun = False

        def flush() -> None:
            nonlocal waiting, begun
            group, waiting, begun = waiting.slice(0, GROUP), waiting.slice(GROUP), True
            columns = []
            while group.num_columns:  # one by one: the group is not there twice
                columns.append(group.column(0).combine_chunks())
                group = group.remove_column(0)
            # pages end where chunks do: of one chunk, a group has the same bytes whatever tables it came in
            writer.write_table(pa.Table.from_arrays(columns, schema=schema), GROUP)

        def add(table: Any) -> None:
            nonlocal waiting
            waiting = pa.concat_tables([waiting, table])
            while len(waiting) >= GROUP:
                flush()

        yield add
        if len(waiting) or not begun:
            flush()
    pa.default_memory_pool().release_unused()


def read(path: Path, columns: Sequence[str] | None = None) -> Any:
    """Read a Parquet file as an Arrow table. Raises OSError, pyarrow.ArrowException, KeyError for a missing column."""
    import pyarrow.parquet as pq

    with path.open("rb") as file:
        # not read_table, which imports pyarrow.dataset: 0.1 s
        parquet = pq.ParquetFile(file)
        for name in columns or ():
            if name not in parquet.schema_arrow.names:
                raise KeyError(name)
        return parquet.read(columns)
