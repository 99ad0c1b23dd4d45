"""The environment of a plan: what the process was given, over what `.env` beside the plan sets."""

import os
from collections.abc import Mapping
from pathlib import Path

CONTACT = "EVALSPEC_CONTACT"
"""The variable that holds an address at which sites can reach whoever runs this."""


def environment(folder: Path) -> Mapping[str, str]:
    """Variables by name; a `.env` that cannot be read counts for nothing."""
    from dotenv import dotenv_values

    file = folder / ".env"
    try:
        kept = dotenv_values(file) if file.is_file() else {}
    except (OSError, UnicodeDecodeError):
        kept = {}
    return {**{key: value for key, value in kept.items() if value is not None}, **os.environ}
