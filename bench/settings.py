"""evalspec.toml: the [bench] table, with the settings that make a run reproducible and what modules are run with."""

import re
from dataclasses import field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StringConstraints, ValidationError

from evalspec.bench.report import Settings
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.model import Model
from evalspec.spec.source import Place

NAME = "evalspec.toml"
REPRODUCIBLE = ("seed", "temperature", "top_p", "max_tokens")
"""What must be set for a figure that is to be cited (document 4 of the brief)."""
USUAL = {"seed": "42", "temperature": "0.0", "top_p": "1.0", "max_tokens": "1024"}
"""What document 4 of the brief has them set to."""
MAX_BYTES = 1_000_000
Said = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class ModuleSettings(Model):
    """What a module is run with unless the command line says otherwise."""

    target: Said | None = None
    judge: Said | None = None
    prompt_version: Said | None = None
    model: Said | None = None


class BenchSettings(ModuleSettings):
    """The [bench] table; paths in it are seen from the folder of the file."""

    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    runs: Annotated[int, Field(ge=1, le=1000)] = 1
    concurrency: Annotated[int, Field(ge=1, le=1024)] = 1
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    root: Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=r"^[^\x00-\x1f]+$")] = "eval"
    """The folder of the sets: <root>/<module>/<set>.jsonl."""
    modules: dict[str, ModuleSettings] = {}

    def of(self, module: str | None) -> ModuleSettings:
        """What a module is run with: its own table over [bench]."""
        own = self.modules.get(module or "", ModuleSettings())
        names = ModuleSettings.model_fields
        return ModuleSettings(**{name: getattr(own, name) or getattr(self, name) for name in names})


@dataclass(frozen=True, slots=True)
class BenchFile:
    """The settings and where they stand: the nearest evalspec.toml, or nowhere."""

    settings: BenchSettings = field(default_factory=BenchSettings)
    folder: Path | None = None
    """None where there is no file."""

    @property
    def place(self) -> Place:
        """Where findings about what is missing stand: the file, or the command line where there is none."""
        return Place("command line") if self.folder is None else Place((self.folder / NAME).as_posix(), path="bench")

    def chosen(self, runs: int | None, concurrency: int | None) -> Settings:
        """The settings of a run, with what the command line says of it."""
        own = self.settings
        return Settings(
            seed=own.seed,
            temperature=own.temperature,
            top_p=own.top_p,
            max_tokens=own.max_tokens,
            runs=runs or own.runs,
            concurrency=concurrency or own.concurrency,
        )

    def not_reproducible(self, since: str) -> list[Diagnostic]:
        """An ES743 where settings that a cited figure must be made with are not set; `since` says why they must be."""
        unset = self.unset()
        if not unset:
            return []
        said = f"{', '.join(unset)} {'is' if len(unset) == 1 else 'are'} not set"
        message = f"--ci needs the settings that make a figure reproducible, since {since}: {said}"
        lines = [f"{name} = {USUAL[name]}" for name in unset]
        if self.folder is None:
            hint = f"make a file {NAME} beside the suite, or in a folder above it, with these lines:"
            return [found("ES743", message, self.place, hint="\n     ".join([hint, "[bench]", *lines]))]
        hint = "\n     ".join(["write under [bench]:", *lines])
        return [found("ES743", message, self.place, hint=hint)]

    def unset(self) -> tuple[str, ...]:
        """Which of the settings that make a run reproducible are not set."""
        return tuple(name for name in REPRODUCIBLE if getattr(self.settings, name) is None)


def find(start: Path) -> Path | None:
    """The nearest evalspec.toml in `start` or above it."""
    start = start.absolute()
    return next((folder / NAME for folder in (start, *start.parents) if (folder / NAME).is_file()), None)


def read_settings(start: Path) -> tuple[BenchFile, tuple[Diagnostic, ...]]:
    """The settings that hold for `start`; none where there is no file, an ES744 where it cannot be used."""
    path = find(start)
    if path is None:
        return BenchFile(), ()
    name = _shown(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            return BenchFile(), (found("ES744", f"{name} is larger than {MAX_BYTES:,} bytes", Place(name)),)
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        return BenchFile(), (found("ES744", f"cannot read {name}: {said}", Place(name)),)
    return _parsed(text, name)


def _parsed(text: str, name: str) -> tuple[BenchFile, tuple[Diagnostic, ...]]:
    import tomli

    try:
        data = tomli.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, and what Python has against a number
        line, column = _at(str(error), text)
        place = Place(name, line, column, line, column + 1, text=_line(text, line))
        return BenchFile(), (found("ES744", f"{name} is not TOML: {str(error).partition(' (at')[0]}", place),)
    table = data.get("bench", {})
    try:
        return BenchFile(BenchSettings.model_validate(table), Path(name).parent), ()
    except ValidationError as error:
        entries = error.errors(include_url=False, include_input=False)
        return BenchFile(folder=Path(name).parent), tuple(_finding(entry, text, name) for entry in entries)


def _at(said: str, text: str) -> tuple[int, int]:
    """Where the reader stopped: the line and column that it names, or the last line."""
    match = re.search(r"at line (\d+), column (\d+)", said)
    return (int(match[1]), int(match[2])) if match else (max(1, len(text.splitlines())), 1)


def _line(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else ""


def _finding(entry: Any, text: str, name: str) -> Diagnostic:
    """One value that the table does not take, at its line."""
    keys = [str(part) for part in entry["loc"]]
    path = ".".join(["bench", *keys])
    place = _place(text, name, keys, path)
    if entry["type"] != "extra_forbidden":
        return found("ES744", f"{path}: {entry['msg'][:1].lower()}{entry['msg'][1:]}", place)
    known = ModuleSettings.model_fields if keys[0] == "modules" else BenchSettings.model_fields
    near = get_close_matches(keys[-1], known, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
    return found("ES744", f"[bench] has no setting {path.removeprefix('bench.')}", place, hint=hint)


def _place(text: str, name: str, keys: list[str], path: str) -> Place:
    """The line of a key in its table, as far as plain TOML lets it be told; else the table, else the file."""
    table, key = ".".join(["bench", *keys[:-1]]), keys[-1] if keys else ""
    inside, head = False, 1
    for number, line in enumerate(text.split("\n"), 1):
        if header := re.match(r"\s*\[([^\[\]]+)\]", line):
            inside = re.sub(r"[\s\"']", "", header[1]) == table
            head = number if inside else head
        elif inside and (match := re.match(rf"\s*([\"']?{re.escape(key)}[\"']?)\s*=", line)):
            start = match.start(1) + 1
            return Place(name, number, start, number, match.end(1) + 1, path, line.rstrip("\r"))
    return Place(name, head, 1, head, 1, path, _line(text, head) if head > 1 else "")


def _shown(path: Path) -> str:
    """The path from the working folder, where it is below; else as it is."""
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()
