"""How an answer is read: no more of it than fits, and no longer than its endpoint is waited for."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from json import JSONDecodeError
from typing import Any, TypeVar

from evalspec.runtime.providers import BusyError, ReplyError
from evalspec.runtime.providers.endpoint import MOST_BYTES, Endpoint

MOST_PACKED = MOST_BYTES // 100
"""Bytes of an answer that an SDK unpacks: a thousand times as many come out at most."""
Answer = TypeVar("Answer")


def too_large() -> ReplyError:
    """The error for an answer of too many bytes; it was made, and may be billed."""
    return ReplyError(f"the answer has over {MOST_BYTES >> 20} MB, and is not read", unsure=True)


def unsent() -> ReplyError:
    """The error for a request that holds a character which no UTF-8 stands for: half of a surrogate pair."""
    return ReplyError("the request cannot be sent: it holds half of a surrogate pair, which is no character")


def undecoded(error: ValueError | RecursionError) -> str:
    """The text of an answer that is no JSON, from what an SDK raised over it. Raises `error` where it tells of none."""
    match error:
        case JSONDecodeError():
            return error.doc
        case UnicodeDecodeError():
            return bytes(error.object).decode("utf-8", "replace")
        case RecursionError():
            return "JSON of too many levels"
    raise error


def not_whole(seconds: float) -> BusyError:
    """The error for an answer that began, or whose endpoint gave signs of life, and did not come to its end."""
    return BusyError(f"the reply was not whole within {seconds:g} s", unsure=True)


async def body_of(response: Any) -> bytes | None:
    """The bytes of an answer that aiohttp gives, unpacked; None where they are too many."""
    parts, size = [], 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            response.close()
            return None
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def in_time(endpoint: Endpoint, send: Callable[[], Awaitable[Answer]]) -> Answer:
    """What an SDK gives, whose own limits are on silence. Raises BusyError, and what `send` raises."""
    try:
        async with asyncio.timeout(endpoint.whole) as limit:
            return await send()
    except TimeoutError:
        if not limit.expired():
            raise
    raise not_whole(endpoint.whole)


def hooks(endpoint: Endpoint) -> dict[str, list[Callable[..., Any]]]:
    """The `event_hooks` of an SDK's HTTP client, of httpx2: the headers are told, and no more is read than fits."""
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        """A body, up to a number of bytes."""

        def __init__(self, stream: Any, most: int) -> None:
            self._stream, self._most = stream, most

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for part in self._stream:
                size += len(part)
                if size > self._most:
                    raise too_large()
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def told(response: Any) -> None:
        endpoint.tell(response.headers)
        response.stream = Bounded(
            response.stream, MOST_PACKED if "content-encoding" in response.headers else MOST_BYTES
        )

    return {"response": [told]}
