"""What a run does to data that is there: set it aside for a full refresh, and never write less over more unsaid."""

import json
import shutil
from pathlib import Path

from evalspec.cli.workspace import PlanFile
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

MARKER = "refreshing.json"
PREVIOUS = "previous"
_MOVING = "previous.moving"


def begin_refresh(opened: PlanFile, *, keep_raw: bool) -> Diagnostic | None:
    """Move what was made to data/previous/, replacing an older one; scraped text stays with `keep_raw`.

    A refresh that was begun for the same plan and did not end is gone on with, and nothing is moved again. A kill
    between two moves loses nothing: the next call goes on with them.
    """
    data = opened.folder / "data"
    moving, previous = data / _MOVING, data / PREVIOUS
    if begun(opened):
        return None
    names = ("generated", "final") if keep_raw else ("generated", "final", "raw")
    try:
        for name in names:
            if (data / name).exists() and not (moving / name).exists():
                moving.mkdir(parents=True, exist_ok=True)
                (data / name).rename(moving / name)
        if moving.exists():
            if previous.exists():
                shutil.rmtree(previous)
            moving.rename(previous)
        data.mkdir(exist_ok=True)
        (data / MARKER).write_text(json.dumps({"plan": _digest(opened)}) + "\n", encoding="utf-8")
    except OSError as error:
        return found("ES510", f"cannot move {data} aside: {error.strerror}", Place(str(data)))
    return None


def begun(opened: PlanFile) -> bool:
    """Whether a full refresh of this plan was begun and has not ended."""
    try:
        held = json.loads((opened.folder / "data" / MARKER).read_text(encoding="utf-8"))
        return bool(held["plan"] == _digest(opened))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def end_refresh(folder: Path) -> None:
    """The release is whole: the next full refresh begins anew."""
    (folder / "data" / MARKER).unlink(missing_ok=True)


def keep_larger(release: Path, folder: Path, records: int) -> Diagnostic | None:
    """Move a release that holds more than `records` records to data/previous/, and say so."""
    if not holds_more(release, records):
        return None
    held = _records_in(release)
    aside = folder / "data" / PREVIOUS / release.name
    try:
        if aside.exists():
            shutil.rmtree(aside)
        aside.parent.mkdir(parents=True, exist_ok=True)
        release.rename(aside)
    except OSError as error:
        return found("ES510", f"cannot move {release} aside: {error.strerror}", Place(str(release)))
    message = f"the release of {held:,} records gave way to one of {records:,}; it is in {aside}"
    return found("ES520", message, Place(str(release)))


def holds_more(release: Path, records: int) -> bool:
    """Whether a release holds more than `records` records."""
    return _records_in(release) > records


def _records_in(release: Path) -> int:
    try:
        with (release / "train.jsonl").open("rb") as file:
            return sum(1 for line in file if line.strip())
    except OSError:
        return 0


def _digest(opened: PlanFile) -> str:
    from evalspec.spec.planfile import digest

    return digest(opened.plan)
