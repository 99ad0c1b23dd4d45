"""Pages taken apart in processes of their own: whatever a page does, the others are read."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalspec.runtime.sources.apart import Answer, Parts
from evalspec.runtime.sources.fetch import Bounds
from evalspec.runtime.sources.markup import MOST_TAGS, parsed_page
from evalspec.runtime.sources.readers import ReadBounds, ReadError, Readers, open_readers

BOUNDS = ReadBounds(seconds=2.0, at_once=1)
ENDLESS = "<html><body>" + "<p>The register is read out to the members.</p>" * 400_000
"""A page that takes many times as long as the bounds allow."""


def reading(bounds: ReadBounds, act: Callable[[Readers], Awaitable[Any]]) -> Any:
    async def go() -> Any:
        async with open_readers(bounds) as readers:
            return await act(readers)

    return asyncio.run(go())


def answer(body: str, path: str = "a") -> Answer:
    return Answer(body.encode(), f"https://bank.example/{path}", "text/html")


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="/proc, and a bound on memory, are Linux's")


def status(pid: int) -> list[str]:
    """State, parent and more of a process, as /proc tells it; nothing of one that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def children(pid: int) -> list[int]:
    found = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [child for child in found if status(child)[1:2] == [str(pid)]]


def runs(pid: int) -> bool:
    return status(pid)[:1] not in ([], ["Z"])


def test_a_page_is_taken_apart_as_it_is_in_this_process(article: Any) -> None:
    from evalspec.runtime.sources.apart import take_apart

    asked = answer(article("Registers of 5 % “or more”", links=("/b",), menu=("/m",)))
    found = reading(BOUNDS, lambda readers: readers.read(asked))
    assert found == take_apart(asked)
    assert (found.title, found.links.text) == ("Registers of 5 % “or more”", ("https://bank.example/b",))


def test_a_page_that_is_over_its_time_is_given_up_and_the_next_is_read(article: Any) -> None:
    async def both(readers: Readers) -> tuple[float, Parts]:
        began = time.monotonic()
        with pytest.raises(ReadError, match="it takes over 2 s to take apart"):
            await readers.read(answer(ENDLESS))
        return time.monotonic() - began, await readers.read(answer(article()))

    took, parts = reading(BOUNDS, both)
    assert (took < 10, parts.reason) == (True, None)


@LINUX
def test_a_page_that_is_over_its_memory_is_given_up_and_the_next_is_read(article: Any) -> None:
    async def both(readers: Readers) -> Parts:
        with pytest.raises(ReadError, match="with 40 MB of memory"):
            await readers.read(answer(ENDLESS))
        return await readers.read(answer(article()))

    assert reading(replace(BOUNDS, megabytes=40, seconds=20.0), both).reason is None


def test_others_are_read_while_a_page_takes_its_time(article: Any) -> None:
    async def both(readers: Readers) -> list[str]:
        done: list[str] = []

        async def one(name: str, body: str) -> None:
            try:
                await readers.read(answer(body, name))
            except ReadError:
                name = f"{name}, given up"
            done.append(name)

        await asyncio.gather(one("endless", ENDLESS), *(one(f"page {n}", article()) for n in range(3)))
        return done

    found = reading(replace(BOUNDS, at_once=2), both)
    assert found == ["page 0", "page 1", "page 2", "endless, given up"]


@LINUX
def test_no_process_outlives_the_block(article: Any) -> None:
    before = children(os.getpid())

    async def some(readers: Readers) -> int:
        await asyncio.gather(*(readers.read(answer(article())) for _ in range(4)))
        return len(set(children(os.getpid())) - set(before))

    assert reading(replace(BOUNDS, at_once=2), some) >= 1
    assert set(children(os.getpid())) <= set(before)


COMMAND = """
import asyncio
from evalspec.runtime.sources.apart import Answer
from evalspec.runtime.sources.readers import ReadBounds, open_readers

async def main():
    async with open_readers(ReadBounds(seconds=60)) as readers:
        await readers.read(Answer(b"<p>short</p>", "https://bank.example/", "text/html"))
        print("ready", flush=True)
        page = b"<p>The register is read out to the members.</p>" * 100_000
        await readers.read(Answer(page, "https://bank.example/", "text/html"))

asyncio.run(main())
"""


@LINUX
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_process_at_work_ends_with_the_command_that_is_killed(number: signal.Signals) -> None:
    command = subprocess.Popen([sys.executable, "-c", COMMAND], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert command.stdout is not None
    assert command.stdout.readline() == b"ready\n"
    time.sleep(0.3)
    (reader,) = children(command.pid)
    command.send_signal(number)
    command.communicate(timeout=10)
    until = time.monotonic() + 5
    while runs(reader) and time.monotonic() < until:
        time.sleep(0.05)
    assert not runs(reader)


def test_a_page_of_too_many_elements_is_not_taken_apart() -> None:
    with pytest.raises(ValueError, match="it has over 500000 elements"):
        parsed_page("<i>x" * (MOST_TAGS + 1))


def test_a_page_of_many_thousand_links_is_read_in_time() -> None:
    links = "".join(f"<a href=/q{n}>x</a><b>y</b>" for n in range(40_000))
    prose = "<p>The office keeps the register of the members and shows it to whoever asks for it at the door.</p>" * 9
    parts = reading(ReadBounds(), lambda readers: readers.read(answer(f"<body>{prose}{links}")))
    assert (len(parts.links.text), parts.links.text[0]) == (400, "https://bank.example/q0")


def test_a_page_that_is_given_up_is_named_and_the_other_pages_are_read(
    web: Any, article: Any, sources: Any, read: Any
) -> None:
    web.pages |= {"/endless": ENDLESS, "/a": article("A"), "/b": article("B")}
    config = sources("/endless", "/a", "/b")
    found = read(config, bounds=Bounds(), reading=replace(BOUNDS, at_once=2))
    assert (found.names, found.skipped) == (
        [f"{web.url}/a", f"{web.url}/b"],
        {f"{web.url}/endless": "it takes over 2 s to take apart"},
    )
    hits = len(web.hits)
    assert (read(config).skipped, len(web.hits)) == (found.skipped, hits)
