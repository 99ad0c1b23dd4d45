"""The least that a fill can take: aiohttp sends the recorded requests, some in flight, and each reply is a line.

python floor.py http://127.0.0.1:8000/v1 requests.jsonl COUNT IN_FLIGHT replies.jsonl
"""

import asyncio
import sys
from itertools import cycle, islice
from pathlib import Path

import aiohttp


async def send(url: str, bodies: list[bytes], in_flight: int, out: Path) -> None:
    """POST every body, in order, and write every reply as it comes."""
    left = iter(bodies)
    headers = {"Content-Type": "application/json"}
    with out.open("wb") as file:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=in_flight)) as session:

            async def worker() -> None:
                for body in left:
                    async with session.post(f"{url}/chat/completions", data=body, headers=headers) as reply:
                        reply.raise_for_status()
                        file.write(await reply.read() + b"\n")

            await asyncio.gather(*(worker() for _ in range(in_flight)))


if __name__ == "__main__":
    address, requests, count, most, target = sys.argv[1:]
    recorded = Path(requests).read_bytes().splitlines()
    asyncio.run(send(address, list(islice(cycle(recorded), int(count))), int(most), Path(target)))
