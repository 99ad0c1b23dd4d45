"""What is under test: the protocols that a target keeps, what may be said when one is made, and how one is made."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol

from evalspec.bench.report import Settings
from evalspec.bench.results import TargetResult
from evalspec.bench.suite import Case
from evalspec.bench.targets.config import TargetConfig
from evalspec.bench.targets.reading import read_target
from evalspec.bench.targets.told import Told
from evalspec.runtime.providers import BusyError, RefusedError, SetupError
from evalspec.spec.dataclass import dataclass

__all__ = [
    "BusyError",
    "RefusedError",
    "Session",
    "SetupError",
    "Target",
    "TargetConfig",
    "TargetOptions",
    "make_target",
    "read_target",
]


class Session(Protocol):
    """One conversation with a target: the turns of one case in one epoch, and of no other."""

    async def ask(self, input: Any) -> TargetResult:
        """The answer to the next turn, from one try.

        Whatever goes wrong with the turn is the result's `error`, and the session takes the next turn all the same; a
        turn that failed is not part of the history. Raises BusyError where the turn is worth another try, and
        RefusedError where no turn of any case will be answered.
        """
        ...

    async def close(self) -> None:
        """End the conversation."""
        ...


class Target(Protocol):
    """A system under test."""

    has_answered: bool
    """Whether it has answered, now or before; what a model refuses then, it refuses for what a request holds."""

    @property
    def kind(self) -> str:
        """provider, http, python, command or recorded."""
        ...

    @property
    def name(self) -> str:
        """What reports call it; holds no key."""
        ...

    @property
    def model(self) -> str | None:
        """The model that it was told to use, or that it is."""
        ...

    @property
    def digest(self) -> str:
        """Over everything that decides its answers and is known here, never a key."""
        ...

    @property
    def most_at_once(self) -> int:
        """How many sessions may wait for an answer at a time."""
        ...

    def shown(self) -> dict[str, Any]:
        """What a report shows of it."""
        ...

    def session(self, case: Case, epoch: int) -> Session:
        """A conversation for one trial."""
        ...

    async def close(self) -> None:
        """Close connections and end processes."""
        ...


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """What the run says over the target's own settings; None leaves a setting to the target."""

    prompt_version: str | None = None
    model: str | None = None
    settings: Settings = field(default_factory=Settings)
    timeout_seconds: float | None = None
    """For one turn."""
    folder: Path = Path()
    """Where the run was started."""


def make_target(config: TargetConfig, options: TargetOptions, env: Mapping[str, str]) -> Target:
    """The target that the settings describe; nothing is asked or started yet. Raises SetupError."""
    told = Told(options.model, options.prompt_version, options.timeout_seconds)
    match config.settings.kind:
        case "provider":
            from evalspec.bench.targets.provider import make_model

            return make_model(config, told, options.settings, env)
        case "http":
            from evalspec.bench.targets.http import make_http

            return make_http(config, told, env)
        case "python":
            from evalspec.bench.targets.python import make_python

            return make_python(config, told, env)
        case "command":
            from evalspec.bench.targets.command import make_command

            return make_command(config, told, env)
        case "recorded":
            from evalspec.bench.targets.recorded import make_recorded

            return make_recorded(config, options.model)
