"""One YAML file as data and places: what `load` makes of a tree, with everything wrong about its keys reported."""

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from evalspec.compiler.scalars import resolve_plain, taken_elsewhere
from evalspec.compiler.tree import Branch, Leaf, Node, TreeError
from evalspec.spec.dataclass import dataclass
from evalspec.spec.source import YamlPath

MAX_EXPANDED = 100_000


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong at an offset, before it has a place: a code, a message, a hint and a related offset."""

    code: str
    message: str
    start: int
    end: int
    path: YamlPath
    hint: str = ""
    related: tuple[int, int, str] | None = None


@dataclass(slots=True)
class Document:
    """A file's text, its data (dicts, lists, scalars), and the node and key of every path."""

    file: str
    text: str
    data: Any = None
    nodes: dict[YamlPath, Node] = field(default_factory=dict)
    keys: dict[YamlPath, Leaf] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    ambiguous: list[tuple[YamlPath, Leaf, str]] = field(default_factory=list)
    lost: set[YamlPath] = field(default_factory=set)


def build(file: str, text: str, root: Node) -> Document:
    """Resolve a tree into a document. Raises TreeError (ES005) where aliases repeat it beyond the bound."""
    document = Document(file, text)
    builder = _Builder(document)
    document.data = builder.value(root, ())
    return document


class _Builder:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.budget = MAX_EXPANDED

    def value(self, node: Node, path: YamlPath) -> Any:
        self.budget -= 1
        if self.budget < 0:
            message = f"aliases repeat the document's values more than {MAX_EXPANDED:,} times"
            raise TreeError("ES005", message, node.start)
        self.document.nodes[path] = node
        if node.tag:
            self._tagged(node, path)
        if isinstance(node, Leaf):
            return self._leaf(node, path)
        if node.keys is None:
            return [self.value(item, (*path, index)) for index, item in enumerate(node.items)]
        return self._mapping(node, path)

    def _tagged(self, node: Node, path: YamlPath) -> None:
        hint = "write text in quotes and leave the tag out" if node.tag == "!!str" else "leave the tag out"
        end = node.start + len(node.tag.removeprefix("!!"))
        message = f"the tag {node.tag} asks for a type that a spec cannot hold"
        self.document.findings.append(Finding("ES006", message, node.start, end, path, hint))
        self.document.lost.add(path)

    def _leaf(self, leaf: Leaf, path: YamlPath) -> Any:
        if leaf.style or leaf.tag:
            return leaf.text
        if what := taken_elsewhere(leaf.text):
            self.document.ambiguous.append((path, leaf, what))
        return resolve_plain(leaf.text)

    def _mapping(self, branch: Branch, path: YamlPath) -> dict[str, Any]:
        out: dict[str, Any] = {}
        first: dict[str, Leaf] = {}
        merged: list[tuple[Node, Leaf]] = []
        for key, item in _pairs(branch):
            if not isinstance(key, Leaf):
                message = "a key must be a word, not a list or a mapping"
                self.document.findings.append(Finding("ES004", message, key.start, key.start + 1, path))
                continue
            if key.text in first:
                self._duplicate(key, first[key.text], (*path, key.text))
                continue
            first[key.text] = key
            if key.text == "<<" and not key.style:
                merged.append((item, key))
                continue
            if not key.style and (what := taken_elsewhere(key.text)):
                self.document.ambiguous.append(((*path, key.text), key, what))
            self.document.keys[(*path, key.text)] = key
            out[key.text] = self.value(item, (*path, key.text))
        for item, key in merged:
            self._merge(item, key, path, out)
        return out

    def _duplicate(self, key: Leaf, first: Leaf, path: YamlPath) -> None:
        message = f"the key {key.text} stands twice in this mapping"
        related = (first.start, first.end, "it stands here first")
        hint = "keep one of the two"
        self.document.findings.append(Finding("ES007", message, key.start, key.end, path, hint, related))
        self.document.lost.add(path)

    def _merge(self, node: Node, key: Leaf, path: YamlPath, out: dict[str, Any]) -> None:
        """`<<`: keys of the mapping itself win, then those of earlier entries."""
        sources = node.items if isinstance(node, Branch) and node.keys is None else [node]
        for source in sources:
            if not (isinstance(source, Branch) and source.keys is not None):
                message = "the merge key << takes a mapping or a list of mappings"
                self.document.findings.append(Finding("ES103", message, key.start, key.end, path))
                return
            for name, item in _pairs(source):
                if isinstance(name, Leaf) and name.text == "<<" and not name.style:
                    self._merge(item, name, path, out)
                elif isinstance(name, Leaf) and name.text not in out:
                    self.document.keys[(*path, name.text)] = name
                    out[name.text] = self.value(item, (*path, name.text))


def _pairs(branch: Branch) -> Iterator[tuple[Node, Node]]:
    yield from zip(branch.keys or (), branch.items, strict=True)
