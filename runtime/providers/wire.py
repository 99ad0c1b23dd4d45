"""How a chat request reaches an endpoint: straight by aiohttp, or by OpenAI's SDK for OpenAI."""

import json
from contextlib import suppress
from typing import Any, Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from pydantic_core import from_json, to_json

from evalspec.runtime.providers import BusyError, ReplyError
from evalspec.runtime.providers.answers import body_of, hooks, in_time, not_whole, too_large, undecoded, unsent
from evalspec.runtime.providers.endpoint import Endpoint
from evalspec.runtime.providers.faults import fault, one_line, silence

PATH = "/chat/completions"


class Wire(Protocol):
    """Sends chat requests."""

    async def post(self, body: dict[str, Any]) -> Any:
        """The answer, decoded where it is JSON. Raises RefusedError, BusyError, ReplyError, BadRequestError."""

    async def close(self) -> None: ...


class DirectWire:
    """One aiohttp session: a third of the CPU time of a request by the SDK, and none of its import."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._url = endpoint.url.rstrip("/") + PATH
        self._session: Any = None

    async def post(self, body: dict[str, Any]) -> Any:
        """The answer, decoded where it is JSON. Raises RefusedError, BusyError, ReplyError, BadRequestError."""
        import aiohttp

        endpoint = self._endpoint
        failed: Exception  # raised outside: within, what aiohttp raised would hang on to it
        try:
            async with self._opened().post(self._url, data=_encoded(body), allow_redirects=False) as response:
                content = await body_of(response)
        except aiohttp.ConnectionTimeoutError as error:
            failed = BusyError(endpoint.clean(f"no connection: {error}"))
        except aiohttp.ServerTimeoutError as error:
            failed = silence(error, endpoint.timeout)
        except TimeoutError:
            failed = not_whole(endpoint.whole)
        except (aiohttp.ClientError, OSError) as error:
            closed = isinstance(error, aiohttp.ClientConnectorError)
            failed = BusyError(endpoint.clean(f"Connection error. ({error or type(error).__name__})"), closed=closed)
        else:
            endpoint.tell(response.headers)
            if content is None and response.status < 300:
                raise too_large()
            answer = _decoded(content or b"")
            if response.status < 300:
                return answer
            text = (content or b"").decode("utf-8", "replace")
            failed = _fault(endpoint, response.status, answer, text, response.headers.get("retry-after"))
        raise failed

    async def close(self) -> None:
        """Close connections."""
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> Any:
        if self._session is None:
            base, timeout, whole = self._endpoint.url, self._endpoint.timeout, self._endpoint.whole
            headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "evalspec"}
            if not urlsplit(base).username:  # else aiohttp sends the user and password of the address
                headers["Authorization"] = f"Bearer {self._endpoint.key}"
            self._session = open_session(base, timeout, headers, whole)
        return self._session


def open_session(url: str, timeout: float, headers: dict[str, str], whole: float | None = None) -> Any:
    """An aiohttp session for an address: any number of connections, no cookies, `timeout` seconds of silence, and
    `whole` seconds for all of an answer.
    """
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ssl=_trusted(url)),
        timeout=aiohttp.ClientTimeout(total=whole, sock_connect=timeout, sock_read=timeout),
        headers=headers,
        cookie_jar=aiohttp.DummyCookieJar(),
        proxy=_proxy(url),
    )


def _trusted(url: str) -> Any:
    """The certificates that the SDKs trust: those of SSL_CERT_FILE, or certifi's."""
    if urlsplit(url).scheme != "https":
        return True
    import httpx

    return httpx.create_ssl_context()


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for an address."""
    parts = urlsplit(url)
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    return None if not found or proxy_bypass(parts.hostname or "") else found


def _encoded(body: dict[str, Any]) -> bytes:
    """A body as it is sent. Raises ReplyError."""
    try:
        return to_json(body)
    except ValueError as error:
        if "surrogates not allowed" not in str(error):
            raise
    raise unsent()


def _decoded(content: bytes) -> Any:
    """What an answer holds: its JSON, or else its text."""
    for read in (from_json, json.loads):  # the second takes a lone surrogate
        with suppress(ValueError, RecursionError):
            return read(content)
    return content.decode("utf-8", "replace")


def _fault(endpoint: Endpoint, status: int, body: Any, text: str, retry_after: str | None) -> Exception:
    """The error for an answer that is none; what it says of itself stands in `error`, or in the body."""
    found = body.get("error", body) if isinstance(body, dict) else None
    said = found.get("message") if isinstance(found, dict) else None
    code = str(found.get("code")) if isinstance(found, dict) else ""
    return fault(status, one_line(endpoint.clean(said if isinstance(said, str) else text)), code, retry_after)


def broken(endpoint: Endpoint, error: Exception) -> BusyError | ReplyError:
    """The error for what the SDKs of OpenAI and Anthropic raise where no answer was read; its cause says why."""
    cause = error.__cause__
    if isinstance(cause, ReplyError):
        return ReplyError(str(cause), unsure=cause.unsure)
    return BusyError(endpoint.clean(f"{error} ({cause})" if cause else str(error)))


class SdkWire:
    """The client of OpenAI's SDK."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client: Any = None

    async def post(self, body: dict[str, Any]) -> Any:
        """The answer, decoded where it is JSON. Raises RefusedError, BusyError, ReplyError, BadRequestError."""
        import openai

        endpoint = self._endpoint
        failed: Exception  # raised outside: within, what the SDK raised would hang on to it
        try:
            # not chat.completions.create: it walks the whole schema against its types, twice the cost of the rest
            return await in_time(endpoint, lambda: self._opened().post(PATH, cast_to=object, body=body))
        except openai.APIStatusError as error:
            retry_after = error.response.headers.get("retry-after")
            failed = _fault(endpoint, int(error.status_code), error.body, error.response.text, retry_after)
        except openai.APITimeoutError as error:
            failed = silence(error.__cause__, endpoint.timeout)
        except openai.APIError as error:
            failed = broken(endpoint, error)
        except UnicodeEncodeError:
            failed = unsent()
        except (ValueError, RecursionError) as error:
            return undecoded(error)
        raise failed

    async def close(self) -> None:
        """Close connections."""
        if self._client is not None:
            await self._client.close()

    def _opened(self) -> Any:
        if self._client is None:
            import openai

            endpoint = self._endpoint
            http = openai.DefaultAioHttpClient(
                timeout=endpoint.timeout, follow_redirects=False, event_hooks=hooks(endpoint)
            )
            self._client = openai.AsyncOpenAI(
                api_key=endpoint.key,
                base_url=endpoint.url,
                max_retries=0,
                timeout=endpoint.timeout,
                http_client=http,
            )
        return self._client
