"""A model by provider under a system prompt: earlier turns go as turns of its chat."""

import math
import re
import time
from collections.abc import Mapping
from typing import Any

from evalspec.bench.report import Settings
from evalspec.bench.results import TargetResult, ToolCall
from evalspec.bench.suite import Case
from evalspec.bench.targets.config import ProviderSettings, TargetConfig
from evalspec.bench.targets.failing import FailingError, Faults, as_failing
from evalspec.bench.targets.mapping import failed, fields_of
from evalspec.bench.targets.prompts import prompt_of
from evalspec.bench.targets.told import Told
from evalspec.bench.targets.turns import as_text
from evalspec.bench.targets.values import UnfitError, sound
from evalspec.runtime.providers import (
    BusyError,
    Chat,
    ChatRequest,
    Message,
    RefusedError,
    Reply,
    ReplyError,
    SetupError,
    make_chat,
)
from evalspec.runtime.providers.endpoint import address_of, bare
from evalspec.runtime.providers.faults import too_long
from evalspec.runtime.reading import ReadError, read_reply
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import found
from evalspec.spec.fingerprint import digest_of
from evalspec.spec.generation import GenerationModel
from evalspec.spec.language import RenderError, render

_NOT_TAKEN = re.compile(r"HTTP (?:400|413|415|422):")
"""Refusals that may be of one request alone, where others were taken."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked, settled before the first question."""

    system: str | None
    """The system prompt of the version, with placeholders."""
    version: str | None
    message: str | None
    sampling: Settings
    max_tokens: int | None
    json: bool
    settings: ProviderSettings


def make_model(config: TargetConfig, told: Told, sampling: Settings, env: Mapping[str, str]) -> "ProviderTarget":
    """The model of the settings. Raises SetupError with ES406, ES505, ES731 or ES733."""
    settings = config.settings
    assert isinstance(settings, ProviderSettings)
    version, system = prompt_of(config, settings, told.prompt_version)
    model, sampling = _settled(settings, told, sampling)
    _check_schema(config, settings)
    asking = Asking(
        system,
        version,
        settings.message,
        sampling,
        sampling.max_tokens,
        settings.reply == "json" or settings.output_schema is not None,
        settings,
    )
    chat = make_chat(
        model,
        config.folder,
        env,
        place=lambda key: config.place_of("model", key),
        longest=model.limits.timeout_seconds,
    )
    most = settings.concurrency or (model.limits.max_concurrency if "limits" in model.model_fields_set else 1024)
    return ProviderTarget(model, chat, asking, 1 if model.provider == "local" else most)


def _settled(settings: ProviderSettings, told: Told, sampling: Settings) -> tuple[GenerationModel, Settings]:
    """The model with what the run says over it, and the sampling: the run's, else the file's, else the service's."""
    given = settings.model
    own = given.model_fields_set
    settled: dict[str, Any] = {
        "temperature": given.temperature if "temperature" in own else None,
        "max_tokens": given.max_tokens if "max_tokens" in own else None,
        "top_p": settings.top_p,
        "seed": settings.seed,
    }
    settled |= {name: value for name in settled if (value := getattr(sampling, name)) is not None}
    update: dict[str, Any] = {}
    if told.model is not None:
        update["model_name"] = told.model
    if settled["temperature"] is not None:
        update["temperature"] = settled["temperature"]
    timeout = told.timeout or settings.timeout_seconds
    if timeout is not None:
        update["limits"] = given.limits.model_copy(update={"timeout_seconds": timeout})
    return given.model_copy(update=update), Settings(**settled)


def _check_schema(config: TargetConfig, settings: ProviderSettings) -> None:
    if settings.output_schema is None:
        return
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(settings.output_schema)
    except SchemaError as error:
        message = f"output_schema is no JSON Schema: {error.message[:200]}"
        raise SetupError(found("ES731", message, config.place_of("output_schema"))) from None


class ProviderTarget:
    """A model under a prompt."""

    kind = "provider"

    def __init__(self, model: GenerationModel, chat: Chat, asking: Asking, most_at_once: int) -> None:
        self.model = model.model_name
        self.name = asking.settings.name or f"{model.provider}:{model.model_name}"
        self.most_at_once = most_at_once
        self.chat, self.asking = chat, asking
        self.probes = asking.settings.output_schema is not None
        """Whether the first request finds out how the shape of a reply is asked for, and goes alone."""
        self.grace = getattr(chat, "grace", math.inf)
        """Seconds after which it does no longer."""
        self._model = model
        self.has_answered = False
        """Whether a reply has come in any session, or in an earlier run."""
        self.answers = False
        """Whether one has come in this run."""
        self.digest = _digest(model, asking)

    def shown(self) -> dict[str, Any]:
        """What a report shows of it; `unsupported` are settings that were asked for and are not taken."""
        url = address_of(self._model.provider, self._model)
        sampling = self.asking.sampling.model_dump(include={"temperature", "top_p", "seed", "max_tokens"})
        unsupported = [name for name in self.chat.unsupported if sampling.get(name) is not None]
        return {
            "kind": self.kind,
            "name": self.name,
            "provider": self._model.provider,
            "model": self.model,
            "url": bare(url) if url else None,
            "prompt_version": self.asking.version,
            "settings": sampling,
            "unsupported": unsupported,
            "digest": self.digest,
        }

    def session(self, case: Case, epoch: int) -> "ProviderSession":
        """A conversation for one trial."""
        del epoch
        return ProviderSession(self, case)

    async def close(self) -> None:
        """Close connections."""
        await self.chat.close()


def _digest(model: GenerationModel, asking: Asking) -> str:
    settings = asking.settings
    kept = {"message", "reply", "output_schema", "tools", "map"}
    url = address_of(model.provider, model)
    return digest_of(
        [
            ["provider", model.provider, model.model_name, bare(url) if url else None],
            asking.version,
            asking.system,
            asking.sampling.model_dump(include={"temperature", "top_p", "seed", "max_tokens"}),
            settings.model_dump(mode="json", include=kept),
        ]
    )


class ProviderSession:
    """One chat."""

    def __init__(self, target: ProviderTarget, case: Case) -> None:
        self._target, self._asking, self._case = target, target.asking, case
        self._history: tuple[Message, ...] = ()
        self._faults = Faults()

    async def ask(self, input: Any) -> TargetResult:
        """The answer to the next turn. Raises BusyError and RefusedError."""
        try:
            message = Message("user", self._message(input))
            messages = (*self._system(input), *self._history, message)
        except RenderError as error:
            return failed(f"the prompt cannot be made for this case: {error}")
        began = time.perf_counter()
        try:
            reply = await self._target.chat.ask(self._request(messages))
        except ReplyError as error:
            return failed(str(error))
        except RefusedError as error:
            if _NOT_TAKEN.match(str(error)) and (self._target.has_answered or too_long(str(error))):
                return failed(str(error))
            raise
        except BusyError as error:
            failing = as_failing(error)
            if isinstance(failing, FailingError) and self._faults.settled(self._target.answers):
                self._faults.clear()
                return failed(str(error))
            raise failing from None
        latency = (time.perf_counter() - began) * 1000
        self._target.has_answered = self._target.answers = True
        self._faults.clear()
        self._history = (*self._history, message, Message("assistant", _turn(reply)))
        return _result(reply, self._asking, latency)

    async def close(self) -> None:
        """Nothing is held open."""

    def _message(self, given: Any) -> str:
        template = self._asking.message
        return as_text(given) if template is None else render(template, _values(self._case, given))

    def _system(self, given: Any) -> tuple[Message, ...]:
        text = self._asking.system
        return () if text is None else (Message("system", render(text, _values(self._case, given))),)

    def _request(self, messages: tuple[Message, ...]) -> ChatRequest:
        sampling, settings = self._asking.sampling, self._asking.settings
        return ChatRequest(
            messages,
            settings.output_schema,
            self._asking.max_tokens,
            sampling.temperature,
            sampling.top_p,
            sampling.seed,
            settings.tools,
        )


def _values(case: Case, given: Any) -> dict[str, str]:
    """What placeholders stand for: the input and its keys, over the case's facts."""
    values = {key: as_text(value) for key, value in case.facts.items()}
    if isinstance(given, dict):
        values |= {str(key): as_text(value) for key, value in given.items()}
    return values | {"input": as_text(given), "case_id": case.case_id}


def _turn(reply: Reply) -> str:
    """A reply as a turn of the chat, which must not be empty."""
    called = ", ".join(call.name for call in reply.tool_calls)
    return reply.text or (f"[called {called}]" if called else "[no answer]")


def _result(reply: Reply, asking: Asking, latency: float) -> TargetResult:
    given: dict[str, Any] = {
        "tool_calls": tuple(ToolCall(name=call.name, args=call.arguments) for call in reply.tool_calls),
        "latency_ms": latency,
    }
    if reply.usage.input_tokens or reply.usage.output_tokens:
        given |= {"input_tokens": reply.usage.input_tokens, "output_tokens": reply.usage.output_tokens}
    try:
        text = sound(reply.text)
    except UnfitError as error:
        return failed(str(error), latency)
    return _structured(text, asking, given) if asking.json else TargetResult(text=text, **given)


def _structured(text: str, asking: Asking, given: dict[str, Any]) -> TargetResult:
    """The result in a reply of JSON; one that is none, or does not fit, is the model's answer, rejected."""
    from evalspec.bench.graders.structure import schema_fault

    schema = asking.settings.output_schema
    try:
        data = sound(read_reply(text, lambda value: schema is None or not schema_fault(schema, value)))
    except ReadError:
        return TargetResult(text=text, validator_rejected=True, **given)
    rejected = None if schema is None else bool(schema_fault(schema, data))
    try:
        fields = fields_of(data, asking.settings.map)
    except UnfitError:
        return TargetResult(text=text, output=data, validator_rejected=True, **given)
    if fields.get("tool_calls") is not None and not given["tool_calls"]:
        del given["tool_calls"]
    if rejected is not None:
        given["validator_rejected"] = rejected
    return TargetResult(**fields | given)
