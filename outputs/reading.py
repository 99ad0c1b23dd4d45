"""Reading any folder of records, however broken: what can be read is read, and what cannot is named."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalspec.outputs.findings import Finding, SchemaFault
from evalspec.outputs.records import FIELDS, Row, arrow_schema, to_table
from evalspec.outputs.writers import jsonl, parquet
from evalspec.outputs.writers.card import NAME as CARD
from evalspec.spec.record import record_schema


@dataclass(frozen=True, slots=True)
class Contents:
    """What a release folder holds.

    `rows` are the records of the Parquet file, or of the JSONL file where there is no other, as they stand in it;
    `table` is the same in the declared schema, with null for what does not fit. `numbers` are the rows' places in
    their file, from 1. `lines` are the lines of the JSONL file, and `objects` what they hold.
    """

    parquet: Path
    jsonl: Path
    rows: list[Any]
    numbers: list[int]
    table: Any
    missing: frozenset[str]
    lines: list[str]
    objects: list[Any] | None
    card: str | None
    from_parquet: bool
    findings: list[Finding] = field(default_factory=list)
    schema_faults: list[SchemaFault] = field(default_factory=list)


def read_release(folder: Path) -> Contents:
    """Read the files of `folder`; nothing is raised for what they hold."""
    files = _find(folder, parquet.NAME, "*.parquet"), _find(folder, jsonl.NAME, "*.jsonl")
    findings: list[Finding] = []
    arrow, why = _read_parquet(files[0])
    if why:
        findings.append(Finding("ES622", why, "not read", "Parquet"))
    lines, objects, faults = _read_jsonl(files[1])
    findings += faults
    schema_faults = list(_column_faults(arrow.schema)) if arrow is not None else []
    numbered = enumerate(arrow.to_pylist() if arrow is not None else objects or [], 1)
    whole = [(number, row) for number, row in numbered if row is not _TORN]
    numbers, rows = [number for number, _ in whole], [row for _, row in whole]
    missing = frozenset(FIELDS) - _present(arrow, rows)
    table = arrow if arrow is not None and arrow.schema.equals(arrow_schema()) else to_table([fit(row) for row in rows])
    card = _read_text(folder / CARD)
    return Contents(
        *files, rows, numbers, table, missing, lines, objects, card, arrow is not None, findings, schema_faults
    )


class _Torn:
    pass


_TORN = _Torn()
"""Stands for a line of JSONL that is no JSON."""


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


def _read_jsonl(path: Path) -> tuple[list[str], list[Any] | None, list[Finding]]:
    if not path.is_file():
        return [], None, [Finding("ES623", f"there is no {path.name}", "no file", "JSONL")]
    try:
        data = path.read_bytes()
    except OSError as error:
        return [], None, [Finding("ES623", f"{path.name} cannot be read: {error.strerror}", "not read", "JSONL")]
    lines = data.decode("utf-8", errors="surrogateescape").split("\n")
    if lines[-1] == "":
        lines.pop()
    objects: list[Any] = []
    findings: list[Finding] = []
    for number, line in enumerate(lines, 1):
        try:
            objects.append(json.loads(line))
        except ValueError as error:
            objects.append(_TORN)
            message = f"line {number} of {path.name} is not JSON: {error}"
            findings.append(Finding("ES623", message, "torn", "a JSON object", None, number))
    return lines, objects, findings


def _read_text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return None


def _present(arrow: Any, rows: Sequence[Any]) -> set[str]:
    if arrow is not None:
        return set(arrow.column_names)
    return {key for row in rows if isinstance(row, dict) for key in row}


def _column_faults(schema: Any) -> Iterator[SchemaFault]:
    """Columns that are missing, too many, or of another type; large and dictionary types are as good as plain ones."""
    declared = arrow_schema()
    for wanted in declared:
        index = schema.get_field_index(wanted.name)
        if index < 0:
            yield SchemaFault(None, f"the Parquet file has no column {wanted.name}")
        elif plain(schema.field(index).type) != plain(wanted.type):
            given = schema.field(index).type
            yield SchemaFault(None, f"the column {wanted.name} is {given}, {wanted.type} is required")
    for name in schema.names:
        if name not in declared.names:
            yield SchemaFault(None, f"the Parquet file has a column {name}, which no record has")


def plain(kind: Any) -> str:
    """A type as text, without what makes no difference to a reader."""
    from pyarrow import types

    if types.is_dictionary(kind):
        return plain(kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind):
        return f"list<{plain(kind.value_type)}>"
    if types.is_struct(kind):
        return f"struct<{','.join(f'{part.name}:{plain(part.type)}' for part in kind)}>"
    return "string" if types.is_large_string(kind) or types.is_string_view(kind) else str(kind)


def fit(row: Any) -> Row:
    """A row of the declared schema from anything; what does not fit is null."""
    given = row if isinstance(row, dict) else {}
    return {part.name: _fit(given.get(part.name), part.type) for part in arrow_schema()}


def _fit(value: Any, kind: Any) -> Any:
    from pyarrow import types

    if types.is_list(kind):
        return [_fit(item, kind.value_type) for item in value] if isinstance(value, list) else None
    if types.is_struct(kind):
        return {part.name: _fit(value.get(part.name), part.type) for part in kind} if isinstance(value, dict) else None
    if types.is_boolean(kind):
        return value if isinstance(value, bool) else None
    if types.is_integer(kind):
        whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
        return value if whole else None
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None


def validated(contents: Contents) -> Iterator[SchemaFault]:
    """What the JSON Schema of a record does not admit, in the records and in the lines of JSONL that differ from
    them.

    Columns that are missing altogether are named once; the form of ids is judged by criteria of its own.
    """
    from jsonschema import Draft202012Validator

    yield from contents.schema_faults
    validator = Draft202012Validator(_inlined(record_schema()))
    rows = list(zip(contents.numbers, contents.rows, strict=True))
    if contents.from_parquet:
        same = dict(rows)
        differing = [
            (number, item)
            for number, item in enumerate(contents.objects or [], 1)
            if item is not _TORN and item != same.get(number)
        ]
        rows += differing
    for number, row in rows:
        for error in validator.iter_errors(row):
            path = list(error.absolute_path)
            id_form = error.validator == "pattern" and path[:1] in (["id"], ["linked_prompt_ids"])
            absent = error.validator == "required" and contents.from_parquet and bool(contents.missing) and not path
            if not id_form and not absent:
                where = ".".join(str(part) for part in path)
                yield SchemaFault(number, f"{where}: {error.message}"[:200] if where else error.message[:200])


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with its references put in place: following them is a third of the time that validating takes."""
    defined = schema.get("$defs", {})

    def inline(part: Any) -> Any:
        if isinstance(part, dict):
            reference = part.get("$ref", "")
            if reference:
                return inline(defined[reference.removeprefix("#/$defs/")])
            return {key: inline(value) for key, value in part.items() if key != "$defs"}
        return [inline(item) for item in part] if isinstance(part, list) else part

    plain_schema: dict[str, Any] = inline(schema)
    return plain_schema


def differences(contents: Contents) -> Iterator[Finding]:
    """Where the two files do not hold the same records in the same order."""
    if contents.objects is None or not contents.from_parquet:
        return
    here, there = len(contents.rows), len(contents.objects)
    if here != there:
        message = f"the JSONL file has {there:,} records, the Parquet file {here:,}"
        yield Finding("ES623", message, f"{there:,}", f"{here:,}")
    for number, (row, item) in enumerate(zip(contents.rows, contents.objects, strict=False), 1):
        if item is not _TORN and json.dumps(item, sort_keys=True) != json.dumps(row, sort_keys=True, default=str):
            message = f"row {number} differs between the files{_fields(row, item)}"
            yield Finding("ES623", message, "differs", "the same", None, number)
            if here != there:  # one row too few, and all that follow differ
                return


def _fields(row: Any, item: Any) -> str:
    if not isinstance(item, dict):
        return ""
    names = [name for name in (*row, *(key for key in item if key not in row)) if row.get(name) != item.get(name)]
    return f", in {', '.join(names[:4])}" if names else ""
