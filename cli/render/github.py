"""Findings as workflow commands, which a code host shows as annotations."""

import re

from evalspec.spec.diagnostic import Diagnostic, Severity

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Characters that would act on whoever's terminal shows the log."""
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def annotation(diagnostic: Diagnostic) -> str:
    """One line: `::error file=…,line=…,col=…,title=…::message`, with the escapes that the format asks for."""
    place = diagnostic.place
    where = f"file={_value(place.file)},line={place.line},col={place.column},endLine={place.end_line}"
    title = _value(f"{diagnostic.code} {diagnostic.name}")
    message = diagnostic.message + (f"\n{diagnostic.hint}" if diagnostic.hint else "")
    return f"::{_LEVELS[diagnostic.severity]} {where},title={title}::{_data(message)}"


def _data(text: str) -> str:
    text = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _value(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
