"""Results as one JSON document on standard output, for programs."""

import json
from collections.abc import Iterable
from dataclasses import asdict, is_dataclass
from typing import Any

from evalspec.spec.diagnostic import Diagnostic


def document(command: str, exit_code: int, diagnostics: Iterable[Diagnostic], **data: object) -> str:
    """The result of a command: its name, exit code and findings, and what else it found out."""
    from pydantic_core import to_json  # json.dumps indents in Python, at a tenth of the pace

    body = {"command": command, "exit_code": exit_code, "diagnostics": [d.to_json() for d in diagnostics]}
    ready = _ready({**body, **data})
    try:
        return to_json(ready, indent=2, inf_nan_mode="constants", fallback=str).decode("utf-8")
    except ValueError:  # a lone surrogate
        return json.dumps(ready, ensure_ascii=False, indent=2, default=_plain)


def _ready(value: Any) -> Any:
    """Containers with what they hold in the form in which it is shown."""
    match value:
        case dict():
            return {key: _ready(item) for key, item in value.items()}
        case list() | tuple():
            return [_ready(item) for item in value]
        case set() | frozenset():
            return sorted(value)
        case Diagnostic():
            return value.to_json()
        case _:
            return value


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)
