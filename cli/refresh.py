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

    Gives an ES510 where that fails, and an ES520 that names the place where something was moved. A refresh that was
    begun for the same plan and did not end is gone on with, and nothing is moved again. Where there is neither a
    release nor an accepted reply, an older data/previous/ stays. A kill between two moves loses nothing: the marker
    is written before them, and the next call goes on with them.
    """
    data = opened.folder / "data"
    moving, previous = data / _MOVING, data / PREVIOUS
    if begun(opened):
        return None
    names = ("generated", "final") if keep_raw else ("generated", "final", "raw")
    moved = False
    try:
        data.mkdir(exist_ok=True)
        _mark(opened, moving=True)
        if moving.exists() or _worth_keeping(opened):
            for name in names:
                if (data / name).exists() and not (moving / name).exists():
                    moving.mkdir(parents=True, exist_ok=True)
                    (data / name).rename(moving / name)
        if moving.exists():
            if previous.exists():
                shutil.rmtree(previous)
            moving.rename(previous)
            moved = True
        _mark(opened, moving=False)
    except OSError as error:
        return found("ES510", f"cannot move {data} aside: {error.strerror}", Place(str(data)))
    if not moved:
        return None
    message = f"what was made before is in {previous}; move its folders back into {data} to have it again"
    return found("ES520", message, Place(str(previous)))


def _worth_keeping(opened: PlanFile) -> bool:
    """Whether there is a release, or a reply that was accepted."""
    if _records_in(opened.release):
        return True
    try:
        with (opened.folder / "data/generated/journal.jsonl").open("rb") as file:
            return any(b'"outcome":"accepted"' in line for line in file)
    except OSError:
        return False


def _mark(opened: PlanFile, *, moving: bool) -> None:
    from evalspec.spec.writing import write_atomically

    marker = opened.folder / "data" / MARKER
    write_atomically(marker, (json.dumps({"plan": opened.plan.digest, "moving": moving}) + "\n").encode("utf-8"))


def begun(opened: PlanFile) -> bool:
    """Whether a full refresh of this plan was begun and has not ended."""
    try:
        held = json.loads((opened.folder / "data" / MARKER).read_text(encoding="utf-8"))
        return bool(held["plan"] == opened.plan.digest and not held["moving"])
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
    places = [folder / "data" / PREVIOUS / f"{release.name}{tail}" for tail in ("", *(f"-{n}" for n in range(2, 100)))]
    aside = next((place for place in places if not place.exists()), places[-1])
    try:
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
