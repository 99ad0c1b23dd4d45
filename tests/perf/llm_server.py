"""An LLM of the benchmarks' own on loopback: any reply that fits the request's schema, after a fixed latency.

    python llm_server.py --latency 0.05 [--record requests.jsonl] [--p429 0.1] [--pmalformed 0.05]

It prints its port. Excerpts are verbatim from the request's source text, answers from the excerpt. With `--record` it
writes every request's body, a line each, so that they can be sent again. Which tries of a request are refused or get a
reply that is cut off follows from the request and the number of the try, so that every run meets the same. GET /stats
counts: `repaid` are requests that were answered well before, `gone` those whose client was gone before the reply.
"""

import argparse
import asyncio
import json
import random
import re
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

_SOURCE = re.compile(r"\n(=====SOURCE\d{8}=====)\n+(.*?)\n+\1\n", re.DOTALL)
_ROLE = re.compile(r"(\w+) \([^()]*\b(excerpt|answer)\b[^()]*\)")
_EXCERPT_CHARS = 300
_WORDS = 24


class Writer:
    """Fills one request's schema with text made of its source's words, drawn from the request."""

    def __init__(self, prompt: str) -> None:
        source = _SOURCE.search(prompt)
        self.text = source[2] if source else prompt
        self.words = [word.strip(".,;:()") for word in self.text.split()] or ["text"]
        self.roles = dict(_ROLE.findall(prompt, prompt.rfind("The reply is ", 0, source.start() if source else None)))
        self.draws = random.Random(zlib.crc32(prompt.encode()))
        start = self.text.find(" ", self.draws.randrange(max(1, len(self.text) - _EXCERPT_CHARS))) + 1
        self.excerpt = self.text[start : start + _EXCERPT_CHARS].split("\n")[0].rpartition(" ")[0] or self.text[:40]
        self.altering = "true_excerpt" in prompt

    def value(self, schema: dict[str, Any], name: str = "") -> Any:
        """A value that the schema takes."""
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.draws.choice(schema["enum"])
        if "anyOf" in schema:
            return self.value(schema["anyOf"][0], name)
        kinds = schema.get("type", "string")
        makers: dict[str, Callable[[dict[str, Any], str], Any]] = {
            "object": lambda s, _: {key: self.value(part, key) for key, part in s["properties"].items()},
            "array": lambda s, n: [self.value(s["items"], n) for _ in range(max(s.get("minItems", 1), 0))],
            "string": self.string,
            "boolean": lambda *_: self.draws.random() < 0.5,
            "null": lambda *_: None,
        }
        return makers.get(kinds[0] if isinstance(kinds, list) else kinds, self.number)(schema, name)

    def number(self, schema: dict[str, Any], _: str) -> int:
        """The least number that the schema takes, or 1."""
        return int(schema.get("minimum", min(1, schema.get("maximum", 1))))

    def string(self, schema: dict[str, Any], name: str) -> str:
        """An excerpt, an answer from it, or words in a drawn order."""
        most = schema.get("maxLength", 400)
        role = self.roles.get(name) or next((r for r in ("excerpt", "answer") if r in name), "")
        if role == "excerpt":
            changed = self.altering and name != "true_excerpt"
            return (self.excerpt.replace(" ", " not ", 1) if changed else self.excerpt)[:most]
        if role == "answer":
            return " ".join(self.excerpt.split()[2:6])[:most]
        out = " ".join(self.draws.choices(self.words, k=_WORDS))
        while len(out) < schema.get("minLength", 0):
            out += " " + self.draws.choice(self.words)
        return f"{out}?"[:most]


@dataclass(slots=True)
class Faults:
    """How often a try is refused for its rate, or gets a reply that is cut off; and what each request met so far."""

    p429: float = 0.0
    pmalformed: float = 0.0
    tries: Counter[int] = field(default_factory=Counter)
    answered: set[int] = field(default_factory=set)

    def of(self, body: bytes) -> str:
        """What this try meets: `429`, `malformed`, or nothing."""
        mark = zlib.crc32(body)
        self.tries[mark] += 1
        at = random.Random(mark * 31 + self.tries[mark]).random()
        return "429" if at < self.p429 else "malformed" if at < self.p429 + self.pmalformed else ""

    def repaid(self, body: bytes) -> bool:
        """Whether a request was answered well before; it is now."""
        mark = zlib.crc32(body)
        again = mark in self.answered
        self.answered.add(mark)
        return again


def application(latency: float, record: Path | None, faults: Faults) -> web.Application:
    """The server; it answers POST /v1/chat/completions and GET /stats."""
    lines = record.open("wb") if record else None
    counts = {"requests": 0, "open": 0, "most_open": 0, "refused": 0, "malformed": 0, "ok": 0, "repaid": 0, "gone": 0}

    async def chat(request: web.Request) -> web.Response:
        body = await request.read()
        counts["requests"] += 1
        met = faults.of(body)
        if met == "429":
            counts["refused"] += 1
            return web.json_response({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "1"})
        counts["open"] += 1
        counts["most_open"] = max(counts["most_open"], counts["open"])
        if lines is not None:
            lines.write(body.replace(b"\n", b" ") + b"\n")
            lines.flush()
        asked = json.loads(body)
        schema = asked["response_format"]["json_schema"]["schema"]
        content = json.dumps(Writer(asked["messages"][-1]["content"]).value(schema))
        if met == "malformed":
            counts["malformed"] += 1
            content = content[: len(content) // 2]
        try:
            await asyncio.sleep(latency)
        finally:
            counts["open"] -= 1
        if request.transport is None or request.transport.is_closing():
            counts["gone"] += 1
            return web.Response()
        if not met:
            counts["ok"] += 1
            counts["repaid"] += faults.repaid(body)
        usage = {"prompt_tokens": len(body) // 4, "completion_tokens": len(content) // 4}
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        return web.json_response({"id": "1", "model": asked["model"], "choices": [choice], "usage": usage})

    async def stats(_: web.Request) -> web.Response:
        return web.json_response(counts)

    app = web.Application(client_max_size=1 << 24)
    app.add_routes([web.post("/v1/chat/completions", chat), web.get("/stats", stats)])
    return app


async def serve(latency: float, record: Path | None, faults: Faults) -> None:
    """Serve on a free port of the loopback until the process is ended."""
    runner = web.AppRunner(application(latency, record, faults), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--record", type=Path, default=None)
    parser.add_argument("--p429", type=float, default=0.0)
    parser.add_argument("--pmalformed", type=float, default=0.0)
    options = parser.parse_args()
    asyncio.run(serve(options.latency, options.record, Faults(options.p429, options.pmalformed)))
