"""Whether a card describes the columns that the dataset has: its table of fields, and the features of its header."""

import re
from collections.abc import Iterator
from typing import Any

from evalspec.outputs.findings import Finding
from evalspec.outputs.writers.card import type_name

_ROW = re.compile(r"^\|\s*`([^`|]+)`\s*\|\s*([^|]*?)\s*\|", re.MULTILINE)
_SECTION = re.compile(r"^##[ \t]+fields[ \t]*#*[ \t]*$(.*?)(?=^##[ \t]|\Z)", re.MULTILINE | re.DOTALL | re.IGNORECASE)


def columns(schema: Any) -> dict[str, str]:
    """The columns of an Arrow schema and the parts of its objects, each with its type as the card writes it."""
    from pyarrow import types

    out = {}
    for column in schema:
        out[column.name] = type_name(column.type)
        if types.is_struct(column.type):
            out |= {f"{column.name}.{part.name}": type_name(part.type) for part in column.type}
    return out


def feature_findings(body: str, header: Any, schema: Any) -> Iterator[Finding]:
    """Where a card and a schema disagree; nothing where the card has no table of fields and no features."""
    wanted = columns(schema)
    section = _SECTION.search(body)
    listed = {name: kind.removesuffix(" or null") for name, kind in _ROW.findall(section[1])} if section else {}
    if listed:
        yield from _compared(wanted, listed)
    info = header.get("dataset_info") if isinstance(header, dict) else None
    features = info.get("features") if isinstance(info, dict) else None
    if isinstance(features, list):
        named = [feature.get("name") for feature in features if isinstance(feature, dict)]
        top = [name for name in wanted if "." not in name]
        if named != top:
            missing = sorted({*map(str, named)} ^ set(top))
            message = f"the header's features are not the file's columns: {', '.join(missing) or 'another order'}"
            yield Finding("ES634", message, f"{len(named)} features", f"{len(top)} columns", "card")


def _compared(wanted: dict[str, str], listed: dict[str, str]) -> Iterator[Finding]:
    for name, kind in wanted.items():
        if name not in listed:
            yield Finding("ES634", f"the card's table of fields has no {name}", "missing", kind, "card")
        elif listed[name] != kind:
            message = f"the card says that {name} is {listed[name]}, in the file it is {kind}"
            yield Finding("ES634", message, listed[name], kind, "card")
    for name in listed:
        if name not in wanted:
            yield Finding("ES634", f"the card lists a field {name}, which the file does not have", name, "none", "card")
