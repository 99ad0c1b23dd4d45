"""An answer as graders read it: its text, its JSON and the values at paths, all of bounded size."""

import json
import re
from typing import Any

from evalspec.bench.paths import at
from evalspec.bench.results import TargetResult

MAX_TEXT = 200_000
"""The most characters of an answer that are graded, some 50,000 tokens; a longer one is unscored."""
MAX_DEPTH = 64
_FENCE = re.compile(r"^```[^\n`]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)


class UnfitError(Exception):
    """The answer lacks the form that the check needs: a fail, with the reason."""


class UngradableError(Exception):
    """The answer cannot be graded at all: unscored, with the reason."""


def text_of(result: TargetResult) -> str:
    """What the target said; where it gave only JSON, the texts and numbers in it, a line each."""
    text = result.text
    if not text and result.output is not None:
        text = "\n".join(leaves(bounded(result.output)))
    return _short_enough(text)


def output_of(result: TargetResult) -> Any:
    """The answer as JSON: the target's own, or what its text holds, fenced or not. Raises UnfitError."""
    if result.output is not None:
        return bounded(result.output)
    text = _short_enough(result.text).strip().removeprefix("\ufeff")
    fenced = _FENCE.findall(text) if "```" in text else []
    for candidate in (text, *(fenced if len(fenced) == 1 else ())):
        try:
            return bounded(json.loads(candidate, parse_constant=_no_number))
        except (ValueError, RecursionError):
            continue
    raise UnfitError("the answer is not JSON")


def value_at(result: TargetResult, path: str) -> Any:
    """The value at a path of the answer's JSON. Raises UnfitError where it is none, PathError where it ends."""
    return at(output_of(result), path)


def texts_at(result: TargetResult, path: str) -> str:
    """The text at a path, several a line each; the whole text where the path is empty."""
    return _short_enough("\n".join(leaves(value_at(result, path)))) if path else text_of(result)


def leaves(value: Any) -> list[str]:
    """The texts and numbers in a JSON value, in order; keys, booleans and nulls are none."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, dict):
        return [text for item in value.values() for text in leaves(item)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in leaves(item)]
    return [str(value)]


def bounded(value: Any) -> Any:
    """The value itself. Raises UngradableError where it is nested too deep or too large."""
    if not isinstance(value, dict | list | tuple):
        return value
    level: list[Any] = [value]
    depth = count = 0
    while level:
        depth, count = depth + 1, count + len(level)
        if depth > MAX_DEPTH or count > MAX_TEXT:
            raise UngradableError(f"nested over {MAX_DEPTH} deep, or of over {MAX_TEXT:,} characters and values")
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list | tuple):
                inner.extend(item)
            elif isinstance(item, str):
                count += len(item)
        level = inner
    return value


def _short_enough(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise UngradableError(f"the answer has {len(text):,} characters; at most {MAX_TEXT:,} are graded")
    return text


def _no_number(name: str) -> None:
    raise ValueError(name)
