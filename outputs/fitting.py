"""Any record in the declared schema, and what of a file's own schema differs from it."""

from collections.abc import Iterator
from typing import Any

from evalspec.outputs.findings import SchemaFault
from evalspec.outputs.records import Row, arrow_schema


def column_faults(schema: Any) -> Iterator[SchemaFault]:
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
