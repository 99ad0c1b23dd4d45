"""A finding: one shape for a bad template, an infeasible quota, a failed criterion and a slot left empty."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from enum import StrEnum

from evalspec.spec.codes import CODES
from evalspec.spec.dataclass import dataclass
from evalspec.spec.source import Place


class Severity(StrEnum):
    """How much a finding matters; only an error changes an exit code."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to a finding, and what it has to do with it."""

    place: Place
    label: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What was found, where, and what to do about it; `name` is the kebab-case name of `code`."""

    code: str
    message: str
    place: Place
    severity: Severity
    hint: str = ""
    related: tuple[Related, ...] = ()

    @property
    def name(self) -> str:
        """The kebab-case name of the code."""
        return CODES[self.code].name

    def to_json(self) -> dict[str, object]:
        """The finding as plain data; every text rendering is a view of this."""
        return {"code": self.code, "name": self.name, **asdict(self), "severity": self.severity.value}


def found(
    code: str,
    message: str,
    place: Place,
    *,
    hint: str = "",
    related: Iterable[Related] = (),
) -> Diagnostic:
    """Make a diagnostic of `code` with the severity that the code has by default."""
    return Diagnostic(code, message, place, Severity(CODES[code].severity), hint, tuple(related))


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sort by file, place and code, and drop what is said twice."""
    unique = dict.fromkeys(diagnostics)
    return sorted(unique, key=lambda d: (d.place.file, d.place.line, d.place.column, d.code, d.message))


def strict(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Make errors of warnings, as `--strict` asks."""
    return [replace(d, severity=Severity.ERROR) if d.severity is Severity.WARNING else d for d in diagnostics]


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them is an error."""
    return any(d.severity is Severity.ERROR for d in diagnostics)
