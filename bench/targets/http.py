"""An HTTP endpoint: one request a turn, its body and its answer mapped by the settings."""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic_core import to_json

from evalspec.bench.results import TargetResult
from evalspec.bench.suite import Case
from evalspec.bench.targets.config import HttpSettings, TargetConfig
from evalspec.bench.targets.failing import THROTTLED, FailingError, Faults, is_fault
from evalspec.bench.targets.mapping import failed, result_of
from evalspec.bench.targets.secrecy import Secrets, expanded
from evalspec.bench.targets.told import Told
from evalspec.bench.targets.turns import Asked, Conversation, as_text, filled, plain_request
from evalspec.bench.targets.values import parsed, short
from evalspec.runtime.providers import BusyError, SetupError
from evalspec.runtime.providers.endpoint import bare
from evalspec.runtime.providers.wire import open_session
from evalspec.runtime.retry import retry_after_seconds
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import found
from evalspec.spec.fingerprint import digest_of

TIMEOUT = 60.0
MAX_BYTES = 8 << 20
"""Of one answer."""
_BUSY = (408, 425, 429)
_NEVER = (501, 505)
"""Statuses of 5xx that another try does not mend."""


def make_http(config: TargetConfig, told: Told, env: Mapping[str, str]) -> "HttpTarget":
    """The endpoint of the settings. Raises SetupError with ES731 or ES732."""
    settings = config.settings
    assert isinstance(settings, HttpSettings)
    url, keys = expanded(settings.url, env, config.place_of("url"))
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "evalspec"}
    for name, value in settings.headers.items():
        headers[name], values = expanded(value, env, config.place_of("headers", name))
        keys += values
    try:
        parts = urlsplit(url)
        sound = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound:
        raise SetupError(found("ES731", "the address of the target is not one", config.place_of("url")))
    if parts.password:
        keys.append(parts.password)
    return HttpTarget(settings, told, url, headers, Secrets(keys))


class HttpTarget:
    """One session of aiohttp for all requests, and no cookies: what belongs together is told by `$session`."""

    kind = "http"
    has_answered = False

    def __init__(self, settings: HttpSettings, told: Told, url: str, headers: dict[str, str], secrets: Secrets) -> None:
        self.name = settings.name or bare(settings.url)
        self.model = told.model
        self.most_at_once = settings.concurrency or 1024
        self.settings, self.told = settings, told
        self.digest = _digest(settings, told)
        self.secrets = secrets
        self.answers = False
        """Whether it has given an answer in this run."""
        self._url, self._headers = url, headers
        self.timeout = told.timeout or settings.timeout_seconds or TIMEOUT
        self._session: Any = None

    def shown(self) -> dict[str, Any]:
        """What a report shows of it: no header's value, and no query."""
        return {
            "kind": self.kind,
            "name": self.name,
            "url": bare(self.settings.url),
            "method": self.settings.method,
            "headers": sorted(self.settings.headers),
            "model": self.model,
            "prompt_version": self.told.prompt_version,
            "timeout_seconds": self.timeout,
            "digest": self.digest,
        }

    def session(self, case: Case, epoch: int) -> "HttpSession":
        """A conversation for one trial."""
        return HttpSession(self, Conversation(case, epoch, self.told.model, self.told.prompt_version))

    async def close(self) -> None:
        """Close connections."""
        if self._session is not None:
            await self._session.close()

    def request(self, asked: Asked) -> Any:
        """The context of one request."""
        template = self.settings.body
        body = plain_request(asked) if template is None else filled(template, asked)
        if self._session is None:
            self._session = open_session(self._url, self.timeout, self._headers)
        if self.settings.method == "GET":
            params = {key: as_text(value) for key, value in body.items()}
            return self._session.get(self._url, params=params, allow_redirects=False)
        return self._session.request(self.settings.method, self._url, data=_encoded(body), allow_redirects=False)


def _digest(settings: HttpSettings, told: Told) -> str:
    """Of the address, the mapping and what the run tells; names of variables stand for their values."""
    parts = urlsplit(settings.url)
    url = urlunsplit(parts._replace(netloc=parts.netloc.rsplit("@", 1)[-1]))
    data = settings.model_dump(mode="json", exclude={"name", "timeout_seconds", "concurrency", "headers"})
    return digest_of([data | {"url": url}, settings.headers, told.model, told.prompt_version])


def _encoded(body: Any) -> bytes:
    try:
        return to_json(body)
    except ValueError:  # a lone surrogate, which JSON can hold and UTF-8 cannot
        return json.dumps(body, default=str).encode("ascii")


@dataclass(frozen=True, slots=True)
class HttpSession:
    """One conversation."""

    target: HttpTarget = field(repr=False)
    talk: Conversation
    faults: Faults = field(default_factory=Faults, repr=False)

    async def ask(self, input: Any) -> TargetResult:
        """The answer to the next turn. Raises BusyError on 429, 5xx, and where no connection comes about.

        A fault at this turn alone, as HTTP 500, is its error after three tries, once others were answered.
        """
        try:
            result = await self._once(self.talk.next(input))
        except FailingError as error:
            if not self.faults.settled(self.target.answers):
                raise
            result = failed(str(error))
        self.faults.clear()
        return self.talk.took(input, result)

    async def close(self) -> None:
        """Nothing is held open."""

    async def _once(self, asked: Asked) -> TargetResult:
        import aiohttp

        target = self.target
        busy: BusyError  # raised outside: within, what aiohttp raised would hang on to it
        began = time.perf_counter()
        try:
            async with asyncio.timeout(target.timeout), target.request(asked) as response:
                content = await _body(response)
        except aiohttp.ConnectionTimeoutError as error:
            busy = BusyError(target.secrets.clean(f"no connection: {error}"))
        except TimeoutError:
            return failed(f"no answer within {target.timeout:g} s", _since(began))
        except aiohttp.ClientConnectorError as error:
            busy = BusyError(target.secrets.clean(f"no connection: {error}"))
        except aiohttp.ClientResponseError as error:  # a status or a header that is none: it answered, and is paid
            return failed(target.secrets.clean(f"the endpoint broke HTTP: {error.message}"), _since(began))
        except (aiohttp.ClientError, OSError) as error:
            said = short(f"the connection broke: {error or type(error).__name__}")
            busy = BusyError(target.secrets.clean(said), unsure=True)
        else:
            return self._result(response, content, _since(began))
        raise busy

    def _result(self, response: Any, content: bytes | None, latency: float) -> TargetResult:
        target = self.target
        if content is None:
            return failed(f"the answer has over {MAX_BYTES:,} bytes", latency)
        text = target.secrets.clean(_decoded(content, response.charset))
        status = int(response.status)
        if 200 <= status < 300:
            target.answers = True
            return _read(text, str(response.content_type), target.settings, latency)
        said = f"HTTP {status}: {_reason(text) or response.reason or 'no reason given'}"
        if status in _BUSY or (status >= 500 and status not in _NEVER):
            wait = retry_after_seconds(response.headers.get("retry-after"))
            kind = FailingError if is_fault(status) else BusyError
            raise kind(said, retry_after=wait, throttled=status in THROTTLED)
        return failed(said, latency)


async def _body(response: Any) -> bytes | None:
    """The bytes of an answer; None where they are too many."""
    parts, size = [], 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES:
            response.close()
            return None
    return b"".join(parts)


def _decoded(content: bytes, charset: str | None) -> str:
    """The text of an answer, in the encoding that it names, or UTF-8; a byte order mark is passed over."""
    try:
        return content.decode(charset or "utf-8", "replace").removeprefix("\ufeff")
    except (LookupError, ValueError):  # no such encoding, or one that takes no replacements
        return content.decode("utf-8", "replace").removeprefix("\ufeff")


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def _read(text: str, kind: str, settings: HttpSettings, latency: float) -> TargetResult:
    """The result in the text of a good response."""
    if kind == "text/plain":
        return result_of(text, settings.map, latency)
    if not text:
        return failed("the target gave an empty body, not an answer", latency)
    try:
        data = parsed(text)
    except ValueError:
        return failed(f"the target answers with {kind}, not JSON: {short(text, 120)!r}", latency)
    return result_of(data, settings.map, latency)


def _reason(text: str) -> str:
    """What an endpoint says of itself on one line."""
    try:
        data = parsed(text)
    except ValueError:
        return short(text, 300)
    for key in ("error", "message", "detail"):
        said = data.get(key) if isinstance(data, dict) else None
        said = said.get("message") if isinstance(said, dict) else said
        if isinstance(said, str):
            return short(said, 300)
    return short(text, 300)
