"""Mistral's chat API through its SDK: a JSON Schema, or any JSON object, or neither."""

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

FORMS = ("schema", "object", "plain")
"""`response_format` with the lowered schema; any JSON object; the prompt alone."""


def make_mistral(plan: Plan, env: Mapping[str, str], heard: Heard | None = None) -> "MistralProvider":
    """The provider for Mistral, or for the plan's base_url. Raises SetupError with ES406 or ES505."""
    endpoint = endpoint_of("mistral", plan, env, heard, rooted=True)
    return MistralProvider(plan.generation_model.model_name, endpoint)


class MistralProvider:
    """One client of the SDK for all requests; what the model refuses of the protocol is found out once.

    The SDK makes pydantic models anew for every call, 7 ms of CPU where the others take 1 (mistralai 3.7).
    """

    name = "mistral"

    def __init__(self, model: str, endpoint: Endpoint) -> None:
        self.model = model
        self._endpoint = endpoint
        self._client: Any = None
        self._http: Any = None
        self._ladder = Ladder(FORMS)
        self._lowering = Lowering("mistral")

    @property
    def form(self) -> str | None:
        """How the shape of replies is asked for; None before a first reply."""
        return self._ladder.form

    def client(self, request: GroupRequest) -> "MistralClient":
        """A client whose replies are bound to the request's schema."""
        return MistralClient(self, request.schema, request.max_tokens)

    async def close(self) -> None:
        """Close connections."""
        if self._http is not None:
            await self._http.aclose()

    async def ask(self, messages: list[dict[str, str]], schema: dict[str, Any], max_tokens: int) -> Reply:
        """One reply, by the strictest form that the model takes.

        Raises RefusedError, BusyError, ReplyError; no message of theirs holds the key.
        """

        async def send(form: str) -> Reply:
            return await self._send(messages, self._response_format(form, schema), max_tokens)

        return await self._ladder.descend(schema, send, lambda _reason: False)

    def _response_format(self, form: str, schema: dict[str, Any]) -> dict[str, Any] | None:
        match form:
            case "schema":
                definition = {"name": "group", "strict": True, "schema_definition": self._lowering.of(schema)}
                return {"type": "json_schema", "json_schema": definition}
            case "object":
                return {"type": "json_object"}
            case _:
                return None

    async def _send(
        self, messages: list[dict[str, str]], response_format: dict[str, Any] | None, max_tokens: int
    ) -> Reply:
        import httpx2
        from mistralai.client.errors import MistralError, NoResponseError, ResponseValidationError

        data: Any = None
        failed: Exception | None = None  # raised outside: within, what the SDK raised would hang on to it
        try:
            data = await self._sdk().chat.complete_async(
                model=self.model,
                messages=messages,
                temperature=self._endpoint.temperature,
                max_tokens=self._ladder.fits(max_tokens),
                response_format=response_format,
            )
        except ResponseValidationError as error:
            failed = self._unread(error.body)
        except MistralError as error:
            failed = self._fault(error)
        except httpx2.TimeoutException as error:
            failed = silence(error, self._endpoint.timeout)
        except (httpx2.HTTPError, NoResponseError) as error:
            failed = BusyError(self._endpoint.clean(f"{type(error).__name__}: {error}"))
        except ValueError:
            failed = self._unread("")
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
                event_hooks=endpoint.hooks(),
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
            tokens = Usage(
                input_tokens=int(data.usage.prompt_tokens or 0), output_tokens=int(data.usage.completion_tokens or 0)
            )
        except (ValueError, LookupError, TypeError, AttributeError):
            raise self._unread(str(data)) from None
        if choice.finish_reason == "error":
            raise BusyError("the model ended its reply with an error")
        return Reply(self._endpoint.clean(text), tokens, finish, str(data.model or self.model))

    def _unread(self, body: str) -> Exception:
        shown = self._endpoint.clean(body[:120])
        message = f"{self._endpoint.shown} does not answer in the chat protocol: {shown!r}"
        return BusyError(message) if self._ladder.known else RefusedError(message)

    def _fault(self, error: Any) -> Exception:
        said, code = _said(str(error.body))
        text = self._endpoint.clean(one_line(said))
        if error.status_code < 400:
            return self._unread(text)
        return fault(int(error.status_code), text, code, error.headers.get("retry-after"))


@dataclass(frozen=True, slots=True)
class MistralClient:
    """A client bound to one schema."""

    provider: MistralProvider
    schema: dict[str, Any]
    max_tokens: int

    async def generate(self, prompt: str, system_prompt: str) -> Reply:
        """One reply to `prompt`. Raises RefusedError, BusyError, ReplyError."""
        messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": prompt}]
        return await self.provider.ask(messages, self.schema, self.max_tokens)


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
