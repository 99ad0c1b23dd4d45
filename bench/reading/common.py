"""What the readers share: ids, whatever else is wrong with their cases, sets, tool names, and contradictions."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evalspec.bench.checks import Check
from evalspec.bench.reading.contradictions import contradictions
from evalspec.bench.reading.gathered import Gathered, Named, SetFacts
from evalspec.bench.reading.parts import Part
from evalspec.spec.diagnostic import Related, found
from evalspec.spec.source import Place, YamlPath


def note_id(part: Part, key: str, gathered: Gathered, place: Place | None = None) -> None:
    """Keep the id of a case, whatever else is wrong with it; report one that stands twice, in any file or type.

    `place` is that of the whole case, where its id's own takes long to find.
    """
    if isinstance(part.data, dict):
        note_name(part.data.get(key), lambda: part.place(key), gathered, place)


def note_name(given: Any, where: Callable[[], Place], gathered: Gathered, place: Place | None = None) -> None:
    """The same for an id by itself."""
    if not isinstance(given, str | int | float) or isinstance(given, bool):
        return
    kind = "text" if isinstance(given, str) else "number"
    before = gathered.names.get(text := str(given).strip())
    if before is None:
        gathered.names[text] = Named(kind, place or where())
        return
    message = f"the id {text} stands twice"
    if before.kind != kind:
        message += f", once as {before.kind} and once as {kind}: reports could not tell them apart"
    related = [Related(before.place, "it stands here first")]
    hint = "give each case of the suite an id of its own"
    gathered.add(found("ES703", message, where(), hint=hint, related=related))


def set_facts(gathered: Gathered, name: str, place: Place, gates: bool = False) -> SetFacts:
    """The facts of a set, made where they are not there."""
    return gathered.sets.setdefault(name, SetFacts(name, place, gates=gates))


def note_tools(part: Part, tool_names: dict[str, str], gathered: Gathered) -> None:
    """Take the tool names of a file; two files may say the same, and not two things."""
    for theirs, ours in tool_names.items():
        place = part.key_place("tool_names", theirs)
        if gathered.tool_names.get(theirs, ours) != ours:
            message = f"tool_names has {theirs} for {ours}, and another file for {gathered.tool_names[theirs]}"
            gathered.add(found("ES105", message, place, hint="one tool of the target is one tool of the suite"))
        gathered.tool_names[theirs] = ours
        gathered.tool_places.setdefault(theirs, place)


def note_contradictions(
    part: Part, checks: Sequence[tuple[Check, YamlPath | None]], gathered: Gathered, place: Place | None = None
) -> None:
    """Report checks of one turn that no answer can pass together."""
    for message, index in contradictions([check for check, _ in checks]):
        path = checks[index][1]
        where = place or (part.place() if path is None else part.place(*path))
        gathered.add(found("ES713", message, where, hint="keep one of the two"))


def relative(path: Path, root: Path) -> str:
    """A file as findings name it: relative to the suite's folder, with forward slashes."""
    try:
        return Path(os.path.relpath(path, root)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()
