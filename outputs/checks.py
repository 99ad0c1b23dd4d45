"""The gate: every criterion of a release, each one SQL file that returns the offending rows."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from evalspec.outputs import database, dedup, own_checks, queries
from evalspec.outputs.comparing import Written, compared_texts
from evalspec.outputs.embedder import EmbedderError, Embedding, Watch, unwatched
from evalspec.outputs.facts import jurisdiction_names
from evalspec.outputs.features import feature_findings
from evalspec.outputs.filled import Filled, from_journal
from evalspec.outputs.findings import Finding, findings_table, schema_table
from evalspec.outputs.guidance import guidance_table
from evalspec.outputs.header import config_findings, header_findings, header_of, section_findings
from evalspec.outputs.judging import SHOWN, Context, Criterion, judge
from evalspec.outputs.leaking import leaks_table
from evalspec.outputs.loading import Answer, Job, Pending, reader
from evalspec.outputs.queries import Query
from evalspec.outputs.reading import Contents, read_release
from evalspec.outputs.standing import GENERATED
from evalspec.outputs.tables import plan_tables
from evalspec.outputs.writers import card
from evalspec.spec.config import Dedup
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.plan import Plan

__all__ = ["SHOWN", "CheckReport", "Criterion", "check", "explained", "page"]


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


def check(
    release: Path, plan: Plan | None = None, *, folder: Path | None = None, watch: Watch = unwatched
) -> CheckReport:
    """Judge the release in `release` against `plan`, and by itself where there is none.

    `folder` is where the plan lies: with the journal under it, duplicates are looked for in what was written, and
    it is known who filled the dataset; criteria of the spec's own are in its `checks/`. `watch` is told how far the
    model of `dedup.embedder` is. Nothing is raised for what the release holds or lacks.
    """
    with reader() as pending, database.opened() as connection:
        contents = read_release(release)
        header, header_fault, body = header_of(contents.card or "")
        tagged = isinstance(header, dict) and card.PREVIEW_TAG in (header.get("tags") or [])
        filled = from_journal(plan, folder, tagged)
        context = Context(release, plan, contents, filled.preview, filled.there)
        findings = [*contents.findings, *_card_findings(context, header, header_fault, body)]
        how = Embedding(folder / GENERATED if folder else None, watch)
        context = replace(context, no_embedder=_load(connection, context, filled, how))
        findings += _reader_findings(contents, _answer(pending, contents, header))
        facts = {"schema_faults": schema_table(contents.schema_faults), "facts_found": findings_table(findings)}
        database.put(connection, facts)
        database.lock(connection)
        judged = [judge(connection, query, context) for query in queries.folder("checks").values()]
        judged += own_checks.judge_own(connection, folder, context)
    rows = tuple(criterion for criterion, _ in judged)
    diagnostics = tuple(diagnostic for _, some in judged for diagnostic in some)
    return CheckReport(rows, diagnostics, contents.count, _partial(plan))


_OWN_PAGES = {
    queries.OWN_CODE: (
        "A criterion of the spec's own, a file of `checks/` in the spec folder, found rows. "
        "`evalspec check --explain NAME` shows what it asks and why.",
        "What a dataset must hold beside the shipped criteria is known to its owner alone.",
        "See the `mend` line of the criterion; `docs/checks.md` says how one is written.",
    ),
    own_checks.BROKEN: (
        "A file of `checks/` in the spec folder is no criterion: its comment lacks a line, a statement is not one "
        "SELECT, names what is not there, reaches for a file, or takes too long.",
        "A criterion that cannot be judged is not one that is met.",
        "Mend the file at the line that is named; `docs/checks.md` says how a criterion is written.",
    ),
}


def page(code: str) -> str | None:
    """The page of a criterion in Markdown, from the comment on top of its SQL; None for a code that is no
    criterion.
    """
    if code in _OWN_PAGES:
        what, why, mend = _OWN_PAGES[code]
        name = {queries.OWN_CODE: "own-check", own_checks.BROKEN: "own-check-broken"}[code]
        return f"# {code} {name}\n\n{what}\n\n## Why\n\n{why}\n\n## How to mend it\n\n{mend}\n"
    found = (query for query in queries.folder("checks").values() if query.comment["code"] == code)
    return next((_page(query) for query in found), None)


def explained(name: str, folder: Path | None = None) -> str | None:
    """The page of a criterion by name or code, shipped or in the `checks/` of `folder`; None if there is none."""
    shipped = list(queries.folder("checks").values())
    own = [query for path in own_checks.files_of(folder) if (query := own_checks.load_own(path)) is not None]
    for query in (*shipped, *own):
        if name in (query.comment["name"], query.comment["code"], query.file):
            return _page(query)
    return page(name)


def names(folder: Path | None = None) -> list[str]:
    """The names of all criteria, those of `folder` last."""
    own = [query for path in own_checks.files_of(folder) if (query := own_checks.load_own(path)) is not None]
    return [query.comment["name"] for query in (*queries.folder("checks").values(), *own)]


def _page(query: Query) -> str:
    comment = query.comment
    note = f"\n{comment['note']}\n" if "note" in comment else ""
    sql = f"```sql\n{query.parts['rows']}\n```\n"
    return (
        f"# {comment['code']} {comment['name']}\n\n{comment['what']}\n{note}\n## Why\n\n{comment['why']}\n\n"
        f"## How to mend it\n\n{comment['mend']}\n\n## How it is judged\n\n{sql}"
    )


def _partial(plan: Plan | None) -> str:
    if plan is None or not plan.filters.partial:
        return ""
    named = plan.filters.model_dump(exclude_none=True)
    return ", ".join(f"{name} {value}" for name, value in named.items())


def _load(connection: database.Connection, context: Context, filled: Filled, how: Embedding) -> str:
    import pyarrow as pa

    contents, plan = context.contents, context.plan
    records = contents.table.append_column("row", pa.array(contents.numbers, pa.int64()))
    tables = plan_tables(plan, contents.count, context.preview)
    tables |= {"guidance": guidance_table(plan), "filled": filled.table}
    tables["card_text"] = pa.table({"text": pa.array([contents.card or ""], pa.string())})
    tables["leaks"] = leaks_table(records, plan, filled.table)
    database.put(connection, tables)
    database.show(connection, {"records": records})
    database.add_views(connection)
    return _compare(connection, context, filled.written, how)


def _compare(connection: database.Connection, context: Context, written: dict[str, Written], how: Embedding) -> str:
    """Look for duplicates; gives the reason where there is no embedder for it."""
    plan = context.plan
    texts = compared_texts(context.contents.table, plan, written)
    settings = plan.dedup if plan else Dedup()
    quotas = plan.allocation.geographies if plan else ()
    names = jurisdiction_names(plan.labels.get(quota.name, quota.name) for quota in quotas) if plan else ()
    try:
        dedup.load(connection, texts, settings, names, how)
    except EmbedderError as error:
        return str(error)
    steps = queries.folder("dedup")
    connection.execute(steps["alike"].sql)
    connection.execute(steps["compared"].sql)
    return ""


def _answer(pending: Pending, contents: Contents, header: Any) -> Answer:
    readable = contents.from_parquet and bool(contents.count)
    whole = contents.lines is not None and not contents.torn
    job = Job(
        str(contents.parquet) if readable else None,
        str(contents.jsonl) if whole and contents.lines else None,
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


def _card_findings(context: Context, header: Any, fault: str | None, body: str) -> list[Finding]:
    if context.contents.card is None:
        return [Finding("ES620", "there is no README.md", "no file", "README.md", "card")]
    out = [Finding("ES620", fault, "no header", "a YAML header", "card")] if fault else []
    if isinstance(header, dict):
        out += header_findings(header, context.contents.count, context.plan)
    out += section_findings(body, context.preview, header if isinstance(header, dict) else None)
    return [*out, *feature_findings(body, header, context.contents.table.schema)]
