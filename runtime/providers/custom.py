"""Any endpoint that speaks the OpenAI chat protocol, and OpenAI's own."""

from collections.abc import Mapping
from typing import Any, Literal

from evalspec.runtime.providers import (
    BusyError,
    ChatRequest,
    Finish,
    GroupRequest,
    RefusedError,
    Reply,
    Setting,
)
from evalspec.runtime.providers.bound import BoundClient
from evalspec.runtime.providers.dialects import Lowering
from evalspec.runtime.providers.endpoint import Endpoint, Heard, endpoint_of
from evalspec.runtime.providers.ladder import Ladder
from evalspec.runtime.providers.sampling import Sampling
from evalspec.runtime.providers.tools import functions, tool_use
from evalspec.runtime.providers.wire import DirectWire, SdkWire, Wire
from evalspec.spec.journal import Usage

FORMS = ("schema", "lowered", "object", "plain")
"""The whole schema, OpenAI's subset of it, any JSON object, nothing; OpenAI itself is asked from the second on."""


def make_custom(
    name: Literal["custom", "openai"], setting: Setting, env: Mapping[str, str], heard: Heard | None = None
) -> "CustomProvider":
    """The provider for the settings' base_url, or OpenAI's. Raises SetupError with ES406 or ES505."""
    return CustomProvider(name, setting.model.model_name, endpoint_of(name, setting, env, heard))


class CustomProvider:
    """One wire for all requests; what the endpoint refuses of the protocol is found out once."""

    def __init__(self, name: Literal["custom", "openai"], model: str, endpoint: Endpoint) -> None:
        self.name = name
        self.model = model
        self._endpoint = endpoint
        self.grace = endpoint.grace
        self._wire: Wire = DirectWire(endpoint) if name == "custom" else SdkWire(endpoint)
        self._ladder = Ladder(FORMS if name == "custom" else FORMS[1:], endpoint.grace)
        self._lowering = Lowering("openai")
        self._token_name = "max_completion_tokens" if name == "openai" else "max_tokens"
        self._sampling = Sampling({"temperature": "temperature", "top_p": "top_p", "seed": "seed"})

    @property
    def unsupported(self) -> tuple[str, ...]:
        """Settings that the model was found not to take."""
        return self._sampling.unsupported

    @property
    def form(self) -> str | None:
        """How the shape of replies is asked for; None before a first reply."""
        return self._ladder.form

    def client(self, request: GroupRequest) -> BoundClient:
        """A client whose replies are bound to the request's schema."""
        return BoundClient(self, request.schema, request.max_tokens, self._endpoint.temperature)

    async def close(self) -> None:
        """Close connections."""
        await self._wire.close()

    async def ask(self, request: ChatRequest) -> Reply:
        """One reply, by the strictest form that the endpoint takes where a schema is asked for.

        Raises RefusedError, BusyError, ReplyError; no message of theirs holds the key.
        """

        async def send(form: str) -> Reply:
            return self._reply(await self._wire.post(self._body(request, form)))

        return await self._ladder.descend(request.schema, send, self._adapt)

    def _adapt(self, text: str) -> bool:
        """Change what some models want named or left out; whether anything was changed."""
        if "max_completion_tokens" in text and self._token_name == "max_tokens":
            self._token_name = "max_completion_tokens"
            return True
        if "max_completion_tokens" in text and "max_tokens" not in text.replace("max_completion_tokens", ""):
            self._token_name, changed = "max_tokens", self._token_name != "max_tokens"
            return changed
        return self._sampling.adapt(text)

    def _body(self, request: ChatRequest, form: str) -> dict[str, Any]:
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        body: dict[str, Any] = {"model": self.model, "messages": messages, **self._sampling.of(request)}
        if request.max_tokens is not None:
            body[self._token_name] = self._ladder.fits(request.max_tokens)
        if request.tools:
            body["tools"] = functions(request.tools)
        if form != "plain" and request.schema is not None:
            body["response_format"] = self._response_format(form, request.schema)
        return body

    def _response_format(self, form: str, schema: dict[str, Any]) -> dict[str, Any]:
        if form == "object":
            return {"type": "json_object"}
        body = schema if form == "schema" else self._lowering.of(schema)
        return {"type": "json_schema", "json_schema": {"name": "group", "strict": True, "schema": body}}

    def _reply(self, data: Any) -> Reply:
        """The reply in a decoded response. Raises BusyError, or RefusedError where no reply was ever read."""
        try:
            choice = data["choices"][0]
            message = choice["message"]
            text = message.get("content")
            refusal = message.get("refusal")
            usage = data.get("usage") or {}
            tokens = Usage(
                input_tokens=int(usage.get("prompt_tokens") or 0),
                output_tokens=int(usage.get("completion_tokens") or 0),
            )
            model = self._endpoint.clean(str(data.get("model") or self.model))
            finish = _finish(choice.get("finish_reason"), refusal)
            calls = tuple(
                tool_use(self._endpoint, call["function"]["name"], call["function"].get("arguments"))
                for call in message.get("tool_calls") or ()
            )
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            shown = self._endpoint.clean(str(data))[:120]
            message = f"{self._endpoint.shown} does not answer in the chat protocol: {shown!r}"
            raise (BusyError(message) if self._ladder.answered else RefusedError(message)) from None
        said = self._endpoint.clean(text if isinstance(text, str) else refusal or "")
        return Reply(said, tokens, finish, model, calls)


def _finish(reason: Any, refusal: Any) -> Finish:
    if refusal or reason == "content_filter":
        return "refusal"
    return "length" if reason in ("length", "max_tokens") else "stop"
