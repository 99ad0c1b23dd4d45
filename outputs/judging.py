"""One criterion over one release: its two statements, and what they find as diagnostics."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from evalspec.outputs import database
from evalspec.outputs.places import origin_place, row_place
from evalspec.outputs.queries import OWN_CODE, Query
from evalspec.outputs.reading import Contents
from evalspec.outputs.writers import card
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, Related, Severity, found
from evalspec.spec.plan import Plan
from evalspec.spec.source import Place

Verdict = Literal["passed", "failed", "not_judged", "note"]
SHOWN = 20
"""How many findings of one criterion become diagnostics; a last one counts the others."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """A row of the table of verdicts. `note` says why it was not judged, or under which rule it passed."""

    code: str
    name: str
    required: str
    found: str
    verdict: Verdict
    note: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """What is judged, and what is known about it beside its files."""

    release: Path
    plan: Plan | None
    contents: Contents
    preview: bool | None
    filled: bool
    """Whether there is a journal."""
    no_embedder: str = ""
    """Why no texts were compared."""


def judge(connection: database.Connection, query: Query, context: Context) -> tuple[Criterion, Sequence[Diagnostic]]:
    """Run a criterion's two statements."""
    code, name = query.comment["code"], query.comment["name"]
    reason = why_not(query, context)
    if reason:
        return Criterion(code, name, "", "", "not_judged", reason), ()
    offending = database.rows(connection, query.parts["rows"])
    summary = database.rows(connection, query.parts["summary"])[0]
    return verdict(query, offending, summary, context)


def verdict(
    query: Query, offending: Sequence[dict[str, Any]], summary: dict[str, Any], context: Context
) -> tuple[Criterion, Sequence[Diagnostic]]:
    """What a criterion's rows come to."""
    code, name = query.comment["code"], query.comment["name"]
    passed: Verdict = "passed" if not offending else "note" if _is_note(code) else "failed"
    criterion = Criterion(code, name, summary["required"], summary["found"], passed, summary["note"])
    diagnostics = [_diagnostic(query, row, context) for row in offending[:SHOWN]]
    if len(offending) > SHOWN:
        message = f"{len(offending) - SHOWN:,} more findings of {name}"
        diagnostics.append(found(code, message, diagnostics[-1].place))
    return criterion, diagnostics


def _is_note(code: str) -> bool:
    return found(code, "", Place("")).severity is Severity.NOTE


def why_not(query: Query, context: Context) -> str:
    """Why a criterion cannot be judged here; empty if it can."""
    needs, contents = query.words("needs"), context.contents
    absent = sorted(set(query.words("fields")) & contents.missing)
    reasons = (
        ("plan" in needs and context.plan is None, "no plan was given"),
        ("records" in needs and not contents.count, "there are no records to read"),
        ("card" in needs and contents.card is None, "there is no card"),
        ("provenance" in needs and context.preview is None, "neither a journal nor the card says who wrote it"),
        ("embedder" in needs and bool(context.no_embedder), context.no_embedder),
        ("filled" in needs and not context.filled, "no journal says what was filled"),
        ("jsonl" in needs and contents.lines is None and context.plan is None, "there is no JSONL file"),
        (bool(absent) and bool(contents.count), f"the records have no field {', '.join(absent)}"),
    )
    return next((reason for applies, reason in reasons if applies), "")


def _diagnostic(query: Query, row: dict[str, Any], context: Context) -> Diagnostic:
    """A finding at the YAML that asked; at the row, or the file, where nothing did."""
    code = query.comment["code"]
    at = _row_place(row["row"], context) if row["row"] is not None else None
    hint = query.comment["mend"]
    if context.plan is None and code != OWN_CODE:  # nothing here was assembled, so nothing can be assembled again
        hint = f"evalspec explain {code} says what is wanted and why"
    if context.plan is not None and row["origin"]:
        related = [Related(at, "the record")] if at else []
        return found(code, row["message"], origin_place(context.plan, row["origin"]), hint=hint, related=related)
    return found(code, row["message"], at or _file_place(code, context), hint=hint)


def _row_place(row: int, context: Context) -> Place:
    contents = context.contents
    if contents.lines is None:
        return Place(str(contents.parquet), path=f"[{row - 1}]")
    return row_place(contents.jsonl, row, contents.lines.text(row))


def _file_place(code: str, context: Context) -> Place:
    files = {
        "ES620": context.release / card.NAME,
        "ES621": context.release / card.NAME,
        "ES622": context.contents.parquet,
        "ES623": context.contents.jsonl,
        "ES634": context.release / card.NAME,
    }
    return Place(str(files.get(code, context.release)))
