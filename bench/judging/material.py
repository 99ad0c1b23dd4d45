"""The material that a judge sees: what the user wrote and what was answered, between borders that it cannot forge."""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from evalspec.bench.results import TargetResult
from evalspec.bench.suite import Case
from evalspec.spec.dataclass import dataclass

MAX_CHARS = 200_000
"""Longer answers are not judged: half an answer is another answer."""
_CODE_LENGTH = 24
_NONE = "(no answer came)"


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of material and the word that the instructions call it by."""

    name: str
    text: str


def fenced(blocks: Sequence[Block], last: str) -> str:
    """The blocks between borders that carry a code, then the line `last`.

    The code is made from the digest of all texts, so that no text can hold it: to do so it would have to hold a part of
    its own digest. The same blocks give the same message.
    """
    parts = [(block.name, plain(block.text)) for block in blocks]
    code = _code([text for _, text in parts])
    lines = [f"The code of this message is {code}."]
    for name, text in parts:
        lines += ["", f"=== {code} BEGIN {name} ===", text, f"=== {code} END {name} ==="]
    return "\n".join([*lines, "", last])


def _code(texts: Sequence[str]) -> str:
    digest = sha256("\0".join(texts).encode("utf-8"))
    while any((code := digest.hexdigest()[:_CODE_LENGTH]) in text for text in texts):
        digest = sha256(digest.digest())
    return code


def plain(text: str) -> str:
    """Text that can be sent as UTF-8: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def material_of(case: Case, results: Sequence[TargetResult]) -> list[Block]:
    """The turns before, the user's message, the answer to it, which is the last of `results`, and what was called."""
    *before, result = results
    blocks = []
    for number, (turn, answer) in enumerate(zip(case.turns, before, strict=False), 1):
        blocks.append(Block(f"EARLIER USER {number}", shown(turn.input)))
        blocks.append(Block(f"EARLIER ANSWER {number}", _NONE if answer.error is not None else answer_of(answer)))
    blocks.append(Block("USER", shown(case.turns[len(before)].input)))
    blocks.append(Block("ANSWER", answer_of(result)))
    if result.tool_calls:
        calls = [f"{call.name} {shown(call.args)}" for call in result.tool_calls]
        blocks.append(Block("TOOLS", "\n".join(calls)))
    return blocks


def answer_of(result: TargetResult) -> str:
    """What is judged: the text, or the object where there is no text."""
    return result.text if result.text.strip() or result.output is None else shown(result.output)


def shown(value: Any) -> str:
    """A text as it is, all else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)
