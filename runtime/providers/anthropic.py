"""Anthropic's Messages API through its SDK: an output schema, or a tool that must be called, or neither."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evalspec.runtime.providers import (
    BusyError,
    ChatRequest,
    Finish,
    GroupRequest,
    RefusedError,
    Reply,
    Setting,
    ToolUse,
)
from evalspec.runtime.providers.answers import hooks, in_time, undecoded, unsent
from evalspec.runtime.providers.bound import BoundClient
from evalspec.runtime.providers.dialects import Lowering, raised_text
from evalspec.runtime.providers.endpoint import Endpoint, Heard, endpoint_of
from evalspec.runtime.providers.faults import fault, one_line, silence
from evalspec.runtime.providers.ladder import Ladder
from evalspec.runtime.providers.sampling import Sampling
from evalspec.runtime.providers.tools import tool_use
from evalspec.runtime.providers.wire import broken
from evalspec.spec.journal import Usage

FORMS = ("output", "tool", "plain")
"""`output_config.format` with the lowered schema; a tool of the whole schema that must be called; the prompt alone."""
TOOL = "reply"
MAX_TOKENS = 4096
"""Asked for where a request names no number: the service demands one."""


def make_anthropic(setting: Setting, env: Mapping[str, str], heard: Heard | None = None) -> "AnthropicProvider":
    """The provider for Anthropic, or for the settings' base_url. Raises SetupError with ES406 or ES505."""
    endpoint = endpoint_of("anthropic", setting, env, heard, rooted=True)
    return AnthropicProvider(setting.model.model_name, endpoint)


class AnthropicProvider:
    """One client of the SDK for all requests; what the model refuses of the protocol is found out once."""

    name = "anthropic"

    def __init__(self, model: str, endpoint: Endpoint) -> None:
        self.model = model
        self._endpoint = endpoint
        self.grace = endpoint.grace
        self._client: Any = None
        self._ladder = Ladder(FORMS, endpoint.grace)
        self._lowering = Lowering("anthropic")
        self._sampling = Sampling({"temperature": "temperature", "top_p": "top_p"})

    @property
    def unsupported(self) -> tuple[str, ...]:
        """Settings that the service or the model does not take; the protocol has no seed."""
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
        if self._client is not None:
            await self._client.close()

    async def ask(self, request: ChatRequest) -> Reply:
        """One reply, by the strictest form that the model takes where a schema is asked for.

        Raises RefusedError, BusyError, ReplyError; no message of theirs holds the key.
        """

        async def send(form: str) -> Reply:
            reply = await self._send(self._body(request, form))
            if form != "output" or request.schema is None:
                return reply
            return replace(reply, text=raised_text(reply.text, request.schema))

        return await self._ladder.descend(request.schema, send, self._sampling.adapt)

    def _body(self, request: ChatRequest, form: str) -> dict[str, Any]:
        system = "\n\n".join(message.content for message in request.messages if message.role == "system")
        said = [message for message in request.messages if message.role != "system"]
        body = {
            "model": self.model,
            "messages": [{"role": message.role, "content": message.content} for message in said],
            "max_tokens": self._ladder.fits(request.max_tokens or MAX_TOKENS),
            **self._sampling.of(request),
        }
        return body | ({"system": system} if system else {}) | self._form(form, request)

    def _form(self, form: str, request: ChatRequest) -> dict[str, Any]:
        tools = [_tool(tool) for tool in request.tools]
        given: dict[str, Any] = {"tools": tools} if tools else {}
        if request.schema is None:
            return given
        match form:
            case "output":
                schema = self._lowering.of(request.schema)
                return given | {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
            case "tool":
                description = "Gives the reply that was asked for."
                tool = {"name": TOOL, "description": description, "input_schema": request.schema}
                choice: dict[str, Any] = {"type": "any"} if tools else {"type": "tool", "name": TOOL}
                return {"tools": [tool, *tools], "tool_choice": choice | {"disable_parallel_tool_use": True}}
            case _:
                return given

    async def _send(self, body: dict[str, Any]) -> Reply:
        import anthropic

        data: Any = None
        failed: Exception | None = None  # raised outside: within, what the SDK raised would hang on to it
        try:
            # not messages.create: it walks the whole schema against its types, and refuses long replies unstreamed
            data = await in_time(self._endpoint, lambda: self._sdk().post("/v1/messages", cast_to=object, body=body))
        except anthropic.APIStatusError as error:
            failed = self._fault(error)
        except anthropic.APITimeoutError as error:
            failed = silence(error.__cause__, self._endpoint.timeout)
        except anthropic.APIError as error:
            failed = broken(self._endpoint, error)
        except UnicodeEncodeError:
            failed = unsent()
        except (ValueError, RecursionError) as error:
            data = undecoded(error)
        if failed is not None:
            raise failed
        return self._reply(data)

    def _sdk(self) -> Any:
        if self._client is None:
            import anthropic

            endpoint = self._endpoint
            http = anthropic.DefaultAioHttpClient(
                timeout=endpoint.timeout, follow_redirects=False, event_hooks=hooks(endpoint)
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
            text, calls = self._said(data["content"])
            tokens = _usage(data.get("usage") or {})
            model = self._endpoint.clean(str(data.get("model") or self.model))
            finish = _finish(data.get("stop_reason"))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            shown = self._endpoint.clean(str(data))[:120]
            message = f"{self._endpoint.shown} does not answer in the messages protocol: {shown!r}"
            raise (BusyError(message) if self._ladder.answered else RefusedError(message)) from None
        return Reply(self._endpoint.clean(text), tokens, finish, model, calls)

    def _said(self, content: list[dict[str, Any]]) -> tuple[str, tuple[ToolUse, ...]]:
        """What the blocks of a message say: the input of the tool that stands for the reply, or else the text; and
        the calls of other tools.
        """
        used = [block for block in content if block["type"] == "tool_use"]
        text = "".join(block["text"] for block in content if block["type"] == "text")
        for block in used:
            if block["name"] == TOOL:
                text = json.dumps(block["input"], ensure_ascii=False)
        calls = (tool_use(self._endpoint, block["name"], block["input"]) for block in used if block["name"] != TOOL)
        return text, tuple(calls)

    def _fault(self, error: Any) -> Exception:
        body = error.body
        inner = body.get("error") if isinstance(body, dict) else None
        inner = inner if isinstance(inner, dict) else {}
        said = inner.get("message")
        text = one_line(self._endpoint.clean(said if isinstance(said, str) else error.response.text))
        code = f"{inner.get('type', '')}"
        status = int(error.status_code)
        if status == 404 and code == "not_found_error":
            return RefusedError(f"HTTP 404: {text}")  # the model's name, which no plainer request mends
        return fault(status, text, code, error.response.headers.get("retry-after"))


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    """A function as the Messages API takes it."""
    given = {key: value for key, value in tool.items() if key in ("name", "description")}
    return given | {"input_schema": tool.get("parameters") or {"type": "object", "properties": {}}}


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
