"""Anthropic's Messages API through its SDK: an output schema, or a tool that must be called, or neither."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalspec.runtime.providers import BusyError, Finish, GroupRequest, RefusedError, Reply
from evalspec.runtime.providers.dialects import Lowering
from evalspec.runtime.providers.endpoint import Endpoint, Heard, endpoint_of
from evalspec.runtime.providers.faults import fault, one_line, silence
from evalspec.runtime.providers.ladder import Ladder
from evalspec.spec.journal import Usage
from evalspec.spec.plan import Plan

FORMS = ("output", "tool", "plain")
"""`output_config.format` with the lowered schema; a tool of the whole schema that must be called; the prompt alone."""
TOOL = "reply"


def make_anthropic(plan: Plan, env: Mapping[str, str], heard: Heard | None = None) -> "AnthropicProvider":
    """The provider for Anthropic, or for the plan's base_url. Raises SetupError with ES406 or ES505."""
    endpoint = endpoint_of("anthropic", plan, env, heard, rooted=True)
    return AnthropicProvider(plan.generation_model.model_name, endpoint)


class AnthropicProvider:
    """One client of the SDK for all requests; what the model refuses of the protocol is found out once."""

    name = "anthropic"

    def __init__(self, model: str, endpoint: Endpoint) -> None:
        self.model = model
        self._endpoint = endpoint
        self._client: Any = None
        self._ladder = Ladder(FORMS)
        self._lowering = Lowering("anthropic")
        self._with_temperature = True

    @property
    def form(self) -> str | None:
        """How the shape of replies is asked for; None before a first reply."""
        return self._ladder.form

    def client(self, request: GroupRequest) -> "AnthropicClient":
        """A client whose replies are bound to the request's schema."""
        return AnthropicClient(self, request.schema, request.max_tokens)

    async def close(self) -> None:
        """Close connections."""
        if self._client is not None:
            await self._client.close()

    async def ask(self, prompt: str, system_prompt: str, schema: dict[str, Any], max_tokens: int) -> Reply:
        """One reply, by the strictest form that the model takes.

        Raises RefusedError, BusyError, ReplyError; no message of theirs holds the key.
        """
        common = {
            "model": self.model,
            "system": system_prompt,
            "messages": [{"role": "user", "content": prompt}],
        }

        async def send(form: str) -> Reply:
            return await self._send(common | self._form(form, schema) | {"max_tokens": self._ladder.fits(max_tokens)})

        return await self._ladder.descend(schema, send, self._adapt)

    def _form(self, form: str, schema: dict[str, Any]) -> dict[str, Any]:
        match form:
            case "output":
                return {"output_config": {"format": {"type": "json_schema", "schema": self._lowering.of(schema)}}}
            case "tool":
                tool = {"name": TOOL, "description": "Gives the reply that was asked for.", "input_schema": schema}
                choice = {"type": "tool", "name": TOOL, "disable_parallel_tool_use": True}
                return {"tools": [tool], "tool_choice": choice}
            case _:
                return {}

    def _adapt(self, text: str) -> bool:
        """Leave out the temperature where the model takes none; whether that changed anything."""
        if "temperature" in text and self._with_temperature:
            self._with_temperature = False
            return True
        return False

    async def _send(self, body: dict[str, Any]) -> Reply:
        import anthropic

        if self._with_temperature:
            body["temperature"] = self._endpoint.temperature
        data: Any = None
        failed: Exception | None = None  # raised outside: within, what the SDK raised would hang on to it
        try:
            # not messages.create: it walks the whole schema against its types, and refuses long replies unstreamed
            data = await self._sdk().post("/v1/messages", cast_to=object, body=body)
        except anthropic.APIStatusError as error:
            failed = self._fault(error)
        except anthropic.APITimeoutError as error:
            failed = silence(error.__cause__, self._endpoint.timeout)
        except anthropic.APIError as error:
            cause = error.__cause__
            failed = BusyError(self._endpoint.clean(f"{error} ({cause})" if cause else str(error)))
        except ValueError:
            pass
        if failed is not None:
            raise failed
        return self._reply(data)

    def _sdk(self) -> Any:
        if self._client is None:
            import anthropic

            endpoint = self._endpoint
            http = anthropic.DefaultAioHttpClient(
                timeout=endpoint.timeout, follow_redirects=False, event_hooks=endpoint.hooks()
            )
            self._client = anthropic.AsyncAnthropic(
                api_key=endpoint.key,
                base_url=endpoint.url,
                max_retries=0,
                timeout=endpoint.timeout,
                http_client=http,
            )
        return self._client

    def _reply(self, data: Any) -> Reply:
        """The reply in a decoded response. Raises BusyError, or RefusedError where no reply was ever read."""
        try:
            text = _text(data["content"])
            tokens = _usage(data.get("usage") or {})
            model = str(data.get("model") or self.model)
            finish = _finish(data.get("stop_reason"))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            shown = self._endpoint.clean(str(data)[:120])
            message = f"{self._endpoint.shown} does not answer in the messages protocol: {shown!r}"
            raise (BusyError(message) if self._ladder.known else RefusedError(message)) from None
        return Reply(self._endpoint.clean(text), tokens, finish, model)

    def _fault(self, error: Any) -> Exception:
        body = error.body
        inner = body.get("error") if isinstance(body, dict) else None
        inner = inner if isinstance(inner, dict) else {}
        said = inner.get("message")
        text = self._endpoint.clean(one_line(said if isinstance(said, str) else error.response.text))
        code = f"{inner.get('type', '')}"
        status = int(error.status_code)
        if status == 404 and code == "not_found_error":
            return RefusedError(f"HTTP 404: {text}")  # the model's name, which no plainer request mends
        return fault(status, text, code, error.response.headers.get("retry-after"))


@dataclass(frozen=True, slots=True)
class AnthropicClient:
    """A client bound to one schema."""

    provider: AnthropicProvider
    schema: dict[str, Any]
    max_tokens: int

    async def generate(self, prompt: str, system_prompt: str) -> Reply:
        """One reply to `prompt`. Raises RefusedError, BusyError, ReplyError."""
        return await self.provider.ask(prompt, system_prompt, self.schema, self.max_tokens)


def _text(content: list[dict[str, Any]]) -> str:
    """What the blocks of a message say: the input of the tool that was called, or else the text."""
    for block in content:
        if block["type"] == "tool_use":
            return json.dumps(block["input"], ensure_ascii=False)
    return "".join(block["text"] for block in content if block["type"] == "text")


def _usage(usage: dict[str, Any]) -> Usage:
    """Tokens as reported; those read from and written to the cache are input too."""
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Usage(
        input_tokens=sum(int(usage.get(name) or 0) for name in names),
        output_tokens=int(usage.get("output_tokens") or 0),
    )


def _finish(reason: Any) -> Finish:
    match reason:
        case "refusal":
            return "refusal"
        case "max_tokens" | "model_context_window_exceeded":
            return "length"
        case _:
            return "stop"
