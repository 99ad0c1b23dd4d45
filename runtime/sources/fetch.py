"""Fetches an address: politely, within bounds, and only from where it may."""

import asyncio
import ssl
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING

from evalspec.runtime.retry import retry_after_seconds
from evalspec.runtime.sources.addresses import AddressError, Resolved, parsed, resolve
from evalspec.runtime.sources.body import BodyError, unpacked
from evalspec.runtime.sources.lanes import Lane, Lanes
from evalspec.spec.dataclass import dataclass

if TYPE_CHECKING:
    import httpx
    from tenacity import RetryCallState

_REDIRECTS = {301, 302, 303, 307, 308}


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one fetch may take."""

    most_bytes: int = 20_000_000
    """Of a body, before and after unpacking."""
    redirects: int = 5
    """RFC 9309 wants at least five followed for robots.txt."""
    seconds: float = 60.0
    """For one page, from the first connection to the last byte: all its tries and redirects, waits aside."""
    brisk: float = 10.0
    """Seconds that a page may take before its host's patience is drawn on."""
    patience: float = 120.0
    """Seconds that all pages of a host may take beyond that, waits that it asks for among them."""
    silence: float = 20.0
    """Seconds without a byte."""
    tries: int = 3
    first_wait: float = 1.0
    longest_wait: float = 60.0
    """A page whose host asks for a longer wait is left alone."""
    at_once: int = 16
    """Requests under way, over all hosts."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between two requests to one host; `public` is the least that a public host gets."""

    delay: float
    public: float = 2.0


@dataclass(slots=True)
class Spent:
    """Seconds that a page took so far, waits aside."""

    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer of status 200."""

    url: str
    """Where it came from, after redirects."""
    kind: str
    """The media type, lower case, without parameters; empty where none is given."""
    charset: str | None
    data: bytes


class FetchError(Exception):
    """An address that gave nothing; `lasting` says that asking again would not help."""

    def __init__(self, reason: str, *, status: int | None = None, lasting: bool = False) -> None:
        super().__init__(reason)
        self.status = status
        self.lasting = lasting


class UnaskedError(FetchError):
    """An address that is not asked, whoever answers there."""


class BusyError(FetchError):
    """Nothing came, and asking again may help."""

    def __init__(
        self, reason: str, *, status: int | None = None, after: float | None = None, slow: bool = False
    ) -> None:
        super().__init__(reason, status=status)
        self.after = after
        self.slow = slow


Check = Callable[["httpx.URL"], Awaitable[float]]
"""Gives the seconds that a host wants between requests; raises FetchError for an address that is not to be asked."""


class Fetcher:
    """Fetches under one agent name. Use it within `open_fetcher`."""

    def __init__(self, client: "httpx.AsyncClient", allowed: Collection[str], bounds: Bounds) -> None:
        self.bounds = bounds
        self._client = client
        self._allowed = frozenset(host.rstrip(".").lower() for host in allowed)
        self._lanes = Lanes()
        self._drawn: defaultdict[str, float] = defaultdict(float)
        self._places = asyncio.Semaphore(bounds.at_once)

    async def get(
        self,
        address: str,
        pace: Pace,
        *,
        check: Check | None = None,
        kinds: Collection[str] = (),
        first: int | None = None,
    ) -> Fetched:
        """Fetch `address`, over redirects. Raises FetchError.

        `check` is asked for every address on the way; an answer that names a media type outside `kinds` is not
        read; of a longer body only the `first` bytes are, where that is given.
        """
        url = _parsed(address)
        seen = {str(url)}
        spent = Spent()
        for _ in range(self.bounds.redirects + 1):
            wanted = 0.0 if check is None else await check(url)
            pace_here = Pace(max(pace.delay, wanted), max(pace.public, wanted))
            answer = await self._tried(url, pace_here, kinds, first, spent)
            if isinstance(answer, Fetched):
                return answer
            url = _parsed(answer)
            if answer in seen:
                raise FetchError("it redirects in a circle", status=302, lasting=True)
            seen.add(answer)
        raise FetchError(f"it redirects more than {self.bounds.redirects} times", status=302, lasting=True)

    def tire(self, address: str, seconds: float) -> None:
        """Draw on the patience with the host of an address: it took so much time that it should not have."""
        self._drawn[_parsed(address).host] += seconds

    async def _tried(
        self, url: "httpx.URL", pace: Pace, kinds: Collection[str], first: int | None, spent: "Spent"
    ) -> Fetched | str:
        """An answer, or the address that it sends to; busy hosts are asked again a few times."""
        from tenacity import AsyncRetrying, retry_if_exception_type

        lane = self._lanes.of(url.host)

        def stop(state: "RetryCallState") -> bool:
            error = state.outcome.exception() if state.outcome else None
            tries = 2 if isinstance(error, BusyError) and error.slow else self.bounds.tries
            over = spent.seconds >= self.bounds.seconds or self._tired(url)
            return over or state.attempt_number >= tries or _after(error) > self.bounds.longest_wait

        def wait(state: "RetryCallState") -> float:
            error = state.outcome.exception() if state.outcome else None
            seconds = _after(error) or self.bounds.first_wait * 2.0 ** (state.attempt_number - 1)
            lane.hold(min(seconds, self.bounds.longest_wait))
            self._drawn[url.host] += seconds
            return seconds

        async for attempt in AsyncRetrying(
            stop=stop, wait=wait, retry=retry_if_exception_type(BusyError), reraise=True
        ):
            with attempt:
                return await self._once(url, lane, pace, kinds, first, spent)
        raise AssertionError("tenacity ended without an answer or an error")

    def _tired(self, url: "httpx.URL") -> bool:
        return self._drawn[url.host] > self.bounds.patience

    def _spare(self, url: "httpx.URL") -> None:
        """Raise BusyError where the patience with a host is used up."""
        if self._tired(url):
            most = self.bounds.patience
            raise BusyError(f"its host took or asked for over {most:g} s too long in all, and is asked nothing more")

    async def _once(
        self, url: "httpx.URL", lane: Lane, pace: Pace, kinds: Collection[str], first: int | None, spent: "Spent"
    ) -> Fetched | str:
        self._spare(url)
        try:
            found = await resolve(url, self._allowed)
        except AddressError as error:
            raise UnaskedError(str(error)) from None
        delay = max(pace.delay, pace.public) if found.public else pace.delay
        async with lane.turn(delay), self._places:
            self._spare(url)
            began, before = monotonic(), spent.seconds
            try:
                async with asyncio.timeout(self.bounds.seconds - before):
                    return await self._asked(url, found, kinds, first)
            except TimeoutError:
                raise BusyError(f"it was not whole after {self.bounds.seconds:g} s", slow=True) from None
            finally:
                spent.seconds = before + monotonic() - began
                late = max(spent.seconds - self.bounds.brisk, 0.0) - max(before - self.bounds.brisk, 0.0)
                self._drawn[url.host] += max(late, 0.0)

    async def _asked(
        self, url: "httpx.URL", found: Resolved, kinds: Collection[str], first: int | None
    ) -> Fetched | str:
        """Ask the addresses that were checked, in turn, until one connects."""
        import httpx

        trouble = "it cannot be reached"
        for address in found.addresses[:4]:
            try:
                return await self._answer(url, address, kinds, first)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                trouble = f"it cannot be reached: {error}" if str(error) else trouble
            except httpx.TimeoutException:
                raise BusyError(f"no byte came for {self.bounds.silence:g} s", slow=True) from None
            except httpx.RequestError as error:
                raise BusyError(f"the connection broke: {str(error) or type(error).__name__}") from None
        raise BusyError(trouble)

    async def _answer(self, url: "httpx.URL", address: str, kinds: Collection[str], first: int | None) -> Fetched | str:
        # the connection goes to the address that was checked; name and certificate stay the host's
        pinned = url.copy_with(host=address)
        extensions = {"sni_hostname": url.host} if url.scheme == "https" else {}
        headers = {"Host": url.netloc.decode("ascii")}
        async with self._client.stream("GET", pinned, headers=headers, extensions=extensions) as response:
            status = response.status_code
            if status in _REDIRECTS:
                return _target(url, response.headers.get("location"))
            if status == 429 or status >= 500:
                after = retry_after_seconds(response.headers.get("retry-after"))
                raise BusyError(f"it answers {status}", status=status, after=after)
            if status != 200:
                raise FetchError(f"it answers {status}", status=status, lasting=status in (404, 410))
            kind, _, rest = response.headers.get("content-type", "").partition(";")
            kind = kind.strip().lower()
            if kinds and kind and kind not in kinds:
                raise FetchError(f"it is {kind[:60]} and not text", status=status, lasting=True)
            try:
                encoding = response.headers.get("content-encoding", "")
                most = self.bounds.most_bytes if first is None else first
                data = await unpacked(response.aiter_raw(), encoding, most, cut=first is not None)
            except BodyError as error:
                raise FetchError(str(error), status=status, lasting=True) from None
            return Fetched(str(url), kind, _charset(rest), data)


@asynccontextmanager
async def open_fetcher(agent: str, allowed: Collection[str], bounds: Bounds | None = None) -> AsyncIterator[Fetcher]:
    """A fetcher that names itself `agent` and may ask the hosts in `allowed` wherever they are.

    Connections are not kept, cookies are not taken, and proxies of the environment are not used: they would look
    hosts up again on their own.
    """
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    import httpx

    bounds = bounds or Bounds()
    headers = {
        "User-Agent": agent,
        "Accept": "text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.8,*/*;q=0.1",
        "Accept-Language": "en, *;q=0.1",
        "Accept-Encoding": "gzip",
    }
    transport = httpx.AsyncHTTPTransport(
        verify=ssl.create_default_context(), limits=httpx.Limits(max_keepalive_connections=0), retries=0
    )
    client = httpx.AsyncClient(
        headers=headers,
        transport=transport,
        trust_env=False,
        follow_redirects=False,
        timeout=httpx.Timeout(bounds.silence, connect=min(10.0, bounds.silence)),
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
    )
    async with client:
        yield Fetcher(client, allowed, bounds)


def _parsed(address: str) -> "httpx.URL":
    try:
        return parsed(address)
    except AddressError as error:
        raise UnaskedError(str(error), lasting=True) from None


def _target(url: "httpx.URL", location: str | None) -> str:
    """Where a redirect leads, as an absolute address without a fragment."""
    import httpx

    if not location:
        raise FetchError("it redirects to nowhere", lasting=True)
    try:
        return str(parsed(str(url.join(location))))
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchError(f"it redirects to what is not asked: {error}", lasting=True) from None


def _after(error: BaseException | None) -> float:
    return (error.after or 0.0) if isinstance(error, BusyError) else 0.0


def _charset(parameters: str) -> str | None:
    for part in parameters.split(";"):
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'") or None
    return None
