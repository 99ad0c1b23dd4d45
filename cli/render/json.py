"""Results as one JSON document on standard output, for programs."""

import json
from collections.abc import Iterable
from dataclasses import asdict, is_dataclass
from typing import Any

from pydantic import BaseModel

from evalspec.spec.diagnostic import Diagnostic


def document(command: str, exit_code: int, diagnostics: Iterable[Diagnostic], **data: object) -> str:
    """The result of a command: its name, exit code and findings, and what else it found out."""
    body = {"command": command, "exit_code": exit_code, "diagnostics": [d.to_json() for d in diagnostics]}
    return json.dumps({**body, **data}, ensure_ascii=False, indent=2, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Diagnostic):
        return value.to_json()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)
