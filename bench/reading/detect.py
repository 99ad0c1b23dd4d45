"""Which files a suite is made of, and in what format they are."""

import json
from pathlib import Path
from typing import Any

from evalspec.bench.reading.beside import is_beside
from evalspec.bench.reading.files import YAML
from evalspec.bench.suite import SuiteFormat
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

CONTRACT = "contract.json"
"""The name of a module's contract, beside its sets."""
CONFIG = "generation_config.yaml"
"""The file that makes a folder a spec, in which a release may lie."""
BESIDE = ("target", "judge", "recorded", "answers", "labels", "ratings")
"""Files of a folder whose names begin so are beside the suite, and not of it."""
LOOKED_FOR = (
    "looked for: YAML with `scenarios` or `cases`; JSONL whose lines have `case_id`, or `id` and `input`, "
    "or are records of a release; Parquet of a release"
)
_RELEASES = ("data/final", "final")
_PEEK = 1 << 20


@dataclass(frozen=True, slots=True)
class Found:
    """The files of a suite, sorted by name, and what they seem to be; `root` is what their names are relative to.

    `yaml` is settled by the reader of the documents, which tells scenarios from the native form.
    """

    kind: SuiteFormat | None
    root: Path
    files: tuple[Path, ...]
    spec: Path | None = None
    """The spec folder of a release, where it lies in one."""


def detect(path: Path) -> Found | Diagnostic:
    """The files of the suite at `path`, or why there is none. `kind` is None for YAML, which must be read to tell."""
    if not _there(path):
        return found("ES701", f"there is no {path}", Place(str(path)), hint=_beside(path))
    if path.is_dir():
        return _in_folder(path)
    suffix = path.suffix.lower()
    if suffix in YAML:
        return Found(None, path.parent, (path,))
    if suffix == ".parquet":
        return Found("release", path.parent, (path,), _spec_of(path.parent))
    if suffix == ".jsonl":
        return _lines(path.parent, [path], f"the lines of {path.name} are no cases")
    if path.name == CONTRACT:
        return found(
            "ES701", f"{CONTRACT} is beside the sets, and is none", _at(path), hint="give a set, or the folder"
        )
    return found("ES701", f"{path.name} is of no format that bench knows", _at(path), hint=LOOKED_FOR)


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name too long, or one with a NUL
        return False


def _at(path: Path) -> Place:
    return Place(path.name)


def _beside(path: Path) -> str:
    """What lies beside a path that there is not, and has nearly its name."""
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        names = []
    near = nearest(path.name, names, 0.75)
    return f"did you mean {path.parent / near}?" if near else "give a suite's file or its folder"


def _in_folder(folder: Path) -> Found | Diagnostic:
    try:
        inside = sorted(p for p in folder.iterdir() if p.is_file() and not p.name.startswith((".", *BESIDE)))
    except OSError as error:
        return found("ES701", f"{folder} cannot be read: {error.strerror}", Place(str(folder)))
    lines = [p for p in inside if p.suffix.lower() == ".jsonl"]
    yaml = [p for p in inside if p.suffix.lower() in YAML and not is_beside(p)]
    if release := _release(folder):
        return release
    if (folder / CONTRACT).exists() and lines:
        return Found("contract", folder, tuple(lines))
    if lines and yaml:
        names = f"{yaml[0].name} and {lines[0].name}"
        hint = "give one of the files, or keep the suite in a folder of its own"
        return found("ES701", f"{folder} holds both YAML and JSONL: {names}", Place(str(folder)), hint=hint)
    if lines:
        return _lines(folder, lines, f"the lines of {lines[0].name} are no cases")
    if yaml:
        return Found(None, folder, tuple(yaml))
    return found("ES701", f"{folder} holds no suite", Place(str(folder)), hint=LOOKED_FOR)


def _release(folder: Path) -> Found | Diagnostic | None:
    """The release in a folder, in the spec folder that holds it, or as the Hub lays it out."""
    for name in _RELEASES:
        inner = folder / name
        if inner.is_dir():
            files = _shards(inner, "train.parquet") or _shards(inner, "train.jsonl")
            if files:
                return Found("release", inner, files, _spec_of(inner))
    if (folder / CONFIG).is_file():
        hint = "run `evalspec run` first: the release is made in data/final"
        return found("ES701", f"{folder} is a spec without a release", Place(str(folder)), hint=hint)
    files = _shards(folder, "train.parquet") or _shards(folder / "data", "train.parquet")
    return Found("release", folder, files, _spec_of(folder)) if files else None


def _shards(folder: Path, name: str) -> tuple[Path, ...]:
    """The file of that name, or all of its kind: the Hub cuts a large one in pieces."""
    whole = folder / name
    return (whole,) if whole.is_file() else tuple(sorted(folder.glob(f"*{whole.suffix}")))


def _spec_of(folder: Path) -> Path | None:
    """The nearest spec folder around a release."""
    resolved = folder.resolve()
    return next((up for up in (resolved, *resolved.parents[:3]) if (up / CONFIG).is_file()), None)


def _lines(folder: Path, files: list[Path], otherwise: str) -> Found | Diagnostic:
    """JSONL by the first object of the first file; where no line tells, it is read as support, to say what is wrong."""
    keys = _first_keys(files[0])
    if keys & {"pass_criteria", "prompt_template_id"} or {"prompt", "subdimension"} <= keys:
        return Found(
            "release", folder, _shards(folder, "train.jsonl") if len(files) > 1 else tuple(files), _spec_of(folder)
        )
    if "case_id" in keys or (folder / CONTRACT).exists():
        return Found("contract", folder, tuple(files))
    if keys and not keys & {"id", "input", "key_points", "forbidden_patterns"}:
        return found("ES701", otherwise, _at(files[0]), hint=LOOKED_FOR)
    return Found("support", folder, tuple(files))


def _first_keys(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    try:
        with path.open("rb") as file:
            head = file.read(_PEEK).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    except OSError:
        return frozenset()
    for line in head.split("\n"):
        try:
            value: Any = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return frozenset(value)
    try:  # the first object may go on over several lines
        value, _ = json.JSONDecoder().raw_decode(head.lstrip())
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(value) if isinstance(value, dict) else frozenset()
