"""What a site's robots.txt allows us, by RFC 9309, and how long it wants us to wait."""

import asyncio
import re
from math import isfinite
from typing import TYPE_CHECKING

from evalspec.runtime.sources.fetch import Fetcher, FetchError, Pace, UnaskedError
from evalspec.spec.dataclass import dataclass

if TYPE_CHECKING:
    import httpx
    from protego import Protego

TOKEN = "evalspec"
"""The product token by which a robots.txt names us."""
MOST_BYTES = 500 * 1024
"""RFC 9309, 2.5: at least so much of a file is read."""
LONGEST_DELAY = 300.0
"""A site that wants more seconds than this between requests is not asked at all."""
_AGENT_LINE = re.compile(r"^\s*user[- ]?agent(?:\s*:|\s)\s*([^#]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one origin; `refusal` says why nothing of it may be asked."""

    parsed: "Protego | None" = None
    refusal: str | None = None

    def allows(self, url: str) -> bool:
        """Whether we may fetch an address of this origin."""
        return self.parsed is None or bool(self.parsed.can_fetch(url, TOKEN))

    @property
    def delay(self) -> float:
        """Seconds that the site wants between our requests."""
        if self.parsed is None:
            return 0.0
        wanted = self.parsed.crawl_delay(TOKEN) or 0.0
        rate = self.parsed.request_rate(TOKEN)
        if rate is not None and rate.requests > 0:
            wanted = max(wanted, rate.seconds / rate.requests)
        return wanted if isfinite(wanted) and wanted > 0 else 0.0


def read_rules(data: bytes) -> Rules:
    """The rules that a file states for us; a page of HTML, or bytes that are no text, state none."""
    from protego import Protego

    whole = data[:MOST_BYTES]
    if len(data) > MOST_BYTES:
        whole = whole[: max(whole.rfind(b"\n"), whole.rfind(b"\r")) + 1]
    text = whole.decode("utf-8-sig", "replace")
    if "\x00" in text or text.lstrip().startswith("<"):
        return Rules()
    return Rules(Protego.parse("\n".join(_own_name(line) for line in text.splitlines())))


def _own_name(line: str) -> str:
    """A line that names an agent, so that protego matches whole product tokens: it takes `eval` for a part of ours."""
    match = _AGENT_LINE.match(line)
    if match is None:
        return line
    name = match[1].strip()
    if re.fullmatch(r"\*(?:\s.*)?", name):
        return "User-agent: *"
    token = re.match(r"[A-Za-z_-]*", name)
    ours = token is not None and token[0].lower() == TOKEN
    return f"User-agent: {TOKEN}" if ours else "User-agent: somebody-else"


class Robots:
    """Asks each origin for its robots.txt once."""

    def __init__(self, fetcher: Fetcher, pace: Pace, *, respected: bool = True) -> None:
        self._fetcher = fetcher
        self._pace = pace
        self._respected = respected
        self._rules: dict[str, asyncio.Task[Rules]] = {}

    async def check(self, url: "httpx.URL") -> float:
        """Seconds that the site wants between requests. Raises FetchError where the address may not be asked."""
        if not self._respected:
            return 0.0
        origin = f"{url.scheme}://{url.netloc.decode('ascii')}"
        if origin not in self._rules:
            self._rules[origin] = asyncio.create_task(self._fetched(origin))
        rules = await asyncio.shield(self._rules[origin])
        if rules.refusal is not None:
            raise FetchError(rules.refusal)
        if not rules.allows(str(url)):
            raise FetchError("its robots.txt disallows it")
        if rules.delay > LONGEST_DELAY:
            raise FetchError(f"its robots.txt asks for {rules.delay:g} s between requests")
        return rules.delay

    async def _fetched(self, origin: str) -> Rules:
        """RFC 9309, 2.3.1: 4xx and too many redirects mean no rules, 5xx and no answer mean no access."""
        try:
            answer = await self._fetcher.get(f"{origin}/robots.txt", self._pace, first=MOST_BYTES + 1)
        except UnaskedError as error:
            return Rules(refusal=str(error))
        except FetchError as error:
            status = error.status
            if status is not None and 200 <= status < 500 and status != 429:
                return Rules()
            return Rules(refusal=f"its robots.txt cannot be had ({error}), and without one nothing is asked")
        return read_rules(answer.data)
