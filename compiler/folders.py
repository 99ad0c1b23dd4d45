"""Folders that the spec names: where the release goes, and where the corpus lies (ES105)."""

import posixpath
import re
from collections.abc import Iterator

from evalspec.compiler.files import CONFIG_FILE, SOURCES_FILE, TEMPLATES_FOLDER
from evalspec.compiler.model import Spec
from evalspec.compiler.rules.es105_value_not_allowed import not_allowed
from evalspec.spec.diagnostic import Diagnostic, Severity
from evalspec.spec.source import YamlPath, render_path

_WORK = ("data/raw", "data/generated")
"""Where a run keeps what it fetched and what it paid for."""
_OUTPUT: YamlPath = ("dataset", "output_dir")
_ABSOLUTE = re.compile(r"[/~\\]|[A-Za-z]:")


def folder_faults(spec: Spec) -> Iterator[Diagnostic]:
    """Findings at the output folder and at each corpus folder."""
    corpus = list(_corpus(spec))
    if spec.clean(CONFIG_FILE, _OUTPUT):
        written = spec.config.dataset.output_dir
        sound = [name for _, name in corpus if not _corpus_problem(name)]
        if problem := _output_problem(written, sound):
            place = spec.places.place_of(CONFIG_FILE, _OUTPUT)
            yield not_allowed(render_path(_OUTPUT), problem, place, "the usual one is data/final/")
    for path, written in corpus:
        if (problem := _corpus_problem(written)) and spec.clean(SOURCES_FILE, path):
            place = spec.places.place_of(SOURCES_FILE, path)
            own = _inside(posixpath.normpath(written)) is None
            hint = "copy it into the spec folder, or say in a comment why not" if own else "give it a folder of its own"
            severity = Severity.WARNING if own else Severity.ERROR
            yield not_allowed(render_path(path), problem, place, hint, severity)


def _corpus(spec: Spec) -> Iterator[tuple[YamlPath, str]]:
    if spec.sources.corpus.enabled:
        for index, entry in enumerate(spec.sources.corpus.folders):
            yield ("corpus", "folders", index, "path"), entry.path


def _inside(folder: str) -> str | None:
    """The folder where it lies in the spec folder, which is `.`; None where it does not."""
    return None if _ABSOLUTE.match(folder) or folder.partition("/")[0] == ".." else folder


def _output_problem(written: str, corpus: list[str]) -> str:
    if _ABSOLUTE.match(written) or "\\" in written:
        return f"is {written}; it is a path below the spec folder, with forward slashes"
    folder = posixpath.normpath(written)
    if _inside(folder) is None:
        return f"is {written}, which leads out of the spec folder"
    if folder == ".":
        return "is the spec folder itself, which a release would replace"
    for name in (TEMPLATES_FOLDER, *_WORK, *map(posixpath.normpath, corpus)):
        if _holds(folder, name):
            return f"is {written}, which holds {name}: a release would replace it"
        if name != "." and _holds(name, folder):
            return f"is {written}, which lies in {name}"
    return ""


def _corpus_problem(written: str) -> str:
    folder = posixpath.normpath(written)
    if _ABSOLUTE.match(folder):
        return f"is {written}: the plan will not be the same on another machine"
    if _inside(folder) is None:
        return f"is {written}: the plan depends on what lies beside the spec folder"
    if folder == "." or _holds(folder, "data/final") or _holds("data", folder):
        return f"is {written}, where the run keeps its own files: they would be read as sources"
    return ""


def _holds(outer: str, inner: str) -> bool:
    return outer in (".", inner) or inner.startswith(f"{outer}/")
