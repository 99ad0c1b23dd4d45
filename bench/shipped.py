"""The shipped examples: suites with something to run them against, to be copied and made one's own."""

from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

from evalspec.spec.writing import write_atomically

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
        pairs = [(path, folder / path.relative_to(source)) for path in _shipped(source)]
        if there := next((target for _, target in pairs if target.exists()), None):
            raise FileExistsError(str(there))
        for path, target in pairs:
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, path.read_bytes())
    return tuple(target for _, target in pairs)


def _shipped(source: Path) -> Iterator[Path]:
    for path in sorted(source.rglob("*")):
        if path.is_file() and path.suffix in SUFFIXES and "__pycache__" not in path.parts:
            yield path
