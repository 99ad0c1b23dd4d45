"""Criteria of a spec's own: `checks/*.sql` in the spec folder, in the shape of the shipped ones.

They are other people's programs: each is one SELECT in a read-only transaction, without files, network or settings,
and is interrupted after a while. What is wrong with one is a finding at its file and line, and the others go on.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Timer
from typing import Any

from evalspec.outputs import database
from evalspec.outputs.judging import Context, Criterion, verdict, why_not
from evalspec.outputs.queries import OWN_CODE, Query, parse
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

FOLDER = "checks"
BROKEN = "ES641"
TIMEOUT = 20.0
"""Seconds for each of the two statements."""
MOST_BYTES = 100_000
MOST_ROWS = 10_000
REQUIRED = ("name", "what", "why", "mend")
ROWS = ("origin", "slot", "row", "found", "required", "message")
SUMMARY = ("required", "found", "note")

Judged = tuple[Criterion, Sequence[Diagnostic]]


class _BrokenError(Exception):
    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.line = line


def files_of(folder: Path | None) -> list[Path]:
    """The files of a spec folder's own criteria, by name."""
    return sorted((folder / FOLDER).glob("*.sql")) if folder is not None else []


def judge_own(connection: database.Connection, folder: Path | None, context: Context) -> Iterator[Judged]:
    """Judge each of them. Nothing is raised for what a file holds."""
    for path in files_of(folder):
        try:
            query, text = _read(path)
            yield _judged(connection, query, text, context)
        except _BrokenError as error:
            yield _broken(path, error)


def load_own(path: Path) -> Query | None:
    """One of them as it is read; None where it is broken."""
    try:
        return _read(path)[0]
    except _BrokenError:
        return None


def _broken(path: Path, error: _BrokenError) -> Judged:
    name = path.name.removesuffix(".sql")
    lines = path.read_bytes()[:MOST_BYTES].decode("utf-8", "replace").splitlines() if path.is_file() else []
    shown = lines[error.line - 1][:160] if error.line <= len(lines) else ""
    place = Place(str(path), error.line, 1, error.line, len(shown) + 1, name, shown)
    reason = " ".join(str(error).split())[:300]
    hint = "see docs/checks.md for the shape of a criterion"
    return Criterion(BROKEN, name, "", "", "failed", reason), [found(BROKEN, f"{name}: {reason}", place, hint=hint)]


def _read(path: Path) -> tuple[Query, str]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _BrokenError(f"cannot be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise _BrokenError(f"the file has {len(data):,} bytes, at most {MOST_BYTES:,} are read")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _BrokenError("the file is not UTF-8 text") from None
    query = parse(path.name.removesuffix(".sql"), text)
    lacking = [key for key in REQUIRED if not query.comment.get(key)]
    if lacking:
        raise _BrokenError(f"the comment on top has no {', '.join(lacking)}")
    for part in ("rows", "summary"):
        if not query.parts.get(part):
            raise _BrokenError(f"there is no statement under '--: {part}'")
    return Query(query.file, query.comment | {"code": OWN_CODE}, query.parts), text


def _judged(connection: database.Connection, query: Query, text: str, context: Context) -> Judged:
    name = query.comment["name"]
    reason = why_not(query, context)
    if reason:
        return Criterion(OWN_CODE, name, "", "", "not_judged", reason), ()
    offending = _run(connection, query, "rows", text)
    _require(ROWS, offending, "rows", text)
    summary = _run(connection, query, "summary", text)
    _require(SUMMARY, summary, "summary", text)
    if len(summary) != 1:
        raise _BrokenError(f"the summary has {len(summary)} rows, 1 is required", _line_of(text, "summary"))
    plain = [
        row | {key: _text(row[key]) for key in ("origin", "message")} | {"row": _number(row["row"])}
        for row in offending
    ]
    return verdict(query, plain, {key: _text(summary[0][key]) or "" for key in SUMMARY}, context)


def _require(columns: Sequence[str], rows: Sequence[dict[str, Any]], part: str, text: str) -> None:
    lacking = [name for name in columns if rows and name not in rows[0]]
    if lacking:
        raise _BrokenError(f"'{part}' gives no column {', '.join(lacking)}", _line_of(text, part))


def _run(connection: database.Connection, query: Query, part: str, text: str) -> list[dict[str, Any]]:
    """One statement within its bounds. Raises _BrokenError with the line of the file."""
    import duckdb

    sql = query.parts[part]
    start = _line_of(text, part)
    try:
        statements = duckdb.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise _BrokenError(f"'{part}' must be one SELECT", start)
        return _bounded(connection, sql)
    except duckdb.InterruptException:
        raise _BrokenError(f"'{part}' took longer than {TIMEOUT:g} s", start) from None
    except duckdb.Error as error:
        raise _BrokenError(_first_line(error), start + _offset(error)) from None


def _bounded(connection: database.Connection, sql: str) -> list[dict[str, Any]]:
    timer = Timer(TIMEOUT, connection.interrupt)
    connection.execute("BEGIN TRANSACTION READ ONLY")
    timer.start()
    try:
        cursor = connection.execute(sql)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, values, strict=True)) for values in cursor.fetchmany(MOST_ROWS)]
    finally:
        timer.cancel()
        connection.execute("ROLLBACK")


def _line_of(text: str, part: str) -> int:
    """The line of the file on which a statement begins."""
    mark = re.search(rf"^--:\s*{part}\s*\n\s*", text, re.MULTILINE)
    return text[: mark.end()].count("\n") + 1 if mark else 1


def _first_line(error: Exception) -> str:
    return str(error).split("\n\n", maxsplit=1)[0]


def _offset(error: Exception) -> int:
    """How many lines into its statement DuckDB places an error: it says `LINE 3:`."""
    said = re.search(r"^LINE (\d+):", str(error), re.MULTILINE)
    return int(said[1]) - 1 if said else 0


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return row | {key: _text(row[key]) for key in ("origin", "message")} | {"row": _number(row["row"])}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
