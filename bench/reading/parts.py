"""A value of a suite with its places, whether it stands in YAML, in JSON or on a line of JSONL."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from evalspec.compiler.document import Document
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.compiler.rules.es102_missing_key import missing
from evalspec.compiler.rules.es103_wrong_type import wrong_type
from evalspec.compiler.sourcemap import SourceMap
from evalspec.compiler.tree import Node
from evalspec.compiler.typed import frozen, typed
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place, YamlPath, render_path

M = TypeVar("M", bound=BaseModel)
SPEC_FILES = ("generation_config.yaml", "source_config.yaml")


class Origin(Protocol):
    """Where a part comes from; for a line of JSONL both are made when a place is first asked for."""

    @property
    def document(self) -> Document:
        """The nodes of the whole."""
        ...

    @property
    def places(self) -> SourceMap:
        """The places of the whole."""
        ...


@dataclass(frozen=True, slots=True)
class Opened:
    """A document that was read as a whole."""

    document: Document
    places: SourceMap


@dataclass(frozen=True, slots=True)
class Part:
    """A value, and where it stands: `prefix` is its path in its document."""

    data: Any
    origin: Origin
    prefix: YamlPath = ()

    def sub(self, *path: str | int) -> "Part":
        """The part at a path. Raises LookupError or TypeError where nothing stands there."""
        data = self.data
        for step in path:
            data = data[step]
        return Part(data, self.origin, (*self.prefix, *path))

    def entries(self, key: str) -> list["Part"]:
        """The parts of the list at a key; none where no list stands there."""
        listed = self.data.get(key) if isinstance(self.data, dict) else None
        return [self.sub(key, index) for index in range(len(listed))] if isinstance(listed, list) else []

    def place(self, *path: str | int) -> Place:
        """The place of a value, or of the nearest that is there."""
        places = self.origin.places
        return places.place_of(self.origin.document.file, (*self.prefix, *path))

    def key_place(self, *path: str | int) -> Place:
        """The place of a key."""
        places = self.origin.places
        return places.key_place(self.origin.document.file, (*self.prefix, *path))

    def lost(self) -> set[YamlPath]:
        """The paths inside that the reader of the document gave up (tags, keys that stand twice)."""
        if not isinstance(self.origin, Opened) and "document" not in vars(self.origin):
            return set()
        size = len(self.prefix)
        return {path[size:] for path in self.origin.document.lost if path[:size] == self.prefix}


def checked(part: Part, model: type[M], diagnostics: list[Diagnostic]) -> tuple[M | None, set[YamlPath]]:
    """The model of a part as far as it goes, and the paths in it that were lost; what is wrong is appended.

    None where too much is lost for anything to be judged.
    """
    if not isinstance(part.data, dict):
        whole = not part.prefix and isinstance(part.origin, Opened)
        name = "the document" if whole else render_path(part.prefix) or "the case"
        diagnostics.append(wrong_type(name, "a mapping", part.data, str(part.data), part.place()))
        return None, set()
    lost = part.lost()
    if not lost:
        try:
            return model.model_validate(frozen(part.data)), set()
        except ValidationError:
            pass
    made, wrong, lost = typed(document_of(part, lost), model, Shifted(part))
    diagnostics += (_worded(part, diagnostic) for diagnostic in wrong)
    return made, lost


def _worded(part: Part, diagnostic: Diagnostic) -> Diagnostic:
    """A finding in the words of a suite: a case is no document, and a key of a spec has no place here at all."""
    if diagnostic.code == "ES104" and any(name in diagnostic.hint for name in SPEC_FILES):
        key = diagnostic.message.partition(" ")[0]
        diagnostic = found("ES101", f"there is no key {key} here", diagnostic.place, hint="take it out")
    if isinstance(part.origin, Opened) and not part.prefix:
        return diagnostic
    message, hint = (text.replace("the document", "the case") for text in (diagnostic.message, diagnostic.hint))
    return replace(diagnostic, message=message, hint=hint)


def document_of(part: Part, lost: set[YamlPath]) -> Document:
    """The part as a document of its own: paths begin at it, offsets stay those of the whole."""
    whole = part.origin.document
    nodes = _Inside(whole.nodes, part.prefix)
    return Document(whole.file, whole.text, part.data, nodes, lost=lost)


class _Inside(dict[YamlPath, Node]):
    """The nodes under a path, looked up when they are asked for."""

    def __init__(self, whole: dict[YamlPath, Node], prefix: YamlPath) -> None:
        super().__init__()
        self.whole, self.prefix = whole, prefix

    def get(self, path: YamlPath, default: Any = None) -> Any:
        """The node at a path of the part."""
        return self.whole.get((*self.prefix, *path), default)


class Shifted(SourceMap):
    """The places of a part by paths that begin at it."""

    def __init__(self, part: Part) -> None:
        super().__init__(())
        self.part = part

    def place_of(self, file: str, path: YamlPath) -> Place:
        """The place of a value of the part."""
        return self.part.origin.places.place_of(file, (*self.part.prefix, *path))

    def key_place(self, file: str, path: YamlPath) -> Place:
        """The place of a key of the part."""
        return self.part.origin.places.key_place(file, (*self.part.prefix, *path))


def require(part: Part, keys: Iterable[str], known: Iterable[str], diagnostics: list[Diagnostic]) -> None:
    """Append a finding for each key that is not there, and that no misspelt key seems to mean."""
    if not isinstance(part.data, dict):
        return
    names = list(known)
    meant = {nearest(str(key), names) for key in part.data if key not in names}
    section = render_path(part.prefix) or ("the case" if not isinstance(part.origin, Opened) else "")
    for key in keys:
        if key not in part.data and key not in meant:
            diagnostics.append(missing(key, section, part.key_place()))


class Moved(SourceMap):
    """Places in one line of a file, moved to where the line stands."""

    def __init__(self, document: Document, number: int) -> None:
        super().__init__((document,))
        self.number = number

    def _moved(self, place: Place) -> Place:
        down = self.number - 1
        return replace(place, line=place.line + down, end_line=place.end_line + down)

    def place_of(self, file: str, path: YamlPath) -> Place:
        """The place of a value; of a list or an object, of its key."""
        return self._moved(super().place_of(file, path))

    def key_place(self, file: str, path: YamlPath) -> Place:
        """The place of a key."""
        return self._moved(super().key_place(file, path))


def texts_of(value: Any, path: YamlPath = ()) -> Iterable[tuple[YamlPath, str]]:
    """Every text in plain data with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts_of(item, (*path, key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from texts_of(item, (*path, index))
