"""What a criterion that SQL cannot judge finds, in the shape in which all criteria find: a row of `facts_found`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evalspec.spec.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: the code of its criterion, the key of the YAML that asked, and the figure beside its bound."""

    code: str
    message: str
    found: str = ""
    required: str = ""
    origin: str | None = None
    row: int | None = None


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """What the record schema does not admit in one row, or, without a row, in the file's own schema."""

    row: int | None
    message: str


def findings_table(findings: Sequence[Finding]) -> Any:
    """The Arrow table `facts_found`."""
    import pyarrow as pa

    kinds: dict[str, Any] = dict.fromkeys(("code", "message", "found", "required", "origin"), pa.string())
    kinds |= {"row": pa.int64(), "position": pa.int64()}
    rows = [asdict(finding) | {"position": position} for position, finding in enumerate(findings)]
    return pa.Table.from_pylist(rows, schema=pa.schema(list(kinds.items())))


def schema_table(faults: Sequence[SchemaFault]) -> Any:
    """The Arrow table `schema_faults`."""
    import pyarrow as pa

    kinds: dict[str, Any] = {"row": pa.int64(), "message": pa.string()}
    return pa.Table.from_pylist([asdict(fault) for fault in faults], schema=pa.schema(list(kinds.items())))
