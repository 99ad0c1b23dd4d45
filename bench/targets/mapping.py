"""From what a target gave to a TargetResult: by the paths of its settings, or by the names that such answers use."""

import json
from typing import Any

from evalspec.bench.results import TargetResult, ToolCall
from evalspec.bench.targets.looking import MISSING, look
from evalspec.bench.targets.turns import written
from evalspec.bench.targets.values import UnfitError, described, parsed, short, sound
from evalspec.spec.dataclass import dataclass
from evalspec.spec.model import Model

NAMES: dict[str, tuple[str, ...]] = {
    "text": ("text", "answer", "response", "reply", "output", "message", "content"),
    "tool_calls": ("tool_calls", "tools_called", "tools"),
    "retrieved_ids": ("retrieved_ids", "retrieval_trace"),
    "confidence": ("confidence",),
    "abstained": ("abstained",),
    "validator_rejected": ("validator_rejected",),
    "input_tokens": ("input_tokens", "usage.input_tokens", "usage.prompt_tokens"),
    "output_tokens": ("output_tokens", "usage.output_tokens", "usage.completion_tokens"),
    "error": ("error",),
}
"""Where each field is looked for, in this order, in an answer that is an object."""
_USUAL = frozenset(path.partition(".")[0] for paths in NAMES.values() for path in paths)


class ResultMap(Model):
    """Where the fields of a result stand in an answer: dotted paths with [n] and [*].

    What is left out is looked for under its usual names.
    """

    text: str | None = None
    output: str | None = None
    tool_calls: str | None = None
    retrieved_ids: str | None = None
    confidence: str | None = None
    abstained: str | None = None
    validator_rejected: str | None = None
    input_tokens: str | None = None
    output_tokens: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """A value of an answer, where it stood, and whether the settings say that it stands there."""

    value: Any
    path: str
    named: bool


def failed(reason: str, latency_ms: float | None = None) -> TargetResult:
    """The result of a turn without an answer."""
    return TargetResult(error=short(reason) or "no reason given", latency_ms=latency_ms)


def result_of(answer: Any, mapping: ResultMap, latency_ms: float | None = None) -> TargetResult:
    """The result of a JSON value. Raises nothing: what is no answer is a result with an error.

    A text is an answer, be it empty; false, null, a number or a list is none, unless the mapping finds a text in it.
    """
    try:
        return TargetResult(**fields_of(sound(answer), mapping), latency_ms=latency_ms)
    except UnfitError as error:
        return failed(str(error), latency_ms)


def fields_of(answer: Any, mapping: ResultMap) -> dict[str, Any]:
    """The fields of the result of a value that `sound` gave, but for the latency. Raises UnfitError."""
    if isinstance(answer, str) and mapping == ResultMap():
        return {"text": answer}
    if not mapping.model_fields_set and isinstance(answer, dict) and _USUAL.isdisjoint(answer):
        return {"text": written(answer), "output": answer}  # an object of one's own schema
    if not isinstance(answer, dict | list) or (isinstance(answer, list) and mapping == ResultMap()):
        raise UnfitError(f"the target gave {described(answer)}, not an answer")
    calls = _calls(_find(answer, "tool_calls", mapping))
    text = _find(answer, "text", mapping)
    said = _find(answer, "error", mapping)
    if said and said.value not in (None, "", False) and (said.named or text is None or text.value is None):
        raise UnfitError(f"the target reports an error: {_spoken(said.value)}")
    rejected = _flag(_find(answer, "validator_rejected", mapping))
    words = _said(answer, text, calls, mapping)
    return {
        "text": _written(answer) if words is None else words,
        "output": _output(answer, mapping, words or ""),
        "tool_calls": calls,
        "retrieved_ids": _ids(_find(answer, "retrieved_ids", mapping)),
        "confidence": _confidence(_find(answer, "confidence", mapping)),
        "abstained": _flag(_find(answer, "abstained", mapping)),
        "validator_rejected": rejected,
        "input_tokens": _count(_find(answer, "input_tokens", mapping)),
        "output_tokens": _count(_find(answer, "output_tokens", mapping)),
    }


def _find(answer: Any, name: str, mapping: ResultMap) -> _Found | None:
    """A field's value; None where it is left out, or null in a place that the settings do not name."""
    path = getattr(mapping, name)
    if path is not None:
        value = look(answer, path)
        return None if value is MISSING else _Found(value, path, named=True)
    if not isinstance(answer, dict):
        return None
    for known in NAMES[name]:
        if known.partition(".")[0] not in answer:
            continue
        value = look(answer, known)
        if value is MISSING or (name == "text" and known == "output" and not isinstance(value, str)):
            continue
        return _Found(value, known, named=False)
    return None


def _output(answer: Any, mapping: ResultMap, text: str) -> Any:
    """What the paths of checks go into: the object under `output`, or that a text holds, or else the whole answer."""
    if mapping.output is not None:
        value = look(answer, mapping.output)
        if value is MISSING:
            raise UnfitError(f"the answer has no {mapping.output}{_has(answer)}")
        return value
    inner = answer.get("output") if isinstance(answer, dict) else None
    if isinstance(inner, dict | list):
        return inner
    held = _held(text)
    return answer if held is None else held


def _held(text: str) -> Any:
    """The object that a text is, where an envelope carries the JSON of a model; None where it is none."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        held = sound(parsed(text))
    except ValueError:
        return None
    return held if isinstance(held, dict) else None


def _said(answer: Any, text: _Found | None, calls: tuple[ToolCall, ...] | None, mapping: ResultMap) -> str | None:
    """The text of an answer; None where it is an object without one, which is written as JSON.

    A text that is null beside calls of tools is empty. One that the settings name and that is not there at all is so
    only where they name the calls, too: else its path is likely to be wrong.
    """
    if text is not None and isinstance(text.value, str):
        return text.value
    silent = text.value is None if text is not None else mapping.text is not None and mapping.tool_calls is not None
    if silent and calls:
        return ""
    if text is None and mapping.text is not None:
        raise UnfitError(f"the answer has no {mapping.text}{_has(answer)}")
    if text is not None and (text.named or text.path in NAMES["text"][:4]):
        raise UnfitError(f"the target gave {described(text.value)} at {text.path}, not a text")
    return None


def _written(answer: Any) -> str:
    """An answer without a text, or its output, as JSON."""
    inner = answer.get("output") if isinstance(answer, dict) else None
    return written(inner if isinstance(inner, dict | list) else answer)


def _calls(found: _Found | None) -> tuple[ToolCall, ...] | None:
    """Calls as names, or as objects with a name and arguments; an object of OpenAI's form too."""
    if found is None or (found.value is None and not found.named):
        return None
    if found.value is None:
        return ()
    items = found.value if isinstance(found.value, list) else [found.value]
    calls = [_call(item) for item in items]
    if any(call is None for call in calls):
        _refuse(found, "a list of tools' names, or of {name, args}")
        return None
    return tuple(call for call in calls if call is not None)


def _call(item: Any) -> ToolCall | None:
    if isinstance(item, str):
        return ToolCall(name=item)
    if not isinstance(item, dict):
        return None
    inner: dict[str, Any] = item["function"] if isinstance(item.get("function"), dict) else item
    name = next((inner[key] for key in ("name", "tool", "tool_name") if isinstance(inner.get(key), str)), None)
    if name is None:
        return None
    given = next((inner[key] for key in ("args", "arguments", "input", "parameters") if key in inner), None)
    return ToolCall(name=name, args=arguments(given))


def arguments(given: Any) -> dict[str, Any]:
    """The arguments of a call, from an object or its JSON; under `value` what is neither."""
    if isinstance(given, str):
        try:
            given = sound(json.loads(given))
        except (ValueError, RecursionError):
            return {"value": given}
    if given is None:
        return {}
    return given if isinstance(given, dict) else {"value": given}


def _ids(found: _Found | None) -> tuple[str, ...] | None:
    if found is None or (found.value is None and not found.named):
        return None
    items = found.value if isinstance(found.value, list) else [] if found.value is None else [found.value]
    ids = [_id(item) for item in items]
    if None in ids:
        _refuse(found, "a list of ids, or of {id}")
        return None
    return tuple(str(given) for given in ids)


def _id(item: Any) -> str | None:
    if isinstance(item, dict):
        item = next((item[key] for key in ("chunk_id", "id", "doc_id") if key in item), None)
    return str(item) if isinstance(item, str | int) and not isinstance(item, bool) else None


def _confidence(found: _Found | None) -> str | None:
    if found is None or found.value is None:
        return None
    if isinstance(found.value, str):
        return found.value
    if isinstance(found.value, int | float) and not isinstance(found.value, bool):
        return f"{found.value:g}"
    _refuse(found, "a text or a number")
    return None


def _flag(found: _Found | None) -> bool | None:
    if found is None or found.value is None or isinstance(found.value, bool):
        return found.value if found else None
    _refuse(found, "true or false")
    return None


def _count(found: _Found | None) -> int | None:
    if found is None or found.value is None:
        return None
    value = found.value
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and value == int(value):
        return int(value)
    _refuse(found, "a count")
    return None


def _refuse(found: _Found, wanted: str) -> None:
    """Raise UnfitError where the settings named the place; elsewhere a value of another type is not reported."""
    if found.named:
        raise UnfitError(f"the target gave {described(found.value)} at {found.path}, not {wanted}")


def _spoken(said: Any) -> str:
    if isinstance(said, dict) and isinstance(said.get("message"), str):
        said = said["message"]
    return short(said if isinstance(said, str) else written(said))


def _has(answer: Any) -> str:
    keys = list(answer) if isinstance(answer, dict) else []
    return f"; it has {', '.join(map(str, keys[:8]))}" if keys else ""
