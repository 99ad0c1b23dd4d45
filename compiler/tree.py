"""YAML text to a tree of nodes with offsets, within bounds: nothing is built that the text could blow up."""

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from evalspec.compiler.scanning import quick_yaml
from evalspec.compiler.syntax import unread
from evalspec.spec.dataclass import dataclass

MAX_DEPTH = 40
MAX_NODES = 50_000


@dataclass(slots=True)
class Leaf:
    """A scalar: its value as text, its style (empty for plain, else ' " | >), and its half-open offsets."""

    text: str
    style: str
    start: int
    end: int
    tag: str = ""


@dataclass(slots=True)
class Branch:
    """A mapping (`keys` as long as `items`) or a sequence (`keys` is None), and its half-open offsets."""

    keys: "list[Node] | None"
    start: int
    end: int
    tag: str = ""
    items: "list[Node]" = field(default_factory=list)
    done: bool = False


Node = Leaf | Branch


class TreeError(Exception):
    """A text that gives no tree: the code of the diagnostic, what is wrong, at which offset, and what to write."""

    def __init__(self, code: str, message: str, offset: int, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.offset, self.hint = code, message, offset, hint


_HALF = re.compile("[\ud800-\udfff]")
# What the scanner lets through on hostile input, beside its own errors: bad code points, unhashable marks.
_SCANNER_FAULTS = (ValueError, IndexError, TypeError, AttributeError, AssertionError, OverflowError, KeyError)


def parse_tree(text: str) -> Node | None:
    """The root node of the only document in `text`; None where there is none.

    Aliases are replaced by the node that they name, so a node may hang in several places. Raises TreeError with
    ES004 (syntax) or ES005 (too deep, too many nodes, an alias inside its own anchor, an alias that is not defined).
    """
    builder = _Builder(text)
    try:
        for event in quick_yaml().parse(text):
            builder.take(event)
    except MarkedYAMLError as error:
        wrong = unread(error)
        raise TreeError("ES004", wrong.message, wrong.offset, wrong.hint) from None
    except ReaderError as error:
        code = error.character if isinstance(error.character, int) else ord(error.character)
        message = f"the character U+{code:04X} cannot stand in YAML"
        raise TreeError("ES004", message, int(error.position)) from None
    except (YAMLError, *_SCANNER_FAULTS) as error:
        raise TreeError("ES004", str(error).splitlines()[0] if str(error) else "not YAML", builder.offset) from None
    return builder.root


class _Builder:
    """Builds the tree from the parser's events, one at a time."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root: Node | None = None
        self.offset = 0
        self._open: list[Branch] = []
        self._pending: list[Node | None] = []
        self._anchors: dict[str, Node] = {}
        self._count = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        """Take the next event. Raises TreeError."""
        self.offset = event.start_mark.index
        match event:
            case ScalarEvent():
                if _HALF.search(event.value):
                    raise TreeError("ES004", "an escape gives half a character (a lone surrogate)", self.offset)
                leaf = Leaf(event.value, event.style or "", self.offset, event.end_mark.index, _tag(event))
                self._add(leaf, event.anchor)
            case DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    raise TreeError("ES004", "the file holds a second document; a spec file is one", self.offset)
            case AliasEvent():
                self._alias(event)
            case MappingStartEvent():
                self._start(Branch([], self.offset, self.offset, _tag(event)), event.anchor)
            case SequenceStartEvent():
                self._start(Branch(None, self.offset, self.offset, _tag(event)), event.anchor)
            case CollectionEndEvent():
                branch = self._open.pop()
                self._pending.pop()
                branch.end, branch.done = event.end_mark.index, True
            case NodeEvent():
                raise TreeError("ES004", "not YAML", self.offset)

    def _alias(self, event: Any) -> None:
        node = self._anchors.get(event.anchor)
        if node is None:
            hint = "a text that begins with * needs quotes"
            raise TreeError("ES004", f"the alias *{event.anchor} names no anchor", self.offset, hint)
        if isinstance(node, Branch) and not node.done:
            raise TreeError("ES005", f"the alias *{event.anchor} stands inside the value that it names", self.offset)
        self._add(node, None)

    def _start(self, branch: Branch, anchor: str | None) -> None:
        self._add(branch, anchor)
        self._open.append(branch)
        self._pending.append(None)
        if len(self._open) > MAX_DEPTH:
            raise TreeError("ES005", f"the document nests deeper than {MAX_DEPTH} levels", self.offset)

    def _add(self, node: Node, anchor: str | None) -> None:
        self._count += 1
        if self._count > MAX_NODES:
            raise TreeError("ES005", f"the document holds more than {MAX_NODES:,} values", self.offset)
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._open:
            self.root = node
            return
        branch, key = self._open[-1], self._pending[-1]
        if branch.keys is None:
            branch.items.append(node)
        elif key is None:
            self._pending[-1] = node
        else:
            branch.keys.append(key)
            branch.items.append(node)
            self._pending[-1] = None


def _tag(event: Any) -> str:
    tag = event.tag
    if tag is None:
        return ""
    return str(tag).replace("tag:yaml.org,2002:", "!!", 1)


def leaves(node: Node) -> Iterator[Leaf]:
    """Every leaf of a tree once, keys included; shared nodes are walked once."""
    seen: set[int] = set()
    stack: list[Node] = [node]
    while stack:
        top = stack.pop()
        if id(top) in seen:
            continue
        seen.add(id(top))
        if isinstance(top, Leaf):
            yield top
        else:
            stack += [*(top.keys or ()), *top.items]
