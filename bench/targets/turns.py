"""One turn as a target is told of it, the history before it, and templates of requests filled from it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from evalspec.bench.results import TargetResult
from evalspec.bench.suite import Case
from evalspec.bench.targets.looking import MISSING, is_path, look
from evalspec.spec.dataclass import dataclass
from evalspec.spec.source import YamlPath

ROOTS = ("input", "facts", "history", "session", "case_id", "epoch", "turn", "model", "prompt_version")
"""What a template may name after `$`; `input` and `facts` go on with a path."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One turn: all that a target may be told."""

    input: Any
    facts: Mapping[str, Any]
    history: tuple[dict[str, Any], ...]
    """Earlier turns that were answered, as {role, content} of user and assistant."""
    session: str
    """Of this trial alone, and of this run: a target that remembers sessions meets each for the first time."""
    case_id: str
    epoch: int
    turn: int
    """From 0."""
    model: str | None
    prompt_version: str | None

    def value(self, name: str) -> Any:
        """The value that `$name` stands for, or MISSING."""
        root, _, rest = name.partition(".")
        if root not in ROOTS:
            return MISSING
        value = getattr(self, root)
        value = list(value) if root == "history" else MISSING if value is None and root != "input" else value
        return look(value, rest) if rest else value


class Conversation:
    """The turns of one trial: what was answered becomes history, what failed does not."""

    def __init__(self, case: Case, epoch: int, model: str | None, prompt_version: str | None) -> None:
        self._case, self._epoch, self._model, self._version = case, epoch, model, prompt_version
        self._history: tuple[dict[str, Any], ...] = ()
        self._turn = 0
        self._session = uuid4().hex

    def next(self, given: Any) -> Asked:
        """The next turn; the same again for another try."""
        return Asked(
            given,
            self._case.facts,
            self._history,
            self._session,
            self._case.case_id,
            self._epoch,
            self._turn,
            self._model,
            self._version,
        )

    def took(self, given: Any, result: TargetResult) -> TargetResult:
        """Note how the turn came out, and give the result back."""
        self._turn += 1
        if result.error is None:
            said = {"role": "user", "content": given}, {"role": "assistant", "content": spoken(result)}
            self._history = (*self._history, *said)
        return result


def spoken(result: TargetResult) -> str:
    """An answer as a turn of a conversation, which must not be empty."""
    if result.text or not result.tool_calls:
        return result.text
    return f"[called {', '.join(call.name for call in result.tool_calls)}]"


written = json.JSONEncoder(ensure_ascii=False).encode
"""A JSON value as text; `json.dumps` would make such an encoder each time."""


def as_text(value: Any) -> str:
    """A value of a case within a text."""
    match value:
        case str():
            return value
        case None:
            return ""
        case _:
            return written(value)


def filled(template: Any, asked: Asked) -> Any:
    """A template with its `$names` replaced; a key or item whose value the case does not have is left out.

    `$$` at the start of a text is a dollar sign.
    """
    match template:
        case str() if template.startswith("$$"):
            return template[1:]
        case str() if template.startswith("$"):
            return asked.value(template[1:])
        case dict():
            pairs = ((key, filled(part, asked)) for key, part in template.items())
            return {key: value for key, value in pairs if value is not MISSING}
        case list() | tuple():
            return [value for part in template if (value := filled(part, asked)) is not MISSING]
        case _:
            return template


def names(template: Any, path: YamlPath = ()) -> Iterator[tuple[YamlPath, str]]:
    """Every `$name` of a template and where it stands, without the dollar sign."""
    match template:
        case str() if template.startswith("$") and not template.startswith("$$"):
            yield path, template[1:]
        case dict():
            for key, part in template.items():
                yield from names(part, (*path, key))
        case list() | tuple():
            for index, part in enumerate(template):
                yield from names(part, (*path, index))


def is_name(name: str) -> bool:
    """Whether a turn has a value of this name, or may have."""
    root, dot, rest = name.partition(".")
    return root in ROOTS and (not dot or (root in ("input", "facts", "history") and bool(rest) and is_path(rest)))


def plain_request(asked: Asked) -> dict[str, Any]:
    """What is sent where the settings have no template: the turn under common names, and the facts beside it."""
    known: dict[str, Any] = {"input": asked.input}
    if isinstance(asked.input, str):
        known["question"] = asked.input
    known |= {"session": asked.session, "history": list(asked.history)}
    given = {"model": asked.model, "prompt_version": asked.prompt_version}
    known |= {key: value for key, value in given.items() if value is not None}
    return {**asked.facts, **known}
