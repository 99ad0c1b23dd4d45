"""Any endpoint that speaks the OpenAI chat protocol, and OpenAI's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from evalspec.runtime.providers import BusyError, Finish, GroupRequest, RefusedError, Reply
from evalspec.runtime.providers.dialects import Lowering
from evalspec.runtime.providers.endpoint import Endpoint, Heard, endpoint_of
from evalspec.runtime.providers.ladder import Ladder
from evalspec.runtime.providers.wire import DirectWire, SdkWire, Wire
from evalspec.spec.journal import Usage
from evalspec.spec.plan import Plan

FORMS = ("schema", "lowered", "object", "plain")
"""The whole schema, OpenAI's subset of it, any JSON object, nothing; OpenAI itself is asked from the second on."""


def make_custom(
    name: Literal["custom", "openai"], plan: Plan, env: Mapping[str, str], heard: Heard | None = None
) -> "CustomProvider":
    """The provider for the plan's base_url, or OpenAI's. Raises SetupError with ES406 or ES505."""
    return CustomProvider(name, plan.generation_model.model_name, endpoint_of(name, plan, env, heard))


class CustomProvider:
    """One wire for all requests; what the endpoint refuses of the protocol is found out once."""

    def __init__(self, name: Literal["custom", "openai"], model: str, endpoint: Endpoint) -> None:
        self.name = name
        self.model = model
        self._endpoint = endpoint
        self._wire: Wire = DirectWire(endpoint) if name == "custom" else SdkWire(endpoint)
        self._ladder = Ladder(FORMS if name == "custom" else FORMS[1:])
        self._lowering = Lowering("openai")
        self._token_name = "max_completion_tokens" if name == "openai" else "max_tokens"
        self._with_temperature = True

    @property
    def form(self) -> str | None:
        """How the shape of replies is asked for; None before a first reply."""
        return self._ladder.form

    def client(self, request: GroupRequest) -> "CustomClient":
        """A client whose replies are bound to the request's schema."""
        return CustomClient(self, request.schema, request.max_tokens)

    async def close(self) -> None:
        """Close connections."""
        await self._wire.close()

    async def ask(self, messages: list[dict[str, str]], schema: dict[str, Any], max_tokens: int) -> Reply:
        """One reply, by the strictest form that the endpoint takes.

        Raises RefusedError, BusyError, ReplyError; no message of theirs holds the key.
        """

        async def send(form: str) -> Reply:
            return await self._send(messages, form, schema, max_tokens)

        return await self._ladder.descend(schema, send, self._adapt)

    def _adapt(self, text: str) -> bool:
        """Change what some models want named or left out; whether anything was changed."""
        if "max_completion_tokens" in text and self._token_name == "max_tokens":
            self._token_name = "max_completion_tokens"
            return True
        if "max_completion_tokens" in text and "max_tokens" not in text.replace("max_completion_tokens", ""):
            self._token_name, changed = "max_tokens", self._token_name != "max_tokens"
            return changed
        if "temperature" in text and self._with_temperature:
            self._with_temperature = False
            return True
        return False

    async def _send(self, messages: list[dict[str, str]], form: str, schema: dict[str, Any], max_tokens: int) -> Reply:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            self._token_name: self._ladder.fits(max_tokens),
        }
        if self._with_temperature:
            body["temperature"] = self._endpoint.temperature
        if form != "plain":
            body["response_format"] = self._response_format(form, schema)
        return self._reply(await self._wire.post(body))

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
            model = str(data.get("model") or self.model)
            finish = _finish(choice.get("finish_reason"), refusal)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            shown = self._endpoint.clean(str(data)[:120])
            message = f"{self._endpoint.shown} does not answer in the chat protocol: {shown!r}"
            raise (BusyError(message) if self._ladder.known else RefusedError(message)) from None
        return Reply(self._endpoint.clean(text if isinstance(text, str) else refusal or ""), tokens, finish, model)


@dataclass(frozen=True, slots=True)
class CustomClient:
    """A client bound to one schema."""

    provider: CustomProvider
    schema: dict[str, Any]
    max_tokens: int

    async def generate(self, prompt: str, system_prompt: str) -> Reply:
        """One reply to `prompt`. Raises RefusedError, BusyError, ReplyError."""
        messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": prompt}]
        return await self.provider.ask(messages, self.schema, self.max_tokens)


def _finish(reason: Any, refusal: Any) -> Finish:
    if refusal or reason == "content_filter":
        return "refusal"
    return "length" if reason in ("length", "max_tokens") else "stop"
