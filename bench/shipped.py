"""The shipped examples: suites with something to run them against, to be copied and made one's own."""

from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

from evalspec.spec.writing import write_folder

NAMES = (
    ("scenarios", "83 scenarios for a portfolio agent, single and multi-turn, and a demo agent"),
    (
        "support",
        "a retailer's support bot: 77 cases in four countries, policies, recorded verdicts, a three-run baseline",
    ),
    ("modules", "triage, RAG and shift summaries with their validators, and five draft sets under signed bars"),
)
SUFFIXES = frozenset({".json", ".jsonl", ".md", ".py", ".toml", ".yaml"})
"""What an example is made of; all else (caches, reports) was not shipped."""


def names() -> tuple[tuple[str, str], ...]:
    """Each example's name, and what it is in one line."""
    return NAMES


def copy(name: str, folder: Path) -> tuple[Path, ...]:
    """Write an example into `folder`, which is made where it is not there; returns the files written.

    Raises LookupError for a name that there is none of, FileExistsError before anything is written where a file of it
    is there already, and OSError where it cannot be written.
    """
    if name not in dict(NAMES):
        raise LookupError(name)
    with as_file(files("evalspec.bench").joinpath("examples", name)) as source:
        contents = {path.relative_to(source).as_posix(): path.read_bytes() for path in _shipped(source)}
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(str(folder))
    targets = tuple(folder / path for path in contents)
    if there := next((target for target in targets if target.exists()), None):
        raise FileExistsError(str(there))
    write_folder(folder, contents)
    return targets


def _shipped(source: Path) -> Iterator[Path]:
    for path in sorted(source.rglob("*")):
        if path.is_file() and path.suffix in SUFFIXES and "__pycache__" not in path.parts:
            yield path
