"""Mistral's chat API through its SDK: a JSON Schema, or any JSON object, or neither."""

from collections.abc import Mapping
from typing import Any

from evalspec.runtime.providers import (
    BusyError,
    ChatRequest,
    Finish,
    GroupRequest,
    RefusedError,
    Reply,
    Setting,
)
from evalspec.runtime.providers.answers import hooks, in_time, unsent
from evalspec.runtime.providers.bound import BoundClient
from evalspec.runtime.providers.dialects import Lowering
from evalspec.runtime.providers.endpoint import Endpoint, Heard, endpoint_of
from evalspec.runtime.providers.faults import fault, one_line, silence
from evalspec.runtime.providers.ladder import Ladder
from evalspec.runtime.providers.sampling import Sampling
from evalspec.runtime.providers.tools import functions, tool_use
from evalspec.spec.journal import Usage

FORMS = ("schema", "object", "plain")
"""`response_format` with the lowered schema; any JSON object; the prompt alone."""


def make_mistral(setting: Setting, env: Mapping[str, str], heard: Heard | None = None) -> "MistralProvider":
    """The provider for Mistral, or for the settings' base_url. Raises SetupError with ES406 or ES505."""
    endpoint = endpoint_of("mistral", setting, env, heard, rooted=True)
    return MistralProvider(setting.model.model_name, endpoint)


class MistralProvider:
    """One client of the SDK for all requests; what the model refuses of the protocol is found out once.

    The SDK makes pydantic models anew for every argument that is none of its own models, and some more for every call:
    4 ms of CPU with its models, 7 without, where the others take 1 (mistralai 3.7).
    """

    name = "mistral"

    def __init__(self, model: str, endpoint: Endpoint) -> None:
        self.model = model
        self._endpoint = endpoint
        self.grace = endpoint.grace
        self._client: Any = None
        self._http: Any = None
        self._ladder = Ladder(FORMS, endpoint.grace)
        self._lowering = Lowering("mistral")
        self._formats: dict[int, Any] = {}
        self._sampling = Sampling({"temperature": "temperature", "top_p": "top_p", "seed": "random_seed"})

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
        if self._http is not None:
            await self._http.aclose()

    async def ask(self, request: ChatRequest) -> Reply:
        """One reply, by the strictest form that the model takes where a schema is asked for.

        Raises RefusedError, BusyError, ReplyError; no message of theirs holds the key.
        """

        try:
            "".join(message.content for message in request.messages).encode()
        except UnicodeEncodeError:  # the SDK sends it as an escape, which the service refuses
            raise unsent() from None

        async def send(form: str) -> Reply:
            return await self._send(self._arguments(request, form))

        return await self._ladder.descend(request.schema, send, self._sampling.adapt)

    def _arguments(self, request: ChatRequest, form: str) -> dict[str, Any]:
        from mistralai.client import models

        kinds = {"system": models.SystemMessage, "user": models.UserMessage, "assistant": models.AssistantMessage}
        messages = [kinds[message.role](content=message.content) for message in request.messages]
        given: dict[str, Any] = {"model": self.model, "messages": messages, **self._sampling.of(request)}
        if request.max_tokens is not None:
            given["max_tokens"] = self._ladder.fits(request.max_tokens)
        if request.tools:
            given["tools"] = functions(request.tools)
        if request.schema is not None and (wanted := self._response_format(form, request.schema)):
            given["response_format"] = wanted
        return given

    def _response_format(self, form: str, schema: dict[str, Any]) -> Any:
        """The SDK's model of the form; that of a schema is kept, as the lowering keeps the schema."""
        from mistralai.client import models

        match form:
            case "schema":
                body = self._lowering.of(schema)
                if id(body) not in self._formats:
                    definition = models.JSONSchema(name="group", strict=True, schema_definition=body)
                    self._formats[id(body)] = models.ResponseFormat(type="json_schema", json_schema=definition)
                return self._formats[id(body)]
            case "object":
                return models.ResponseFormat(type="json_object")
            case _:
                return None

    async def _send(self, arguments: dict[str, Any]) -> Reply:
        import httpx2
        from mistralai.client.errors import MistralError, NoResponseError, ResponseValidationError

        data: Any = None
        failed: Exception | None = None  # raised outside: within, what the SDK raised would hang on to it
        try:
            data = await in_time(self._endpoint, lambda: self._sdk().chat.complete_async(**arguments))
        except ResponseValidationError as error:
            failed = self._unread(error.body)
        except MistralError as error:
            failed = self._fault(error)
        except httpx2.TimeoutException as error:
            failed = silence(error, self._endpoint.timeout)
        except (httpx2.HTTPError, NoResponseError) as error:
            failed = BusyError(self._endpoint.clean(f"{type(error).__name__}: {error}"))
        if failed is not None:
            raise failed
        return self._reply(data)

    def _sdk(self) -> Any:
        if self._client is None:
            import httpx2
            from mistralai.client import Mistral
            from mistralai.client.utils.logger import NoOpLogger

            endpoint = self._endpoint
            self._http = httpx2.AsyncClient(
                timeout=endpoint.timeout,
                follow_redirects=False,
                event_hooks=hooks(endpoint),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
            )
            self._client = Mistral(
                api_key=endpoint.key,
                server_url=endpoint.url,
                async_client=self._http,
                timeout_ms=int(endpoint.timeout * 1000),
                debug_logger=NoOpLogger(),  # its own, where MISTRAL_DEBUG is set, writes the key
            )
        return self._client

    def _reply(self, data: Any) -> Reply:
        """The reply in a response. Raises BusyError, or RefusedError where no reply was ever read."""
        try:
            choice = data.choices[0]
            text = _text(choice.message.content)
            finish = _finish(choice.finish_reason)
            calls = tuple(
                tool_use(self._endpoint, call.function.name, call.function.arguments)
                for call in choice.message.tool_calls or ()
            )
            tokens = Usage(
                input_tokens=int(data.usage.prompt_tokens or 0), output_tokens=int(data.usage.completion_tokens or 0)
            )
        except (ValueError, LookupError, TypeError, AttributeError):
            raise self._unread(str(data)) from None
        if choice.finish_reason == "error":
            raise BusyError("the model ended its reply with an error")
        model = self._endpoint.clean(str(data.model or self.model))
        return Reply(self._endpoint.clean(text), tokens, finish, model, calls)

    def _unread(self, body: str) -> Exception:
        shown = self._endpoint.clean(body)[:120]
        message = f"{self._endpoint.shown} does not answer in the chat protocol: {shown!r}"
        return BusyError(message) if self._ladder.answered else RefusedError(message)

    def _fault(self, error: Any) -> Exception:
        said, code = _said(str(error.body))
        text = one_line(self._endpoint.clean(said))
        if error.status_code < 400:
            return self._unread(text)
        return fault(int(error.status_code), text, code, error.headers.get("retry-after"))


def _text(content: Any) -> str:
    """What a message says: its text, or the text among its parts, without what the model thought."""
    if isinstance(content, str):
        return content
    return "".join(part.text for part in content or () if getattr(part, "type", "") == "text")


def _said(body: str) -> tuple[str, str]:
    """The service's own words and the type of an error, from its body."""
    import json

    try:
        data = json.loads(body)
    except ValueError:
        return body, ""
    if not isinstance(data, dict):
        return body, ""
    said = data.get("message", data.get("detail", body))
    return said if isinstance(said, str) else json.dumps(said), str(data.get("type", ""))


def _finish(reason: Any) -> Finish:
    if reason == "content_filter":
        return "refusal"
    return "length" if reason in ("length", "model_length") else "stop"
