"""Keys that a target is given: filled in from the environment, and taken out of whatever it says."""

import json
import re
from collections.abc import Iterable, Mapping

from evalspec.runtime.providers import SetupError
from evalspec.spec.diagnostic import found
from evalspec.spec.source import Place

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_NAMES = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)
_LEAST = 6
"""Shorter values are words, and stay."""
_LEAST_GUESSED = 12
"""The same for values that only the name of their variable calls keys."""


class Secrets:
    """Values that are shown nowhere."""

    def __init__(self, values: Iterable[str]) -> None:
        whole = {value for value in values if len(value) >= _LEAST}
        escaped = {json.dumps(value)[1:-1] for value in whole}
        self._values = sorted(whole | escaped, key=len, reverse=True)

    def clean(self, text: str) -> str:
        """Text without them."""
        for value in self._values:
            if value in text:
                text = text.replace(value, "[key]")
        return text


def expanded(text: str, env: Mapping[str, str], place: Place) -> tuple[str, list[str]]:
    """A text with its ${NAME} filled in, and the values. Raises SetupError with ES732 where one is not set."""
    values = []

    def value(match: re.Match[str]) -> str:
        given = env.get(match[1], "").strip()
        if not given:
            message = f"the environment does not hold {match[1]}, which the target names"
            hint = f"set {match[1]}, or put it in a .env file beside evalspec.toml, or where you start the command"
            raise SetupError(found("ES732", message, place, hint=hint))
        values.append(given)
        return given

    return _VARIABLE.sub(value, text), values


def secrets_of(env: Mapping[str, str]) -> Secrets:
    """What the names of variables say are keys: a program under test may print them."""
    return Secrets(value for name, value in env.items() if len(value) >= _LEAST_GUESSED and _NAMES.search(name))
