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

    @property
    def name(self) -> str:
        """The cell as a reader writes it."""
        return f"{self.subdimension} / {self.source_domain} / {self.geography} / {self.difficulty}"


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
    """One ES501 a cell, at the YAML that asked for it."""
    return [
        found(
            "ES501",
            f"{cell.missing:,} of {cell.planned:,} records are missing in {cell.name} ({_some(cell.slots)})",
            origin_place(plan, cell.origin),
            hint="run again: it fills what is open and asks for nothing that is there",
        )
        for cell in cells
    ]


def _some(slots: tuple[str, ...]) -> str:
    shown = ", ".join(slots[:3])
    return shown if len(slots) <= 3 else f"{shown} and {len(slots) - 3:,} more"
