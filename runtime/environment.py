"""The environment of a plan: what the process was given, over what `.env` beside the plan sets."""

import os
from collections.abc import Mapping
from pathlib import Path

CONTACT = "EVALSPEC_CONTACT"
"""The variable that holds an address at which sites can reach whoever runs this."""


def environment(folder: Path) -> Mapping[str, str]:
    """Variables by name; an empty one hides none of `.env`, and a `.env` that cannot be read counts for nothing."""
    file = folder / ".env"
    try:
        kept = _read(file) if file.is_file() else {}
    except (OSError, UnicodeDecodeError):
        kept = {}
    return {**kept, **{name: value for name, value in os.environ.items() if value.strip() or name not in kept}}


def _read(file: Path) -> dict[str, str]:
    """What a `.env` sets; names without a value are left out. Raises OSError and UnicodeDecodeError."""
    from dotenv import dotenv_values

    return {key: value for key, value in dotenv_values(file).items() if value is not None}
