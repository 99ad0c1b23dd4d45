"""Findings as workflow commands, which a code host shows as annotations."""

from evalspec.spec.diagnostic import Diagnostic, Severity

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def annotation(diagnostic: Diagnostic) -> str:
    """One line: `::error file=…,line=…,col=…,title=…::message`, with the escapes that the format asks for."""
    place = diagnostic.place
    where = f"file={_value(place.file)},line={place.line},col={place.column},endLine={place.end_line}"
    title = _value(f"{diagnostic.code} {diagnostic.name}")
    message = diagnostic.message + (f"\n{diagnostic.hint}" if diagnostic.hint else "")
    return f"::{_LEVELS[diagnostic.severity]} {where},title={title}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _value(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
