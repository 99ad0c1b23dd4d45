"""Any endpoint that speaks the OpenAI chat protocol, and OpenAI's own."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from evalspec.runtime.providers import (
    BusyError,
    Finish,
    GroupRequest,
    RefusedError,
    Reply,
    ReplyError,
    SetupError,
    model_place,
    unconfigured,
)
from evalspec.runtime.reply_schema import lowered
from evalspec.runtime.retry import retry_after_seconds
from evalspec.spec.diagnostic import found
from evalspec.spec.journal import Usage
from evalspec.spec.plan import Plan

OPENAI_URL = "https://api.openai.com/v1"
Format = Literal["schema", "lowered", "object", "plain"]
FORMATS: tuple[Format, ...] = ("schema", "lowered", "object", "plain")
"""How the reply's shape is asked for, from the strictest to none; an endpoint that refuses one is asked the next."""
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_BROKE = (
    "insufficient_quota",
    "billing",
    "out of credit",
    "credit balance",
    "payment required",
    "exceeded your current quota",
)
_FILTERED = ("content_filter", "content_policy", "content management policy", "safety system")


def make_custom(name: Literal["custom", "openai"], plan: Plan, env: Mapping[str, str]) -> "CustomProvider":
    """The provider for the plan's base_url, or OpenAI's. Raises SetupError with ES406 or ES505."""
    model = plan.generation_model
    url = model.base_url or (OPENAI_URL if name == "openai" else None)
    if url is None:
        hint = "set generation_model.base_url, for example http://127.0.0.1:8000/v1"
        raise SetupError(unconfigured(plan, "the provider custom needs the address of its endpoint", hint))
    key = env.get(model.api_key_env, "").strip()
    if not key:
        if (urlsplit(url).hostname or "") not in _LOOPBACK:
            message = f"the environment does not hold {model.api_key_env}, the key for {_bare(url)}"
            hint = f"set {model.api_key_env}, or put it in a .env file beside plan.json"
            raise SetupError(found("ES505", message, model_place(plan, "api_key_env"), hint=hint))
        key = "none"
    return CustomProvider(name, model.model_name, Endpoint(url, key, model.temperature, model.limits.timeout_seconds))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go, and how; the key is never shown."""

    url: str
    key: str = field(repr=False)
    temperature: float
    timeout: float


class CustomProvider:
    """One client of the SDK for all requests; what the endpoint refuses of the protocol is found out once."""

    def __init__(self, name: str, model: str, endpoint: Endpoint) -> None:
        self.name = name
        self.model = model
        self._endpoint = endpoint
        self._client: Any = None
        self._first = 0 if name == "custom" else 1
        self._known = False
        self._probing = asyncio.Lock()
        self._token_name = "max_completion_tokens" if name == "openai" else "max_tokens"
        self._with_temperature = True

    def client(self, request: GroupRequest) -> "CustomClient":
        """A client whose replies are bound to the request's schema."""
        return CustomClient(self, request.schema, request.max_tokens)

    async def close(self) -> None:
        """Close connections."""
        if self._client is not None:
            await self._client.close()

    async def ask(self, messages: list[dict[str, str]], schema: dict[str, Any], max_tokens: int) -> Reply:
        """One reply, by the strictest format that the endpoint takes.

        Raises RefusedError, BusyError, ReplyError; no message of theirs holds the key.
        """
        if self._known:
            return await self._descend(messages, schema, max_tokens)
        async with self._probing:
            reply = await self._descend(messages, schema, max_tokens)
            self._known = True
            return reply

    async def _descend(self, messages: list[dict[str, str]], schema: dict[str, Any], max_tokens: int) -> Reply:
        first_refusal: _BadRequestError | None = None
        at = self._first
        while at < len(FORMATS):
            try:
                reply = await self._send(messages, FORMATS[at], schema, max_tokens)
            except _BadRequestError as error:
                first_refusal = first_refusal or error
                at += 0 if self._adapt(error) else 1
            else:
                self._first = at
                return reply
        raise RefusedError(str(first_refusal)) from None

    def _adapt(self, error: "_BadRequestError") -> bool:
        """Change what some models want named or left out; whether anything was changed."""
        text = str(error).lower()
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

    async def _send(
        self, messages: list[dict[str, str]], form: Format, schema: dict[str, Any], max_tokens: int
    ) -> Reply:
        import openai

        body: dict[str, Any] = {"model": self.model, "messages": messages, self._token_name: max_tokens}
        if self._with_temperature:
            body["temperature"] = self._endpoint.temperature
        response_format = _response_format(form, schema)
        if response_format is not None:
            body["response_format"] = response_format
        try:
            # not chat.completions.create: it walks the whole schema against its types, twice the cost of the rest
            data = await self._sdk().post("/chat/completions", cast_to=object, body=body)
        except openai.APIStatusError as error:
            raise self._status(error) from None
        except openai.APITimeoutError:
            raise BusyError(f"no reply within {self._endpoint.timeout:g} s") from None
        except openai.APIError as error:
            cause = error.__cause__
            raise BusyError(self._clean(f"{error} ({cause})" if cause else str(error))) from None
        except ValueError:
            data = None
        return self._reply(data)

    def _sdk(self) -> Any:
        if self._client is None:
            import openai

            endpoint = self._endpoint
            self._client = openai.AsyncOpenAI(
                api_key=endpoint.key,
                base_url=endpoint.url,
                max_retries=0,
                timeout=endpoint.timeout,
                http_client=openai.DefaultAioHttpClient(timeout=endpoint.timeout, follow_redirects=False),
            )
        return self._client

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
            shown = self._clean(str(data)[:120])
            message = f"{_bare(self._endpoint.url)} does not answer in the chat protocol: {shown!r}"
            raise (BusyError(message) if self._known else RefusedError(message)) from None
        return Reply(self._clean(text if isinstance(text, str) else refusal or ""), tokens, finish, model)

    def _status(self, error: Any) -> Exception:
        """What an HTTP status means for the run."""
        status = int(error.status_code)
        text = self._clean(_said(error))
        lower = f"{text} {getattr(error, 'code', '')}".lower()
        if status in (401, 403, 402) or any(mark in lower for mark in _BROKE if status < 500):
            return RefusedError(f"HTTP {status}: {text}")
        if status in (408, 409, 425, 429) or status >= 500:
            after = retry_after_seconds(error.response.headers.get("retry-after"))
            return BusyError(f"HTTP {status}: {text}", retry_after=after, throttled=status in (429, 503, 529))
        if any(mark in lower for mark in _FILTERED):
            return ReplyError(f"HTTP {status}: {text}")
        if status in (400, 404, 415, 422, 501):
            return _BadRequestError(f"HTTP {status}: {text}")
        return RefusedError(f"HTTP {status}: {text}")

    def _clean(self, text: str) -> str:
        """Text without the key, should an endpoint have echoed it, or a password in the address."""
        key = self._endpoint.key
        if len(key) >= 6 and key in text:
            text = text.replace(key, "[key]")
        password = urlsplit(self._endpoint.url).password
        return text.replace(password, "[password]") if password else text


class _BadRequestError(Exception):
    """The endpoint does not take the request as it stands; a plainer one may do."""


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


def _response_format(form: Format, schema: dict[str, Any]) -> dict[str, Any] | None:
    match form:
        case "plain":
            return None
        case "object":
            return {"type": "json_object"}
        case "schema" | "lowered":
            body = schema if form == "schema" else lowered(schema)
            return {"type": "json_schema", "json_schema": {"name": "group", "strict": True, "schema": body}}


def _finish(reason: Any, refusal: Any) -> Finish:
    if refusal or reason == "content_filter":
        return "refusal"
    return "length" if reason in ("length", "max_tokens") else "stop"


def _said(error: Any) -> str:
    """The endpoint's own words on an error, on one line."""
    body = error.body
    said = body.get("message") if isinstance(body, dict) else None
    text = said if isinstance(said, str) else error.response.text
    return " ".join(text.split())[:300] or "no reason given"


def _bare(url: str) -> str:
    """An address without a user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rsplit("@", 1)[-1], query=""))
