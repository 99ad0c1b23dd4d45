"""The card of a release again, from its Parquet, its plan and the journal; the data stay as they are."""

from pathlib import Path

from evalspec.outputs import database
from evalspec.outputs.header import card_faults
from evalspec.outputs.places import origin_place
from evalspec.outputs.provenance import Provenance, provenance
from evalspec.outputs.standing import read_account
from evalspec.outputs.writers import card, figures, parquet
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.plan import Plan
from evalspec.spec.source import Place
from evalspec.spec.writing import write_atomically


@dataclass(frozen=True, slots=True)
class Carded:
    """The card that was written, None where none was, and the findings."""

    card: Path | None
    records: int
    diagnostics: tuple[Diagnostic, ...]


def make_card(plan: Plan, folder: Path, provider: str | None = None) -> Carded:
    """Write README.md and its figures for the release of `plan` under `folder`; nothing is raised."""
    import pyarrow as pa

    release = folder / plan.dataset.output_dir
    path = release / parquet.NAME
    try:
        table = parquet.read(path)
        version = table.column("version")[0].as_py() if table.num_rows else plan.dataset.version
    except FileNotFoundError:
        hint = "make the release first: evalspec run, or evalspec assemble"
        return _refused(found("ES515", f"there is no release in {release}", Place(str(release)), hint=hint))
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        said = " ".join(str(error).split())[:200]
        return _refused(found("ES515", f"{path} cannot be read: {said}", Place(str(path)), hint="evalspec assemble"))
    made = _made(plan, folder, provider, set(table.column("id").to_pylist()))
    if isinstance(made, Diagnostic):
        return _refused(made)
    try:
        write_card(release, plan, version, made, statistics_of(table))
    except OSError as error:
        return _refused(found("ES510", f"cannot write {release}: {error.strerror or error}", Place(str(release))))
    notes = list(card_faults(plan))
    if made.preview:
        message = "the dataset is a preview: it was composed without a model"
        notes.append(found("ES513", message, origin_place(plan, "generation_model")))
    return Carded(release / card.NAME, table.num_rows, tuple(notes))


def statistics_of(table: object) -> card.Statistics:
    """The figures of a table of records."""
    with database.opened() as connection:
        database.show(connection, {"records": table})
        return card.statistics(connection)


def write_card(folder: Path, plan: Plan, version: str, made: Provenance, numbers: card.Statistics) -> None:
    """Write the card and its figures into `folder`; `numbers` are those of its records. Raises OSError."""
    text = card.render_card(plan, plan.digest, version, made, numbers)
    figures.write(folder, numbers)
    write_atomically(folder / card.NAME, text.encode("utf-8"))


def _made(plan: Plan, folder: Path, provider: str | None, ids: set[str]) -> Provenance | Diagnostic:
    """Who filled the records of these ids."""
    account = read_account(plan, folder, provider)
    if isinstance(account, Diagnostic):
        return account
    groups = {group.group_id for group in plan.groups if any(slot.record_id in ids for slot in group.slots)}
    return provenance(account.attempts.values(), groups)


def _refused(diagnostic: Diagnostic) -> Carded:
    return Carded(None, 0, (diagnostic,))
