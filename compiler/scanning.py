"""ruamel's pure scanner and parser, with the loops over single characters done by regular expressions.

Same events for every text, at a third of the time: a spec's texts are long, and ruamel walks them a character at a
time. Only ways through the common cases are added; whatever they do not match goes ruamel's own way.
"""

import re
from functools import lru_cache
from string import ascii_letters
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.events import ScalarEvent
from ruamel.yaml.parser import Parser
from ruamel.yaml.scanner import Scanner
from ruamel.yaml.tokens import BlockMappingStartToken, KeyToken, ScalarToken, ValueToken

from evalspec.compiler.reader import QuickReader

_END = "\\0\\n\\r\\x85\\u2028\\u2029"
_DOUBLE = re.compile(f'"([^"\\\\{_END}]*)"')
_SINGLE = re.compile(f"'((?:[^'{_END}]|'')*)'(?!')")
_WORD = rf"(?:[^ \t:{_END}]|:(?![ \t{_END}]))+"
_PLAIN = re.compile(rf"(?!#){_WORD}(?: +(?!#){_WORD})*")
_FLOW_PLAIN = re.compile(r"[A-Za-z0-9][\w.-]*(?= *[],}])", re.ASCII)
_KEY = re.compile(r"([A-Za-z][\w-]{0,99}):(?=[ \n])", re.ASCII)
_GAP = re.compile(r"(?: *(?:#[^\0\n\r\x85\u2028\u2029]*)?\n)* *(?=[^ \t#\0\n\r\x85\u2028\u2029])")
_BLOCK_HEAD = re.compile(f"[|>]([-+]?) *\n( +)(?=[^ {_END}])")
_SPACES = re.compile(" *")
_ODD = "\r\x85\u2028\u2029"
_RARE = "\x85\u2028\u2029"
_LETTERS = frozenset(ascii_letters)


class QuickScanner(Scanner):
    """Takes scalars of one line, and the space between tokens, at once."""

    reader: Any = None  # a property that looks it up each time, in ruamel

    def __init__(self, loader: Any = None) -> None:
        self.reader = loader.reader
        super().__init__(loader)

    def check_token(self, *choices: Any) -> bool:
        """Whether the next token is one of these types, or any where none is named."""
        if not self.tokens or self.possible_simple_keys:
            self._read_on()
        return bool(self.tokens) and (not choices or isinstance(self.tokens[0], choices))

    def peek_token(self) -> Any:
        """The next token."""
        if not self.tokens or self.possible_simple_keys:
            self._read_on()
        return self.tokens[0] if self.tokens else None

    def get_token(self) -> Any:
        """The next token, taken off."""
        if not self.tokens or self.possible_simple_keys:
            self._read_on()
        if not self.tokens:
            return None
        self.tokens_taken += 1
        return self.tokens.pop(0)

    def _read_on(self) -> None:
        """Read until it is told what the next token is."""
        while self.need_more_tokens():
            self.fetch_more_tokens()

    def fetch_more_tokens(self) -> Any:
        """Read one more token, and those that it shows to come before it."""
        self.scan_to_next_token()
        self.stale_possible_simple_keys()
        reader = self.reader
        if self.indent > reader.column:
            self.unwind_indent(reader.column)
        char, after = reader.buffer[reader.pointer], reader.buffer[reader.pointer + 1 : reader.pointer + 2]
        if char in _LETTERS:
            key = None
            if self.allow_simple_key and not self.flow_context and not self.possible_simple_keys:
                key = _KEY.match(reader.buffer, reader.pointer)
            return self.fetch_plain() if key is None else self._fetch_plain_key(key[1])
        if char == '"':
            return self.fetch_double()
        if after in (" ", "\n") and not self.flow_context:
            if char == ":":
                return self.fetch_value()
            if char == "-":
                return self.fetch_block_entry()
        return super().fetch_more_tokens()

    def _fetch_plain_key(self, name: str) -> None:
        """Read a key of one word and its colon, outside brackets, where a key may stand."""
        reader = self.reader
        start = reader.get_mark()
        if self.add_indent(reader.column):
            self.tokens.append(BlockMappingStartToken(start, start))
        reader.step(len(name))
        end = reader.get_mark()
        reader.step(1)
        self.tokens += (
            KeyToken(start, start),
            ScalarToken(name, True, start, end),
            ValueToken(end, reader.get_mark()),
        )
        self.allow_simple_key = False

    def stale_possible_simple_keys(self) -> None:
        """Forget what can no longer be a key."""
        if self.possible_simple_keys:
            super().stale_possible_simple_keys()

    def save_possible_simple_key(self) -> None:
        """Note that the next token may be a key."""
        if self.allow_simple_key:
            super().save_possible_simple_key()

    def remove_possible_simple_key(self) -> None:
        """Forget that the last token of this level may be a key."""
        if self.possible_simple_keys:
            super().remove_possible_simple_key()

    def scan_to_next_token(self) -> Any:
        """Pass over space, comments and line breaks."""
        reader = self.reader
        if reader.buffer[reader.pointer] in _LETTERS:
            return None
        match = _GAP.match(reader.buffer, reader.pointer) if reader.index else None
        if match is None:
            return super().scan_to_next_token()
        length = match.end() - match.start()
        if length:
            lines = match[0].count("\n")
            reader.pointer += length
            reader.index += length
            reader.line += lines
            reader.column = length - match[0].rfind("\n") - 1 if lines else reader.column + length
            if lines and not self.flow_context:
                self.allow_simple_key = True
        return None

    def scan_flow_scalar(self, style: Any) -> Any:
        """A quoted scalar."""
        reader = self.reader
        match = (_DOUBLE if style == '"' else _SINGLE).match(reader.buffer, reader.pointer)
        if match is None or "\ufeff" in match[0]:
            return super().scan_flow_scalar(style)
        start = reader.get_mark()
        reader.step(match.end() - match.start())
        value = match[1] if style == '"' else match[1].replace("''", "'")
        return ScalarToken(value, False, start, reader.get_mark(), style)

    def scan_plain(self) -> Any:
        """A plain scalar: a word in brackets, or outside them where the next line cannot go on with it, at once."""
        reader = self.reader
        match = (_FLOW_PLAIN if self.flow_context else _PLAIN).match(reader.buffer, reader.pointer)
        if match is None or "\ufeff" in match[0] or (not self.flow_context and self._goes_on(match.end())):
            return super().scan_plain()
        start = reader.get_mark()
        reader.step(match.end() - match.start())
        end = reader.get_mark()
        self.allow_simple_key = False
        if reader.buffer[reader.pointer] != ":":
            self.scan_plain_spaces(self.indent + 1, start)
        return ScalarToken(match[0], True, start, end)

    def scan_block_scalar(self, style: Any, rt: Any = False) -> Any:
        """A literal or folded scalar without an indentation indicator."""
        reader, buffer = self.reader, self.reader.buffer
        head = _BLOCK_HEAD.match(buffer, reader.pointer)
        if rt or head is None or self.indent < 0 or len(head[2]) <= self.indent:
            return super().scan_block_scalar(style, rt)
        indent = len(head[2])
        end = _block_body(indent).match(buffer, head.start(2)).end()  # type: ignore[union-attr]
        left = _SPACES.match(buffer, end).end() - end  # type: ignore[union-attr]
        if (
            end == head.start(2)
            or left >= indent
            or buffer[end + left] in _ODD
            or "\ufeff" in buffer[head.start() : end]
        ):
            return super().scan_block_scalar(style, rt)
        start = reader.get_mark()
        lines = [line[indent:] for line in buffer[head.start(2) : end - 1].split("\n")]
        self._move_to(end, len(lines) + 1)
        end_mark = reader.get_mark()
        reader.forward(left)
        value, trailing = _block_value(lines, style, head[1])
        if trailing and head[1] != "+":
            self.scan_to_next_token()
        return ScalarToken(value, False, start, end_mark, style)

    def _move_to(self, offset: int, lines: int) -> None:
        """Go to the start of a line, `lines` further down."""
        reader = self.reader
        reader.index += offset - reader.pointer
        reader.pointer = offset
        reader.line += lines
        reader.column = 0

    def _goes_on(self, at: int) -> bool:
        """Whether a plain scalar whose first line ends at an offset may have another line."""
        buffer = self.reader.buffer
        while buffer[at] == " ":
            at += 1
        if buffer[at] not in "\0\n\r":
            return buffer[at] in _RARE
        line = at
        while buffer[at] in " \n\r":
            line = line if buffer[at] == " " else at
            at += 1
        return buffer[at] in _RARE or (buffer[at] != "\0" and at - line - 1 >= self.indent + 1)


@lru_cache(maxsize=64)
def _block_body(indent: int) -> re.Pattern[str]:
    """The lines of a block scalar of an indent, each with its line feed."""
    return re.compile(f"(?: {{{indent}}}[^{_END}]+\n| {{0,{indent}}}\n)*")


def _block_value(lines: list[str], style: str, chomping: str) -> tuple[str, int]:
    """The value of the lines of a block scalar, their indent taken off, and how many blank lines end it."""
    count = len(lines)
    while lines and not lines[-1]:
        lines.pop()
    trailing = count - len(lines)
    body = "\n".join(lines) if style == "|" else _folded(lines)
    return body + {"": "\n", "-": "", "+": "\n" * (trailing + 1)}[chomping], trailing


def _folded(lines: list[str]) -> str:
    out = lines[:1]
    blanks = 0
    before = lines[0]
    for line in lines[1:]:
        if not line:
            blanks += 1
            continue
        folds = before[0] not in " \t" and line[0] not in " \t"
        out.append("\n" * blanks if folds and blanks else " " if folds else "\n" * (blanks + 1))
        out.append(line)
        before, blanks = line, 0
    return "".join(out)


class QuickParser(Parser):
    """Looks up its scanner once, and takes bare scalars at once."""

    scanner: Any = None

    def __init__(self, loader: Any) -> None:
        self.scanner = loader.scanner
        super().__init__(loader)

    def parse_node(self, block: bool = False, indentless_sequence: bool = False) -> Any:
        """The event of the node that starts here."""
        if not self.scanner.check_token(ScalarToken):
            return super().parse_node(block, indentless_sequence)
        token = self.scanner.get_token()
        self.state = self.states.pop()
        implicit = (token.plain, not token.plain)
        return ScalarEvent(None, None, implicit, token.value, token.start_mark, token.end_mark, style=token.style)


def quick_yaml() -> YAML:
    """A pure YAML reader made of these; for one text only."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Reader, yaml.Scanner, yaml.Parser = QuickReader, QuickScanner, QuickParser
    return yaml
