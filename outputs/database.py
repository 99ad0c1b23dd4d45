"""A DuckDB connection that holds a plan, its records and what is judged of them, loaded through Arrow.

| table       | one row is                                                                                  |
|-------------|---------------------------------------------------------------------------------------------|
| `slots`     | a slot of the plan, with its group and the place of the group in the plan                     |
| `groups`    | a linkage group                                                                             |
| `targets`   | a value of an axis with its share, target, and the fewest and most records that are accepted |
| `settings`  | one row: what the plan says of the dataset as a whole                                       |
| `templates` | a template, its rubric, and the number of its negative examples                             |
| `allowed`   | a value that a field may have                                                               |
| `records`   | a record, and its row in the file                                                           |
| `filled`    | a slot as the journal has it: its answer, its excerpt, and what must hold of the two          |
| `leaks`     | a row of the file whose closed-book prompt holds its answer                                 |
| `guidance`  | a text that only the generation model was told                                              |
"""

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from typing import Any

from evalspec.outputs import queries

Connection = Any
"""A `duckdb.DuckDBPyConnection`."""

MEMORY_LIMIT = "512MB"
_FEW_ROWS = 5000
VIEWS: tuple[str, ...] = ("placed", "links", "quotas", "quota_findings", "quota_verdicts", "open_cells")
"""The views of `sql/views/`, in the order in which they stand on one another."""


def spare_threads(rows: int) -> None:
    """Let numpy multiply in one thread where a dataset has few rows; to be called before numpy is imported.

    The threads of OpenBLAS wait for one another at work, which doubles the CPU time of small products and saves none.
    """
    if rows <= _FEW_ROWS:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def spare_pandas() -> None:
    """Keep pyarrow's first array from importing pandas, 45 MB and 0.2 s; where it is asked for later it is still found.

    For a process of our own: until pandas is asked for, pyarrow takes a Series for any other sequence.
    """
    import pyarrow as pa

    finder = _NoPandas()
    # a new list each time: another thread that goes through one from which an entry is taken passes over the next, and
    # does not find what it imports
    sys.meta_path = [finder, *sys.meta_path]
    try:
        pa.array([])
    finally:
        sys.meta_path = [other for other in sys.meta_path if other is not finder]


class _NoPandas(MetaPathFinder):
    """Finds no pandas."""

    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname == "pandas":
            raise ImportError(fullname)


@contextmanager
def opened(rows: int | None = None) -> Iterator[Connection]:
    """An empty database in memory; what does not fit spills to a temporary folder that goes with it.

    For few `rows`, where that is known, one thread takes less than two that wait for one another.
    """
    import duckdb

    threads = "1" if rows is not None and rows <= _FEW_ROWS else "2"

    with tempfile.TemporaryDirectory(prefix="evalspec-") as folder:
        config: dict[str, Any] = {"memory_limit": MEMORY_LIMIT, "temp_directory": folder, "threads": threads}
        connection = duckdb.connect(":memory:", config=config)
        try:
            yield connection
        finally:
            connection.close()


def put(connection: Connection, tables: Mapping[str, Any]) -> None:
    """Copy Arrow tables in, under the names given."""
    for name, table in tables.items():
        connection.register("arriving", table)
        connection.execute(f'CREATE OR REPLACE TABLE "{name}" AS SELECT * FROM arriving')
        connection.unregister("arriving")


def show(connection: Connection, tables: Mapping[str, Any]) -> None:
    """Let queries read Arrow tables where they lie, without a copy."""
    for name, table in tables.items():
        connection.register(name, table)


def hide(connection: Connection, names: Iterable[str]) -> None:
    """Let go of Arrow tables that were shown."""
    for name in names:
        connection.unregister(name)


def lock(connection: Connection) -> None:
    """From here on no query reaches a file, the network, an extension or a setting."""
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def add_views(connection: Connection, names: Sequence[str] = VIEWS) -> None:
    """Make the views that criteria share, or some of them; `slots`, `targets` and `records` must be there as far as
    these read them.
    """
    for name in names:
        connection.execute(queries.folder("views")[name].sql)


def rows(connection: Connection, sql: str) -> list[dict[str, Any]]:
    """Run a query and give its rows by column name."""
    cursor = connection.execute(sql)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]
