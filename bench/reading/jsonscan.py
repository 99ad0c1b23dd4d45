"""JSON text to a tree of nodes with offsets, within bounds: slower than `json`, and exact about what is wrong."""

import re
from typing import NoReturn

from evalspec.compiler.tree import Branch, Leaf, Node

MAX_DEPTH = 40
MAX_VALUES = 90_000
MAX_DIGITS = 300
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[-+]?[A-Za-z_][A-Za-z0-9_]*|[^\s\[\]{},:\"]+")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_HALF = re.compile("[\ud800-\udfff]")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"true", "false", "null"}
_MEANT = {"True": "true", "False": "false", "None": "null", "TRUE": "true", "FALSE": "false", "NULL": "null"}
_CURLY = "\u201c\u201d"


class JsonError(Exception):
    """A text that is not JSON: what is wrong, at which offset, and what to write."""

    def __init__(self, message: str, offset: int, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.offset, self.hint = message, offset, hint


def scan(text: str) -> Node:
    """The root node of the one JSON value in `text`. Raises JsonError."""
    return _Scanner(text).document()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.values = text, 0, 0

    def document(self) -> Node:
        """The one value of the text. Raises JsonError."""
        self._space()
        root = self._value(0)
        end = self.at
        self._space()
        if self.at < len(self.text):
            if self.text[self.at] in "{[":
                hint = "write each case on a line of its own"
                self._fault("a second value stands on the line", self.at, hint)
            self._fault(f"{self._shown()} stands after the end of the value", max(end, self.at))
        return root

    def _fault(self, message: str, offset: int, hint: str = "") -> NoReturn:
        raise JsonError(message, offset, hint)

    def _space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _shown(self) -> str:
        match = _WORD.match(self.text, self.at)
        word = match[0] if match else self._peek()
        return word if len(word) <= 40 else word[:37] + "..."

    def _value(self, depth: int) -> Node:
        self.values += 1
        if self.values > MAX_VALUES:
            self._fault(f"more than {MAX_VALUES:,} values stand here", self.at)
        match self._peek():
            case "":
                self._fault("the text ends where a value is due", self.at, "the line may have been cut off")
            case "{":
                return self._object(depth)
            case "[":
                return self._array(depth)
            case '"':
                start = self.at
                return Leaf(self._string(), '"', start, self.at)
            case "-" | "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9":
                return self._number()
        return self._word()

    def _open(self, depth: int) -> int:
        if depth >= MAX_DEPTH:
            self._fault(f"it nests deeper than {MAX_DEPTH} levels", self.at)
        start, self.at = self.at, self.at + 1
        self._space()
        return start

    def _object(self, depth: int) -> Branch:
        branch = Branch([], self._open(depth), 0)
        assert branch.keys is not None
        while self._peek() != "}":
            if branch.items:
                self._comma("}")
            if self._peek() != '"':
                self._no_key()
            start = self.at
            branch.keys.append(Leaf(self._string(), '"', start, self.at))
            self._space()
            if self._peek() != ":":
                self._fault("a colon is missing after the key", self.at, "write a key, a colon and a value")
            self.at += 1
            self._space()
            branch.items.append(self._value(depth + 1))
            self._space()
        return self._close(branch)

    def _array(self, depth: int) -> Branch:
        branch = Branch(None, self._open(depth), 0)
        while self._peek() != "]":
            if branch.items:
                self._comma("]")
            branch.items.append(self._value(depth + 1))
            self._space()
        return self._close(branch)

    def _close(self, branch: Branch) -> Branch:
        self.at += 1
        branch.end, branch.done = self.at, True
        return branch

    def _comma(self, end: str) -> None:
        if self._peek() == "":
            what = "object" if end == "}" else "list"
            self._fault(f"the {what} is not closed", self.at, f"write {end} at its end; the line may have been cut off")
        if self._peek() != ",":
            self._fault(f"a comma or {end} is due, found {self._shown()}", self.at)
        comma = self.at
        self.at += 1
        self._space()
        if self._peek() == end:
            self._fault(f"a comma stands before {end}", comma, "take the last comma out")

    def _no_key(self) -> NoReturn:
        if self._peek() == "":
            self._fault("the object is not closed", self.at, "write } at its end; the line may have been cut off")
        hint = "keys stand in double quotes" if self._peek() not in _CURLY else 'write straight quotes: "'
        self._fault(f"a key in double quotes is due, found {self._shown()}", self.at, hint)

    def _number(self) -> Leaf:
        match = _NUMBER.match(self.text, self.at)
        word = _WORD.match(self.text, self.at)
        if match is None or word is None or match.end() < word.end():
            shown = self._shown()
            if shown.lstrip("-").lower() in ("infinity", "inf", "nan"):
                self._fault(f"{shown} is no JSON number", self.at, "write null, or a finite number")
            hint = f'put it in quotes to make it text: "{shown}"' if shown[:1].isdigit() else ""
            self._fault(f"{shown} is no JSON number", self.at, hint)
        text = match[0]
        if len(text) > MAX_DIGITS:
            self._fault(f"a number of {len(text):,} characters", self.at, "put it in quotes to make it text")
        if float(text) in (float("inf"), float("-inf")):
            self._fault(f"{text} is too large for a number", self.at, "write a finite number")
        start, self.at = self.at, match.end()
        return Leaf(text, "", start, self.at)

    def _word(self) -> Leaf:
        shown = self._shown()
        if shown in _WORDS:
            start, self.at = self.at, self.at + len(shown)
            return Leaf(shown, "", start, self.at)
        return self._no_word(shown)

    def _no_word(self, shown: str) -> NoReturn:
        if shown in _MEANT:
            self._fault(f"{shown} is no JSON", self.at, f"write {_MEANT[shown]}")
        if shown.lstrip("+").lower() in ("nan", "infinity", "inf"):
            self._fault(f"{shown} is no JSON number", self.at, "write null, or a finite number")
        if self._peek() in _CURLY + "'":
            self._fault("a text stands in double quotes in JSON", self.at, 'write straight quotes: "')
        if shown.startswith(("//", "/*", "#")):
            self._fault("JSON has no comments", self.at, "take the comment out")
        self._fault(f"a value is due, found {shown}", self.at)

    def _string(self) -> str:
        opened, parts = self.at, []
        self.at += 1
        while True:
            match = _PLAIN.match(self.text, self.at)
            if match is not None:
                parts.append(match[0])
                self.at = match.end()
            char = self._peek()
            if char == '"':
                self.at += 1
                break
            if char == "":
                self._fault("a text is not closed", opened, 'write " at its end; the line may have been cut off')
            if char != "\\":
                self._fault(f"the character U+{ord(char):04X} stands bare in a text", self.at, "write it as an escape")
            parts.append(self._escape())
        value = "".join(parts)
        if _HALF.search(value):  # pairs of escapes are one character; what is left alone is none
            value = value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
            if _HALF.search(value):
                self._fault("an escape gives half a character (a lone surrogate)", opened)
        return value

    def _escape(self) -> str:
        char = self.text[self.at + 1 : self.at + 2]
        if char == "u":
            match = _HEX.match(self.text, self.at + 2)
            if match is None:
                self._fault("\\u wants four hexadecimal digits", self.at)
            self.at += 6
            return chr(int(match[0], 16))
        if char not in _ESCAPES or not char:
            hint = "write \\\\ for a backslash, also in a regex: \\\\d"
            self._fault(f"\\{char} is no escape of JSON", self.at, hint)
        self.at += 2
        return _ESCAPES[char]
