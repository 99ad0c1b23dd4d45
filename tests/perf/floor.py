"""The least that a fill by hand takes: aiohttp posts recorded requests as JSON, some in flight; each reply is a line.

python floor.py http://127.0.0.1:8000/v1 requests.jsonl COUNT IN_FLIGHT replies.jsonl [--raw]

With `--raw` the bodies are sent as the bytes that were recorded, and replies are written without being read. It prints
the CPU seconds that went into reading the requests, which a run of one's own would not spend.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import aiohttp


async def send(url: str, bodies: Sequence[Any], in_flight: int, out: Path) -> None:
    """POST every body, in order, and write every reply as it comes."""
    left = iter(bodies)
    headers = {"Content-Type": "application/json"}
    with out.open("wb") as file:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=in_flight)) as session:

            async def worker() -> None:
                for body in left:
                    given = {"data": body, "headers": headers} if isinstance(body, bytes) else {"json": body}
                    async with session.post(f"{url}/chat/completions", **given) as reply:
                        reply.raise_for_status()
                        line = await reply.read() if isinstance(body, bytes) else said(await reply.json())
                        file.write(line + b"\n")

            await asyncio.gather(*(worker() for _ in range(in_flight)))


def said(reply: Any) -> bytes:
    """A reply and what it cost, as a line."""
    kept = {"reply": reply["choices"][0]["message"]["content"], "usage": reply.get("usage")}
    return json.dumps(kept, ensure_ascii=False).encode("utf-8")


if __name__ == "__main__":
    address, requests, count, most, target = sys.argv[1:6]
    began = time.process_time()
    recorded: list[Any] = Path(requests).read_bytes().splitlines()
    if "--raw" not in sys.argv:
        recorded = [json.loads(body) for body in recorded]
    print(time.process_time() - began)
    asyncio.run(send(address, list(islice(cycle(recorded), int(count))), int(most), Path(target)))
