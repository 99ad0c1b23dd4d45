"""The settings of a request as a service names them, less those that it was found not to take."""

import re
from collections.abc import Mapping
from typing import Any

from evalspec.runtime.providers import ChatRequest

SETTINGS = ("top_p", "seed", "temperature")
"""In the order in which a refusal that names several of them gives them up."""


class Sampling:
    """Remembers for the run which settings a model refuses."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        """Setting to the service's name of it; a setting that is not here is never sent."""
        self._refused: set[str] = set()
        self._sent: set[str] = set()

    @property
    def unsupported(self) -> tuple[str, ...]:
        """The settings that are left out."""
        return tuple(name for name in SETTINGS if name not in self._names or name in self._refused)

    def of(self, request: ChatRequest) -> dict[str, Any]:
        """The settings of a request, by the service's names."""
        out = {}
        for name, known in self._names.items():
            value = getattr(request, name)
            if value is not None and name not in self._refused:
                out[known] = value
                self._sent.add(name)
        return out

    def adapt(self, reason: str) -> bool:
        """Leave out what a refusal, in lower case, names; whether that changed anything."""
        for name in SETTINGS:
            known = self._names.get(name)
            if known and name in self._sent - self._refused and re.search(rf"\b{known}\b", reason):
                self._refused.add(name)
                return True
        return False
