"""From a plan and its journal to a release: records, duplicates by group, and its files, all or nothing."""

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from evalspec.outputs import database, dedup, release
from evalspec.outputs.coverage import DUPLICATES, OpenCell, cell_diagnostics, open_cells, repeats_of
from evalspec.outputs.dedup import Duplicates, Fallen
from evalspec.outputs.embedder import EmbedderError, Embedding, Watch, unwatched
from evalspec.outputs.facts import jurisdiction_names
from evalspec.outputs.header import card_faults
from evalspec.outputs.places import origin_place
from evalspec.outputs.provenance import Provenance, provenance
from evalspec.outputs.recard import write_card
from evalspec.outputs.records import Entry, Row, arrow_schema, filled_entries, make_rows, to_table
from evalspec.outputs.standing import GENERATED, Account, read_account, unreadable
from evalspec.outputs.tables import slots_table
from evalspec.outputs.versions import Earlier, earlier_release, next_version
from evalspec.outputs.writers import jsonl, parquet
from evalspec.outputs.writers.card import COLUMNS, statistics
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.journal import JournalCorruptError
from evalspec.spec.plan import Plan
from evalspec.spec.source import Place
from evalspec.spec.writing import write_atomically

_BATCH = 1000
"""Rows that are there as Python objects at a time."""


@dataclass(frozen=True, slots=True)
class AssembleOptions:
    """`write` is false for a dry run, which touches no release; `final` writes even with fallen groups, without
    them.
    """

    write: bool = True
    final: bool = False
    provider: str | None = None
    """The provider of the run, where it is not the plan's."""
    version: str | None = None
    """The version string, where it is neither the plan's nor the next patch."""
    may_write: Callable[[int], bool] = bool
    """Asked with the number of records before a release is written; where it says no, none is."""
    watch: Watch = unwatched
    """Told how far the model of `dedup.embedder` is."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """What came of it. `release_dir` is None where nothing was written; fallen groups are not among the records."""

    records: int
    fallen: tuple[Fallen, ...]
    spared: int
    """Close pairs that were kept because they differ in a fact."""
    open_cells: tuple[OpenCell, ...]
    diagnostics: tuple[Diagnostic, ...]
    release_dir: Path | None
    version: str


class _StoppedError(Exception):
    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def assemble(plan: Plan, folder: Path, options: AssembleOptions | None = None) -> Assembled:
    """Assemble what the journal under `folder` holds for `plan`.

    With no fallen groups, or with `final`, the release is written to the plan's output folder; otherwise the caller
    marks what fell in the journal and fills again. What cannot be read or written is a diagnostic, never an
    exception.
    """
    import duckdb

    chosen = options or AssembleOptions()
    try:
        return _assemble(plan, folder, chosen)
    except _StoppedError as stopped:
        why = stopped.diagnostic
    except duckdb.IOException as error:
        why = found("ES510", f"a temporary file cannot be written: {error}", Place(tempfile.gettempdir()))
    return Assembled(0, (), 0, (), (why,), None, chosen.version or plan.dataset.version)


def _assemble(plan: Plan, folder: Path, options: AssembleOptions) -> Assembled:
    target = _output_folder(plan, folder)
    account = read_account(plan, folder, options.provider)
    if isinstance(account, Diagnostic):
        raise _StoppedError(account)
    entries = filled_entries(plan, account.attempts)
    earlier = _earlier(plan, target)
    with database.opened(len(entries)) as connection:
        rank = _ranks(entries, earlier, account)
        doubles = _find_duplicates(connection, plan, entries, rank, Embedding(folder / GENERATED, options.watch))
        gone = {fallen.group_id for fallen in doubles.fallen}
        kept = [entry for entry in entries if entry.group_id not in gone]
        version = options.version or next_version(plan, earlier, kept)
        cells = _open_cells(connection, plan, kept)
        made = provenance(account.attempts.values(), {entry.group_id for entry in kept})
        _write_duplicates(folder, doubles)
        write = options.write and (options.final or not gone) and options.may_write(len(kept))
        if write:
            _publish(connection, plan, target, _Published(_rows(plan, kept, version, account), version, made))
    diagnostics = [*cell_diagnostics(plan, cells, repeats_of(account, gone)), *card_faults(plan), *_preview(plan, made)]
    return Assembled(
        len(kept), doubles.fallen, doubles.spared, cells, tuple(diagnostics), target if write else None, version
    )


def _earlier(plan: Plan, target: Path) -> Earlier:
    """What an incremental run adds to."""
    if plan.dataset.mode != "incremental":
        return Earlier.none()
    try:
        release.recover(target)
    except OSError as error:
        raise _StoppedError(_unwritable(target, error)) from None
    return earlier_release(target)


def _ranks(entries: Sequence[Entry], earlier: Earlier, account: Account) -> dict[str, int]:
    """Which groups stay where two say the same, the lower rank first.

    What was released before comes first, then the order of the plan; a group that fell before, and was made again,
    comes last: it must find something new to say, and drives out none that stood.
    """
    groups = list(dict.fromkeys(entry.group_id for entry in entries))
    released = {entry.group_id for entry in entries if earlier.holds(entry)}
    ordered = sorted(groups, key=lambda group: (group not in released, group in account.fell))
    return {group: place for place, group in enumerate(ordered)}


def _find_duplicates(
    connection: database.Connection, plan: Plan, entries: Sequence[Entry], rank: dict[str, int], how: Embedding
) -> Duplicates:
    """Groups that say what a group of a lower rank says."""
    texts = [dedup.Text(rank[e.group_id], e.group_id, e.slot.slot_id, e.written.text) for e in entries]
    names = jurisdiction_names(plan.labels.get(quota.name, quota.name) for quota in plan.allocation.geographies)
    try:
        return dedup.find_duplicates(connection, texts, plan.dedup, names, how)
    except EmbedderError as error:
        raise _StoppedError(found("ES515", str(error), origin_place(plan, "dedup.embedder"))) from None


def _open_cells(connection: database.Connection, plan: Plan, kept: Sequence[Entry]) -> tuple[OpenCell, ...]:
    """The cells of the plan with fewer records than slots: none where each slot has its record."""
    import pyarrow as pa

    if len(kept) == sum(len(group.slots) for group in plan.groups):
        return ()
    records = pa.table({"id": pa.array([entry.slot.record_id for entry in kept], pa.string())})
    database.show(connection, {"slots": slots_table(plan), "records": records})
    database.add_views(connection, ["open_cells"])
    cells = open_cells(connection)
    database.hide(connection, ["slots", "records"])
    return cells


def _rows(plan: Plan, kept: Sequence[Entry], version: str, account: Account) -> Iterator[Row]:
    try:
        yield from make_rows(plan, kept, version, account)
    except (JournalCorruptError, OSError) as error:
        raise _StoppedError(unreadable(account.path, error)) from None


def _preview(plan: Plan, made: Provenance) -> list[Diagnostic]:
    if not made.preview:
        return []
    message = "the dataset is a preview: it was composed without a model"
    return [found("ES513", message, origin_place(plan, "generation_model"))]


def _output_folder(plan: Plan, folder: Path) -> Path:
    """The release's folder; one that holds the spec or the journal would be replaced with them in it, and is
    refused.
    """
    target = folder / plan.dataset.output_dir
    inside = (folder, folder / GENERATED, folder / "data/raw")
    if any(path.resolve().is_relative_to(target.resolve()) for path in inside):
        message = f"the output folder '{plan.dataset.output_dir}' holds the spec or its journal; choose one of its own"
        raise _StoppedError(found("ES515", message, origin_place(plan, "dataset.output_dir"), hint="data/final/"))
    return target


def _write_duplicates(folder: Path, doubles: Duplicates) -> None:
    path = folder / GENERATED / DUPLICATES
    lines: list[dict[str, Any]] = [
        {"slot": pair.slot, "of": pair.of, "cosine": round(pair.cosine, 4), "became": pair.fate}
        for pair in doubles.pairs
    ]
    lines.append({"pairs": len(doubles.pairs), "fallen_groups": len(doubles.fallen), "spared_pairs": doubles.spared})
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode("utf-8"))
    except OSError as error:
        raise _StoppedError(_unwritable(path, error)) from None


@dataclass(frozen=True, slots=True)
class _Published:
    """What a release is made of."""

    rows: Iterator[Row]
    version: str
    made: Provenance


def _publish(connection: database.Connection, plan: Plan, target: Path, what: _Published) -> None:
    def write(folder: Path) -> None:
        _write_rows(folder, what.rows)
        database.show(connection, {"records": parquet.read(folder / parquet.NAME, COLUMNS)})
        write_card(folder, plan, what.version, what.made, statistics(connection))

    try:
        release.publish(target, write)
    except OSError as error:
        raise _StoppedError(_unwritable(target, error)) from None


def _write_rows(folder: Path, rows: Iterator[Row]) -> None:
    """Write both files at once, some rows at a time."""
    with jsonl.opened(folder) as add_lines, parquet.opened(folder, arrow_schema()) as add_table:
        while some := list(islice(rows, _BATCH)):
            add_lines(some)
            add_table(to_table(some))


def _unwritable(path: Path, error: OSError) -> Diagnostic:
    message = f"cannot write {path}: {error.strerror or error}; nothing was published"
    return found("ES510", message, Place(str(path)), hint="make room, or make the folder writable, and assemble again")
