"""Calls a function for `python.py`, one call a line of JSON; a program of its own, which imports nothing of evalspec.

Run as `python -P worker.py FOLDER MODULE:FUNCTION`. Requests come on stdin. Answers go to what stdout was at the
start; what the function prints goes to stderr, whether it prints by `print`, by file descriptor or in a child.
"""

import asyncio
import dataclasses
import enum
import importlib
import inspect
import json
import math
import numbers
import os
import queue
import sys
import threading
import time
import traceback
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MAX_BYTES = 8 << 20
MAX_DEPTH = 100
MAX_SAID = 400
MOST_BITS = 1000
"""Of a number: larger ones are no figures, and Python does not write them."""
SPELLED = ("datetime", "decimal", "uuid", "pathlib", "fractions")
"""Modules whose values are written as texts."""
INPUT_NAMES = ("input", "question", "query", "message", "prompt", "text")


class UnfitError(Exception):
    """The function gave what is no answer."""


def main() -> None:
    """Serve calls until stdin ends."""
    folder, name = sys.argv[1:3]
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.path.insert(0, folder)
    sys.argv = [name]
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        function = found(name)
    except BaseException as error:
        send(answers, {"failed": said(error)})
        return
    send(answers, {"ready": True})
    lines: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=listen, args=(requests, lines), daemon=True).start()
    while True:
        asked = json.loads(lines.get())
        send(answers, {**answer(function, asked, loop), "call": asked["call"]})


def listen(requests: Any, lines: queue.Queue[bytes]) -> None:
    """Queue the requests; end the process, whatever it is doing, when whoever started it is gone."""
    for line in requests:
        lines.put(line)
    os._exit(0)


def send(answers: Any, data: dict[str, Any]) -> None:
    """Write one line."""
    line = json.dumps(data).encode("ascii")
    if len(line) > MAX_BYTES:
        kept = {key: data[key] for key in ("ms", "call") if key in data}
        line = json.dumps({"unfit": f"an answer of {len(line):,} bytes", **kept}).encode("ascii")
    answers.write(line + b"\n")
    answers.flush()


def found(name: str) -> Any:
    """The function of `module:function`."""
    module, _, path = name.partition(":")
    value: Any = importlib.import_module(module)
    for part in path.split("."):
        value = getattr(value, part)
    if not callable(value):
        raise TypeError(f"{name} is a {type(value).__name__}, not a function")
    return value


def answer(function: Any, asked: dict[str, Any], loop: asyncio.AbstractEventLoop) -> dict[str, Any]:
    """What one call comes to."""
    began = time.perf_counter()
    try:
        args, named = arguments(function, asked)
        began = time.perf_counter()
        value = function(*args, **named)
        if inspect.isawaitable(value):
            value = loop.run_until_complete(waited(value))
        ms = (time.perf_counter() - began) * 1000
        return {"answer": plain(value), "ms": ms} if holds(value) else {"unfit": repr(value)[:60], "ms": ms}
    except UnfitError as error:
        return {"unfit": str(error), "ms": (time.perf_counter() - began) * 1000}
    except BaseException as error:
        return {"raised": said(error), "ms": (time.perf_counter() - began) * 1000}


async def waited(value: Any) -> Any:
    """An awaitable of any kind as a coroutine."""
    return await value


def arguments(function: Any, asked: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """How the function is called: the input first, then whatever else it takes by name. Raises TypeError."""
    given = asked["input"]
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return [given], {}
    extra = {**asked["facts"], **{key: asked[key] for key in ("model", "prompt_version", "history", "session")}}
    first = parameters[0] if parameters else None
    if (
        first is not None
        and isinstance(given, dict)
        and first.name in given
        and first.kind is not first.POSITIONAL_ONLY
    ):
        return [], by_name(parameters, extra | given)
    if first is not None and first.kind not in (first.KEYWORD_ONLY, first.VAR_KEYWORD):
        extra.pop(first.name, None)
        return [given], by_name(parameters[1:], extra)
    known = next((parameter.name for parameter in parameters if parameter.name in INPUT_NAMES), "input")
    return [], by_name(parameters, extra | {known: given})


def by_name(parameters: list[inspect.Parameter], extra: dict[str, Any]) -> dict[str, Any]:
    """What of `extra` the parameters take; where nothing is known, their own default.

    Raises TypeError where one is needed and not there.
    """
    named = {}
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            return extra
        if parameter.kind is parameter.VAR_POSITIONAL:
            continue
        given = parameter.name in extra and parameter.kind is not parameter.POSITIONAL_ONLY
        if given and (extra[parameter.name] is not None or parameter.default is parameter.empty):
            named[parameter.name] = extra[parameter.name]
        elif parameter.default is parameter.empty:
            raise TypeError(f"the function needs {parameter.name!r}, which the case does not give")
    return named


def holds(value: Any) -> bool:
    """Whether a value may be an answer, or hold one."""
    return not (value is None or isinstance(value, numbers.Number))


def plain(value: Any, depth: int = 0) -> Any:
    """A value as JSON has it. Raises UnfitError."""
    if depth > MAX_DEPTH:
        raise UnfitError("an answer that nests too deep")
    inner = opened(value)
    if isinstance(inner, dict):
        return {str(key): plain(item, depth + 1) for key, item in inner.items()}
    if isinstance(inner, list):
        return [plain(item, depth + 1) for item in inner]
    if isinstance(inner, float):
        return float(inner) if math.isfinite(inner) else None
    if isinstance(inner, int) and inner.bit_length() > MOST_BITS:
        return None
    if inner is None or isinstance(inner, (str, bool, int)):
        return inner
    raise UnfitError(f"a value of type {type(inner).__name__}")


def opened(value: Any) -> Any:
    """What a value of Python holds: dataclasses and the like as dicts, tuples and sets as lists, dates as texts."""
    if isinstance(value, enum.Enum):
        return opened(value.value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    for method in ("model_dump", "_asdict"):
        if callable(getattr(value, method, None)) and not isinstance(value, type):
            return dict(getattr(value, method)())
    if isinstance(value, (Mapping, types.SimpleNamespace)):
        return dict(value) if isinstance(value, Mapping) else vars(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return sorted(value, key=repr) if isinstance(value, (set, frozenset)) else list(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    return str(value) if type(value).__module__ in SPELLED else value


def said(error: BaseException) -> str:
    """An exception in a line: its type, what it says, and the line of code it came from."""
    try:
        text = " ".join(f"{type(error).__name__}: {error}".split())[:MAX_SAID]
    except BaseException:
        text = type(error).__name__
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    frames = [frame for frame in frames if not frame.filename.startswith("<frozen")]
    if not frames:
        return text
    last = frames[-1]
    return f"{text} ({Path(last.filename).name}:{last.lineno}, in {last.name}: {(last.line or '')[:120]})"


if __name__ == "__main__":
    main()
