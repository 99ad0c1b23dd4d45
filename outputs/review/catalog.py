"""The records of a release in DuckDB, as a reviewer asks for them: a page of groups, a group, the charts."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evalspec.outputs import database, queries
from evalspec.outputs.records import FIELDS
from evalspec.outputs.review.filters import PAGE_SIZE, Filters
from evalspec.spec.plan import Plan

Row = dict[str, Any]
_SEARCHES_KEPT = 8


class CatalogError(Exception):
    """The file holds no records that can be shown; the message says why."""


class Catalog:
    """Safe to be asked by many threads: each question has a cursor of its own."""

    def __init__(self, connection: database.Connection) -> None:
        self._connection = connection
        self._writing = threading.Lock()
        self._searching = threading.Lock()
        self._found: dict[str, Any] = {}

    def charts(self, filters: Filters) -> list[Row]:
        """Axis, name and records of each bar; the row without an axis is the number of records under all filters."""
        return self._searched("charts", filters, {})

    def groups(self, filters: Filters) -> list[Row]:
        """One page of groups, in order."""
        paging = {"chosen": filters.group, "page": filters.page, "size": PAGE_SIZE}
        return self._searched("groups", filters, paging)

    def members(self, group: str) -> list[Row]:
        """The records of a group, in the order of its slots; none for an unknown one."""
        return self._rows("members", {"chosen": group})

    def whole(self) -> Row:
        """How many records and groups there are, and how many were judged."""
        return self._rows("whole", {})[0]

    def put(self, group: str, state: str | None) -> None:
        """Say what a group's decision comes to; None where it has none."""
        with self._writing, self._connection.cursor() as cursor:
            cursor.execute(queries.folder("review")["forget"].sql, {"chosen": group})
            if state is not None:
                cursor.execute(queries.folder("review")["put"].sql, {"chosen": group, "state": state})

    def _searched(self, name: str, filters: Filters, more: Mapping[str, object]) -> list[Row]:
        """The rows of a query that reads `found`, the records that the words of `filters` find."""
        found = self._find(filters.words.lower())
        with self._connection.cursor() as cursor:
            cursor.register("found", found)
            return _ask(cursor, name, {**filters.parameters(), "searched": bool(filters.words), **more})

    def _find(self, words: str) -> Any:
        """The rows that a search finds, as an Arrow table; the texts are read once a search and not once a page."""
        with self._searching:
            if words not in self._found:
                with self._connection.cursor() as cursor:
                    find = cursor.sql(queries.folder("review")["find"].sql, params={"words": words})
                    self._found[words] = find.to_arrow_table()
                for oldest in list(self._found)[:-_SEARCHES_KEPT]:
                    del self._found[oldest]
            return self._found[words]

    def _rows(self, name: str, parameters: Mapping[str, object]) -> list[Row]:
        with self._connection.cursor() as cursor:
            return _ask(cursor, name, parameters)


def _ask(cursor: database.Connection, name: str, parameters: Mapping[str, object]) -> list[Row]:
    answer = cursor.execute(queries.folder("review")[name].sql, dict(parameters))
    names = [column[0] for column in answer.description]
    return [dict(zip(names, values, strict=True)) for values in answer.fetchall()]


@contextmanager
def opened(parquet: Path, plan: Plan | None, states: Mapping[str, str]) -> Iterator[Catalog]:
    """Load the records of a Parquet file; `states` is what each decision comes to. Raises CatalogError."""
    import duckdb
    import pyarrow as pa

    text = pa.string()
    slots = [(slot.record_id, group.group_id) for group in (plan.groups if plan else ()) for slot in group.slots]
    columns = {
        "record_id": pa.array([record for record, _ in slots], text),
        "group_id": pa.array([group for _, group in slots], text),
        "position": pa.array(range(len(slots)), pa.int64()),
    }
    decisions = {"group_id": pa.array(states.keys(), text), "state": pa.array(states.values(), text)}
    with database.opened() as connection:
        connection.execute("SET enable_progress_bar = false")
        database.put(connection, {"places": pa.table(columns), "decisions": pa.table(decisions)})
        try:
            arrived = connection.read_parquet(str(parquet), file_row_number=True)
            missing = sorted(set(FIELDS) - set(arrived.columns))
            if missing:
                raise CatalogError(f"{parquet.name} has no column {', '.join(missing)}")
            arrived.create_view("arrived")
            connection.execute(queries.folder("review")["load"].sql)
        except duckdb.Error as error:
            raise CatalogError(f"{parquet.name} cannot be read: {' '.join(str(error).split())[:200]}") from None
        connection.unregister("arrived")
        database.lock(connection)
        yield Catalog(connection)
