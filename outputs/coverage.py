"""Quota cells that a fill left open, named with what is missing in them."""

from dataclasses import dataclass

from evalspec.outputs import database, queries
from evalspec.outputs.places import origin_place
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.plan import Plan


@dataclass(frozen=True, slots=True)
class OpenCell:
    """A cell of the plan with fewer records than slots; counts are records."""

    subdimension: str
    source_domain: str
    geography: str
    difficulty: str
    planned: int
    missing: int
    slots: tuple[str, ...]
    origin: str


def open_cells(connection: database.Connection) -> tuple[OpenCell, ...]:
    """The open cells of the plan in the database, in the order of the plan."""
    return tuple(
        OpenCell(
            row["subdimension"],
            row["source_domain"],
            row["geography"],
            row["difficulty"],
            row["planned"],
            row["missing"],
            tuple(row["missing_slots"]),
            row["origin"],
        )
        for row in database.rows(connection, queries.folder("stats")["open_cells"].sql)
    )


def cell_diagnostics(plan: Plan, cells: tuple[OpenCell, ...]) -> list[Diagnostic]:
    """One ES501 a subdimension, at the YAML that asked for it, with all its open cells by name."""
    by_subdimension: dict[str, list[OpenCell]] = {}
    for cell in cells:
        by_subdimension.setdefault(cell.subdimension, []).append(cell)
    return [
        found(
            "ES501",
            _message(name, some),
            origin_place(plan, some[0].origin),
            hint="run again: it fills what is open and asks for nothing that is there",
        )
        for name, some in by_subdimension.items()
    ]


def _message(name: str, cells: list[OpenCell]) -> str:
    missing = sum(cell.missing for cell in cells)
    listed = "; ".join(
        f"{cell.missing:,} of {cell.planned:,} in {cell.source_domain} / {cell.geography} / {cell.difficulty}"
        for cell in cells
    )
    slots = [slot for cell in cells for slot in cell.slots]
    what = "1 record is" if missing == 1 else f"{missing:,} records are"
    return f"{what} missing in {name}: {listed} ({_some(slots)})"


def _some(slots: list[str]) -> str:
    shown = ", ".join(slots[:3])
    return shown if len(slots) <= 3 else f"{shown} and {len(slots) - 3:,} more"
