"""The version of a release: the plan's, or under incremental the next patch if anything was added."""

import re
from collections.abc import Sequence
from pathlib import Path

from evalspec.outputs.records import Entry
from evalspec.outputs.writers import parquet
from evalspec.spec.dataclass import dataclass
from evalspec.spec.plan import Plan


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is released already: its version, and the hash of the prompt of each record by id."""

    version: str | None
    prompts: dict[str, int]

    @classmethod
    def none(cls) -> "Earlier":
        """Nothing is released."""
        return cls(None, {})

    def holds(self, entry: Entry) -> bool:
        """Whether the record of this entry is released as it is now."""
        return self.prompts.get(entry.slot.record_id) == entry.written.prompt


def earlier_release(folder: Path) -> Earlier:
    """What the release in `folder` holds; none where there is no readable one."""
    import pyarrow as pa

    try:
        table = parquet.read(folder / parquet.NAME, ["id", "version", "prompt"])
    except (OSError, pa.ArrowException, KeyError):
        return Earlier.none()
    versions = table.column("version").to_pylist()
    if not versions or not re.fullmatch(r"\d+\.\d+\.\d+", str(versions[0])):
        return Earlier.none()
    ids, prompts = table.column("id").to_pylist(), map(hash, table.column("prompt").to_pylist())
    return Earlier(versions[0], dict(zip(ids, prompts, strict=True)))


def next_version(plan: Plan, earlier: Earlier, kept: Sequence[Entry]) -> str:
    """The version of a release of `kept`.

    The patch rises once for each assembly that adds or replaces a record; a version that the plan asks for and that
    is later than the released one wins.
    """
    planned = plan.dataset.version
    if plan.dataset.mode != "incremental" or earlier.version is None:
        return planned
    parts = tuple(int(part) for part in earlier.version.split("."))
    if tuple(int(part) for part in planned.split(".")) > parts:
        return planned
    if all(earlier.holds(entry) for entry in kept):
        return earlier.version
    major, minor, patch = parts
    return f"{major}.{minor}.{patch + 1}"
