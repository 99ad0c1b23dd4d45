"""The base of every model at a file border: frozen, strict, and closed to unknown keys."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

IDENTIFIER = r"^[A-Za-z][A-Za-z0-9_-]{0,63}$"
Identifier = Annotated[str, StringConstraints(pattern=IDENTIFIER)]
NOT_BLANK = r"\S"
ADDRESS = r"^https?://([^\s/?#@]+@)?(\[[0-9A-Fa-f:.]+\]|[^\s/?#:@\[\]]+)(:[0-9]{1,5})?([/?#]\S*)?$"
"""Scheme, host, and port and path where there are any."""
Text = Annotated[str, StringConstraints(min_length=1, max_length=100_000, pattern=NOT_BLANK)]


class Model(BaseModel):
    """A frozen model that refuses unknown keys and converts no types but lists to tuples and int to float."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)
