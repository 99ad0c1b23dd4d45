"""The gate: every criterion of a release, each one SQL file that returns the offending rows."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evalspec.outputs import database, dedup, queries
from evalspec.outputs.assemble import GENERATED, standing
from evalspec.outputs.comparing import Written, compared_texts, written_of
from evalspec.outputs.embedder import EMBEDDERS
from evalspec.outputs.facts import jurisdiction_names
from evalspec.outputs.findings import Finding, findings_table, schema_table
from evalspec.outputs.header import config_findings, header_findings, header_of, section_findings
from evalspec.outputs.loading import Answer, Job, Pending, reader
from evalspec.outputs.places import origin_place, row_place
from evalspec.outputs.provenance import provenance
from evalspec.outputs.queries import Query
from evalspec.outputs.reading import Contents, differences, read_release, validated
from evalspec.outputs.tables import plan_tables
from evalspec.outputs.writers import card
from evalspec.spec import journal as journals
from evalspec.spec.config import Dedup
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
class CheckReport:
    """All criteria by code, their findings as diagnostics, and what was judged. `partial` names the filters of the
    plan.
    """

    rows: tuple[Criterion, ...]
    diagnostics: tuple[Diagnostic, ...]
    records: int
    partial: str

    @property
    def passed(self) -> bool:
        """Whether no criterion failed."""
        return all(row.verdict != "failed" for row in self.rows)


@dataclass(frozen=True, slots=True)
class _Context:
    release: Path
    plan: Plan | None
    contents: Contents
    preview: bool | None


def check(release: Path, plan: Plan | None = None, *, folder: Path | None = None) -> CheckReport:
    """Judge the release in `release` against `plan`, and by itself where there is none.

    `folder` is where the plan lies: with the journal under it, duplicates are looked for in what was written, and
    it is known who filled the dataset. Nothing is raised for what the release holds or lacks.
    """
    with reader() as pending, database.opened() as connection:
        contents = read_release(release)
        header, header_fault, body = header_of(contents.card or "")
        tagged = isinstance(header, dict) and card.PREVIEW_TAG in (header.get("tags") or [])
        preview, written = _from_journal(plan, folder, tagged)
        context = _Context(release, plan, contents, preview)
        _load(connection, context, written)
        faults = list(validated(contents))
        findings = [*contents.findings, *differences(contents), *_card_findings(context, header, header_fault, body)]
        findings += _reader_findings(contents, _answer(pending, contents, header))
        database.put(connection, {"schema_faults": schema_table(faults), "facts_found": findings_table(findings)})
        judged = [_judge(connection, query, context) for query in queries.folder("checks").values()]
    rows = tuple(criterion for criterion, _ in judged)
    diagnostics = tuple(diagnostic for _, some in judged for diagnostic in some)
    return CheckReport(rows, diagnostics, len(contents.rows), _partial(plan))


def page(code: str) -> str | None:
    """The page of a criterion in Markdown, from the comment on top of its SQL; None for a code that is no
    criterion.
    """
    for query in queries.folder("checks").values():
        if query.comment["code"] == code:
            comment = query.comment
            note = f"\n{comment['note']}\n" if "note" in comment else ""
            sql = f"```sql\n{query.parts['rows']}\n```\n"
            return (
                f"# {code} {comment['name']}\n\n{comment['what']}\n{note}\n## Why\n\n{comment['why']}\n\n"
                f"## How to mend it\n\n{comment['mend']}\n\n## How it is judged\n\n{sql}"
            )
    return None


def _partial(plan: Plan | None) -> str:
    if plan is None or not plan.filters.partial:
        return ""
    named = plan.filters.model_dump(exclude_none=True)
    return ", ".join(f"{name} {value}" for name, value in named.items())


def _from_journal(plan: Plan | None, folder: Path | None, tagged: bool) -> tuple[bool | None, dict[str, Written]]:
    """Whether no model was at work, and what was written; only what the card says where there is no readable journal.

    A run may have had another provider than the plan's: a card that is tagged as a preview says which attempts count.
    """
    said = True if tagged else None
    if plan is None or folder is None:
        return said, {}
    path = folder / GENERATED / journals.JOURNAL_NAME
    with suppress(OSError, journals.JournalCorruptError):
        journal = journals.read(path)
        planned = None if not tagged else "embedded"
        attempts = standing(plan, journal, planned) or standing(plan, journal, "embedded")
        made = provenance(journal, attempts, {attempt.group for attempt in attempts})
        return made.preview if made.makers else said, written_of(attempts, plan)
    return said, {}


def _load(connection: database.Connection, context: _Context, written: dict[str, Written]) -> None:
    import pyarrow as pa

    contents, plan = context.contents, context.plan
    records = contents.table.append_column("row", pa.array(contents.numbers, pa.int64()))
    tables = plan_tables(plan, len(contents.numbers), context.preview)
    database.put(connection, tables | {"records": records})
    database.add_views(connection)
    rows = contents.table.select(["id", "prompt", "prompt_template_id", "reference_context", "linked_prompt_ids"])
    texts = compared_texts(rows.to_pylist(), plan, written)
    settings = plan.dedup if plan else Dedup()
    if settings.embedder not in EMBEDDERS:
        settings = settings.model_copy(update={"embedder": "hashed"})
    quotas = plan.allocation.geographies if plan else ()
    names = jurisdiction_names(plan.labels.get(quota.name, quota.name) for quota in quotas) if plan else ()
    dedup.load(connection, texts, settings, names)
    steps = queries.folder("dedup")
    connection.execute(steps["alike"].sql)
    connection.execute(steps["compared"].sql)


def _answer(pending: Pending, contents: Contents, header: Any) -> Answer:
    readable = contents.from_parquet and bool(contents.rows)
    whole = contents.objects is not None and not any(f.found == "torn" for f in contents.findings)
    job = Job(
        str(contents.parquet) if readable else None,
        str(contents.jsonl) if whole and contents.objects else None,
        _plain(header.get("configs")) if isinstance(header, dict) else None,
    )
    return pending.answer(job)


def _plain(value: Any) -> Any:
    """YAML data as JSON takes it: dates and the like as text."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _reader_findings(contents: Contents, answer: Answer) -> list[Finding]:
    out = []
    if answer.parquet:
        message = f"datasets cannot read {contents.parquet.name}: {answer.parquet}"
        out.append(Finding("ES622", message, "not read", "read by datasets"))
    if answer.jsonl:
        message = f"datasets cannot read {contents.jsonl.name} as it reads the Parquet: {answer.jsonl}"
        out.append(Finding("ES623", message, "not read", "read by datasets"))
    return [*out, *config_findings(answer)]


def _card_findings(context: _Context, header: Any, fault: str | None, body: str) -> list[Finding]:
    if context.contents.card is None:
        return [Finding("ES620", "there is no README.md", "no file", "README.md", "card")]
    out = [Finding("ES620", fault, "no header", "a YAML header", "card")] if fault else []
    if isinstance(header, dict):
        out += header_findings(header, len(context.contents.rows), context.plan)
    return [*out, *section_findings(body, context.preview, header if isinstance(header, dict) else None)]


def _judge(connection: database.Connection, query: Query, context: _Context) -> tuple[Criterion, Sequence[Diagnostic]]:
    """Run a criterion's two statements."""
    code, name = query.comment["code"], query.comment["name"]
    reason = _why_not(query, context)
    if reason:
        return Criterion(code, name, "", "", "not_judged", reason), ()
    offending = database.rows(connection, query.parts["rows"])
    summary = database.rows(connection, query.parts["summary"])[0]
    verdict: Verdict = "passed" if not offending else "note" if _is_note(code) else "failed"
    criterion = Criterion(code, name, summary["required"], summary["found"], verdict, summary["note"])
    diagnostics = [_diagnostic(query, row, context) for row in offending[:SHOWN]]
    if len(offending) > SHOWN:
        message = f"{len(offending) - SHOWN:,} more findings of {name}"
        diagnostics.append(found(code, message, diagnostics[-1].place))
    return criterion, diagnostics


def _is_note(code: str) -> bool:
    return found(code, "", Place("")).severity is Severity.NOTE


def _why_not(query: Query, context: _Context) -> str:
    """Why a criterion cannot be judged here; empty if it can."""
    needs, contents = query.words("needs"), context.contents
    absent = sorted(set(query.words("fields")) & contents.missing)
    reasons = (
        ("plan" in needs and context.plan is None, "no plan was given"),
        ("records" in needs and not contents.rows, "there are no records to read"),
        ("card" in needs and contents.card is None, "there is no card"),
        ("provenance" in needs and context.preview is None, "neither a journal nor the card says who wrote it"),
        ("jsonl" in needs and contents.objects is None and context.plan is None, "there is no JSONL file"),
        (bool(absent) and bool(contents.rows), f"the records have no field {', '.join(absent)}"),
    )
    return next((reason for applies, reason in reasons if applies), "")


def _diagnostic(query: Query, row: dict[str, Any], context: _Context) -> Diagnostic:
    """A finding at the YAML that asked; at the row, or the file, where nothing did."""
    code = query.comment["code"]
    at = _row_place(row["row"], context) if row["row"] is not None else None
    hint = query.comment["mend"]
    if context.plan is not None and row["origin"]:
        related = [Related(at, "the record")] if at else []
        return found(code, row["message"], origin_place(context.plan, row["origin"]), hint=hint, related=related)
    return found(code, row["message"], at or _file_place(code, context), hint=hint)


def _row_place(row: int, context: _Context) -> Place:
    contents = context.contents
    if contents.objects is None:
        return Place(str(contents.parquet), path=f"[{row - 1}]")
    lines = contents.lines
    text = lines[row - 1].encode("utf-8", "replace").decode() if row <= len(lines) else ""
    return row_place(contents.jsonl, row, text)


def _file_place(code: str, context: _Context) -> Place:
    files = {
        "ES620": context.release / card.NAME,
        "ES621": context.release / card.NAME,
        "ES622": context.contents.parquet,
        "ES623": context.contents.jsonl,
    }
    return Place(str(files.get(code, context.release)))
