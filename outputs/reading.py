"""Reading any folder of records, however broken: what can be read is read, and what cannot is named.

The two files are read side by side, some records at a time: at a hundred thousand records neither is held as Python
objects. What is kept is the Arrow table.
"""

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from evalspec.outputs.findings import Finding, SchemaFault
from evalspec.outputs.fitting import column_faults, fit
from evalspec.outputs.lines import Lines
from evalspec.outputs.records import FIELDS, Row, arrow_schema, to_table
from evalspec.outputs.validating import Validator
from evalspec.outputs.writers import jsonl, parquet
from evalspec.outputs.writers.card import NAME as CARD
from evalspec.spec.dataclass import dataclass

BATCH = 1000
SHOWN_DIFFERENCES = 1000
"""How many rows that differ between the files are kept as findings."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a release folder holds.

    `table` are the records of the Parquet file, or of the JSONL file where there is no other, in the declared schema,
    with null for what does not fit; `numbers` are their places in their file, from 1. `lines` are the lines of the
    JSONL file, None where it cannot be read; `torn` says whether one of them is no JSON.
    """

    parquet: Path
    jsonl: Path
    table: Any
    numbers: list[int]
    missing: frozenset[str]
    lines: Lines | None
    torn: bool
    card: str | None
    from_parquet: bool
    findings: tuple[Finding, ...]
    schema_faults: tuple[SchemaFault, ...]

    @property
    def count(self) -> int:
        """How many records there are."""
        return len(self.numbers)


def read_release(folder: Path) -> Contents:
    """Read and compare the files of `folder`, and validate its records; nothing is raised for what they hold."""
    paths = _find(folder, parquet.NAME, "*.parquet"), _find(folder, jsonl.NAME, "*.jsonl")
    findings: list[Finding] = []
    arrow, why = _read_parquet(paths[0])
    if why:
        findings.append(Finding("ES622", why, "not read", "Parquet"))
    lines, why = _open_lines(paths[1])
    if why:
        findings.append(Finding("ES623", why, "no file", "JSONL"))
    walk = _Walk(arrow, lines, paths[1].name)
    walk.go()
    table = arrow if arrow is not None and arrow.schema.equals(arrow_schema()) else walk.fitted()
    return Contents(
        *paths,
        table,
        walk.numbers,
        frozenset(FIELDS) - walk.present,
        lines,
        bool(walk.torn),
        _read_text(folder / CARD),
        arrow is not None,
        (*findings, *walk.torn, *walk.unequal()),
        tuple(walk.faults),
    )


_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
_NOTHING = object()
"""Stands for a row or line that there is not."""


class _Walk:
    """One pass over both files."""

    def __init__(self, arrow: Any, lines: Lines | None, name: str) -> None:
        self.arrow, self.lines, self.name = arrow, lines, name
        self.numbers: list[int] = []
        self.present: set[str] = set() if arrow is None else set(arrow.column_names)
        self.faults: list[SchemaFault] = [] if arrow is None else list(column_faults(arrow.schema))
        self.torn: list[Finding] = []
        self.differing: list[Finding] = []
        self._tables: list[Any] = []
        self._fit: list[Row] = []
        self._keep = arrow is None or not arrow.schema.equals(arrow_schema())
        absent = arrow is not None and bool(set(FIELDS) - self.present)
        self._validator = Validator(absent)

    def go(self) -> None:
        """Look at every record of either file once."""
        rows: Iterator[Any] = _rows(self.arrow) if self.arrow is not None else iter(())
        lines: Iterator[Any] = iter(self.lines) if self.lines is not None else iter(())
        for number, (row, line) in enumerate(zip_longest(rows, lines, fillvalue=_NOTHING), 1):
            if self.arrow is None:
                self._line_alone(number, line)
            else:
                self._row_and_line(number, row, line)

    def _line_alone(self, number: int, line: Any) -> None:
        item = self._parsed(number, line)
        if item is _NOTHING:
            return
        self.numbers.append(number)
        if isinstance(item, dict):
            self.present.update(item)
        self._add(item)
        self.faults += self._validator.faults(number, item, line)

    def _row_and_line(self, number: int, row: Any, line: Any) -> None:
        text = ""
        if row is not _NOTHING:
            text = _ENCODER.encode(row)
            self.numbers.append(number)
            self._add(row)
            self.faults += self._validator.faults(number, row, text)
        if line is _NOTHING or line == text:
            return
        item = self._parsed(number, line)
        if item is _NOTHING or (row is not _NOTHING and _canonical(item) == _canonical(row)):
            return
        self.faults += self._validator.faults(number, item, line)
        if row is not _NOTHING and len(self.differing) < SHOWN_DIFFERENCES:
            message = f"row {number} differs between the files{_fields(row, item)}"
            self.differing.append(Finding("ES623", message, "differs", "the same", None, number))

    def _parsed(self, number: int, line: str) -> Any:
        try:
            return json.loads(line)
        except (ValueError, RecursionError) as error:
            message = f"line {number} of {self.name} is not JSON: {error}"
            self.torn.append(Finding("ES623", message, "torn", "a JSON object", None, number))
            return _NOTHING

    def _add(self, row: Any) -> None:
        if not self._keep:
            return
        self._fit.append(fit(row))
        if len(self._fit) >= BATCH:
            self._tables.append(to_table(self._fit))
            self._fit = []

    def fitted(self) -> Any:
        """All rows as a table of the declared schema."""
        import pyarrow as pa

        return pa.concat_tables([*self._tables, to_table(self._fit)])

    def unequal(self) -> Iterator[Finding]:
        """Where the two files do not hold the same records in the same order."""
        if self.arrow is None or self.lines is None:
            return
        here, there = self.arrow.num_rows, len(self.lines)
        if here != there:
            message = f"the JSONL file has {there:,} records, the Parquet file {here:,}"
            yield Finding("ES623", message, f"{there:,}", f"{here:,}")
        # where there is one row too few, all that follow differ
        yield from self.differing[:1] if here != there else self.differing


def _rows(arrow: Any) -> Iterator[Any]:
    for batch in arrow.to_batches(max_chunksize=BATCH):
        yield from batch.to_pylist()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _fields(row: Any, item: Any) -> str:
    if not isinstance(item, dict):
        return ""
    names = [name for name in (*row, *(key for key in item if key not in row)) if row.get(name) != item.get(name)]
    return f", in {', '.join(names[:4])}" if names else ""


def _find(folder: Path, name: str, pattern: str) -> Path:
    """The file of a release, or the only file that could be it, also under `data/` as the Hub lays it out."""
    path = folder / name
    if path.exists():
        return path
    others = [*sorted(folder.glob(pattern)), *sorted((folder / "data").glob(pattern))]
    return others[0] if len(others) == 1 else path


def _read_parquet(path: Path) -> tuple[Any, str]:
    import pyarrow as pa

    if not path.is_file():
        return None, f"there is no {path.name}"
    try:
        return parquet.read(path), ""
    except (OSError, pa.ArrowException, ValueError) as error:
        return None, f"{path.name} cannot be read: {' '.join(str(error).split())[:200]}"


def _open_lines(path: Path) -> tuple[Lines | None, str]:
    if not path.is_file():
        return None, f"there is no {path.name}"
    try:
        return Lines(path), ""
    except OSError as error:
        return None, f"{path.name} cannot be read: {error.strerror}"


def _read_text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return None
