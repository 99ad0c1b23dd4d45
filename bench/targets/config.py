"""A target's settings: the models of its file, one a kind."""

from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from evalspec.bench.targets.mapping import ResultMap
from evalspec.spec.dataclass import dataclass
from evalspec.spec.generation import GenerationModel
from evalspec.spec.model import Model, Text
from evalspec.spec.source import Place, YamlPath

Seconds = Annotated[float, Field(gt=0, le=3600)]
AtOnce = Annotated[int, Field(ge=1, le=1024)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Line = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"^[^\r\n]+$")]


def _listed(value: Any) -> Any:
    """The value with lists, as JSON has them, where the YAML reader makes tuples."""
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, tuple | list) else value


Schema = Annotated[dict[str, Any], AfterValidator(_listed)]


class _Target(Model):
    """What every kind of target takes."""

    name: Name | None = None
    """What reports call it; by default its model, address, function or file."""
    timeout_seconds: Seconds | None = None
    """For one turn."""
    concurrency: AtOnce | None = None
    """How many sessions may wait for an answer at a time."""
    map: ResultMap = ResultMap()
    """Where the fields of a result stand in an answer."""


class ProviderSettings(_Target):
    """A model by provider, asked with the system prompt of a version."""

    kind: Literal["provider"]
    model: GenerationModel
    prompts: dict[Name, Text] = {}
    """System prompts by version: the name of a file beside this one, or the text itself, with {placeholders}."""
    prompt_version: Name | None = None
    """The version that is asked with unless the run names another."""
    message: Text | None = None
    """The message of a turn, with {placeholders}; by default its text, or its object as JSON."""
    reply: Literal["text", "json"] = "text"
    output_schema: Schema | None = None
    """JSON Schema that a reply is asked in; a reply that does not fit counts as rejected by its validator."""
    tools: tuple[Schema, ...] = ()
    """Functions that the model may call: {name, description, parameters}. Calls are recorded and not run."""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = None


class HttpSettings(_Target):
    """An endpoint that takes one turn a request."""

    kind: Literal["http"]
    url: Annotated[str, StringConstraints(pattern=r"^https?://[^\s]+$")]
    method: Literal["POST", "PUT", "PATCH", "GET"] = "POST"
    headers: dict[Name, Line] = {}
    """Values may hold ${NAME} for a variable of the environment; they are never shown."""
    body: dict[str, Any] | None = None
    """What is sent as JSON; `$input`, `$facts.country`, `$history`, ... stand for values of the turn. Parameters of the
    address where the method is GET.
    """


class PythonSettings(_Target):
    """A Python function, called in a process of its own."""

    kind: Literal["python"]
    function: Line
    """`module:function`; the module is looked for beside this file first."""
    interpreter: Line | None = None
    """The Python that runs it; by default the one that runs evalspec."""
    files: tuple[Line, ...] = ()
    """Patterns of further files that decide its answers, seen from this file."""


class CommandSettings(_Target):
    """A program that is started once a turn, with JSON on stdin."""

    kind: Literal["command"]
    command: Line | Annotated[tuple[Line, ...], Field(min_length=1)]
    """The program and its arguments; no shell reads them."""
    reply: Literal["auto", "text", "json"] = "auto"
    files: tuple[Line, ...] = ()
    """Patterns of further files that decide its answers, seen from this file."""


class RecordedSettings(_Target):
    """Answers that were recorded before."""

    kind: Literal["recorded"]
    file: Line
    """JSONL of answers by case, a report of `bench`, or its journal."""


TargetSettings = ProviderSettings | HttpSettings | PythonSettings | CommandSettings | RecordedSettings
KINDS: dict[str, type[Model]] = {
    "provider": ProviderSettings,
    "http": HttpSettings,
    "python": PythonSettings,
    "command": CommandSettings,
    "recorded": RecordedSettings,
}


@dataclass(frozen=True, slots=True)
class TargetConfig:
    """The settings of a target, and where they stand."""

    settings: TargetSettings
    folder: Path
    """Where the files that it names are looked for."""
    place: Place
    places: Callable[[YamlPath], Place] | None = field(default=None, repr=False, compare=False)
    """Places of its values, where it was read from a file."""

    def place_of(self, *path: str | int) -> Place:
        """Where a value stands, or at least the target."""
        return self.place if self.places is None else self.places(path)
