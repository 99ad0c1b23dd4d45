"""The pages in a headless Chromium: keys work, charts filter, and a prompt with a script in it runs nothing."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evalspec.outputs.records import to_table
from evalspec.outputs.review import decisions
from evalspec.outputs.writers import parquet
from evalspec.spec.plan import Plan

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]


class Browser:
    """Speaks the DevTools protocol over the browser's pipe: JSON messages with a NUL after each."""

    def __init__(self, into: int, out: int) -> None:
        self._into, self._out = into, os.fdopen(out, "rb", buffering=0)
        self._held, self._number, self._session = b"", 0, ""
        self.said: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._into, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self.said.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._held:
            read = self._out.read(65536)
            assert read, "the browser ended"
            self._held += read
        row, _, self._held = self._held.partition(b"\0")
        return dict(json.loads(row))

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def value(self, script: str) -> Any:
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def until(self, script: str) -> None:
        """Wait for a script to be true; a page that is being left says nothing for a moment."""
        end = time.monotonic() + 20
        while self.value(script) is not True:
            assert time.monotonic() < end, f"never: {script}"
            time.sleep(0.03)

    def press(self, *keys: str) -> None:
        for key in keys:
            text = {"text": key} if len(key) == 1 else {}
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def on(self, group: str) -> None:
        """Wait until a group is shown."""
        self.until(f"document.readyState === 'complete' && document.title.startsWith({json.dumps(group + ' ')})")

    def events(self, method: str) -> list[dict[str, Any]]:
        return [message["params"] for message in self.said if message.get("method") == method]


@contextmanager
def _browsing(profile: Path) -> Iterator[Browser]:
    assert CHROMIUM is not None
    theirs_in, ours_in = os.pipe()
    ours_out, theirs_out = os.pipe()
    # the browser reads from descriptor 3 and writes to 4
    script = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
    command = ["/bin/bash", "-c", script, "browser", CHROMIUM, *FLAGS, f"--user-data-dir={profile}"]
    process = subprocess.Popen(command, pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL)
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        yield Browser(ours_in, ours_out)
    finally:
        process.terminate()
        process.wait(timeout=20)
        os.close(ours_in)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    with _browsing(tmp_path / "profile") as open_one:
        yield open_one


def test_a_release_is_reviewed_by_keyboard(browser: Browser, reviewer: Any, plan: Plan) -> None:
    groups = [group.group_id for group in plan.groups]
    browser.open(reviewer.server.address)
    browser.on(groups[0])
    browser.press("j")
    browser.on(groups[1])
    browser.press("k")
    browser.on(groups[0])
    browser.press("a")
    browser.on(groups[1])
    browser.press("r")
    browser.on(groups[2])
    browser.press("n", *"see")
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", modifiers=2)
    browser.until(
        "document.readyState === 'complete' && document.querySelector('main .badge')?.textContent === 'noted'"
    )
    browser.press("?")
    browser.until("document.getElementById('help').open")
    written = decisions.read(reviewer.folder)
    assert {group: (item.verdict, item.note) for group, item in written.items()} == {
        groups[0]: ("accepted", ""),
        groups[1]: ("rejected", ""),
        groups[2]: ("noted", "see"),
    }


def test_charts_filter_on_click_and_search_finds(browser: Browser, reviewer: Any) -> None:
    browser.open(reviewer.server.address)
    browser.value(
        "document.querySelector('.bars a[href=\"/?difficulty=hard\"]')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))"
    )
    browser.until("location.search === '?difficulty=hard' && document.readyState === 'complete'")
    assert browser.value("document.querySelector('.bars a.on .count').textContent") == "120"
    browser.press("/", *"mortgage")
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", text="\r")
    browser.until("location.search.includes('q=mortgage') && document.readyState === 'complete'")
    assert "difficulty=hard" in browser.value("location.search")
    assert browser.value("document.querySelectorAll('main mark').length") > 0


@pytest.mark.parametrize("width", [390, 1600])
def test_nothing_is_wider_than_the_window(browser: Browser, reviewer: Any, plan: Plan, width: int) -> None:
    group = max(plan.groups, key=lambda group: len(group.slots)).group_id
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    browser.open(f"{reviewer.server.address}?group={group}")
    assert browser.value("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_three_linked_records_stand_in_one_row(browser: Browser, reviewer: Any, plan: Plan) -> None:
    group = next(group for group in plan.groups if len(group.slots) == 3).group_id
    browser.call("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)
    browser.open(f"{reviewer.server.address}?group={group}")
    tops = "new Set([...document.querySelectorAll('main article')].map((box) => box.getBoundingClientRect().top))"
    assert browser.value(f"{tops}.size") == 1


def test_a_very_long_prompt_scrolls_in_a_box_that_keys_reach(
    browser: Browser, folder: Path, plan: Plan, serve: Any
) -> None:
    path = folder / "data/final" / parquet.NAME
    text = "A long prompt. " * 3000 + "x" * 3000 + " needle"
    parquet.write(path.parent, to_table([{**row, "prompt": text} for row in parquet.read(path).to_pylist()]))
    with serve(folder, plan) as reviewer:
        browser.open(f"{reviewer.server.address}?q=needle")
        browser.value("window.box = document.querySelector('.prompt'); box.focus()")
        assert browser.value("box.scrollHeight > 3 * innerHeight && box.clientHeight < innerHeight") is True
        assert browser.value("document.activeElement === box") is True
        assert browser.value("box.scrollTop > 0") is True  # what was searched for is in view
        assert browser.value("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
        browser.press("a")
        assert browser.value("document.querySelector('form.verdict button').disabled") is True
    assert not (folder / decisions.NAME).exists()


def test_a_script_in_a_prompt_is_shown_and_does_not_run(browser: Browser, folder: Path, plan: Plan, serve: Any) -> None:
    hostile = '<script>document.title = "owned"</script><img src="http://127.0.0.1:9/x.png" onerror="document.title=1">'
    path = folder / "data/final" / parquet.NAME
    parquet.write(path.parent, to_table([{**row, "prompt": hostile} for row in parquet.read(path).to_pylist()]))
    with serve(folder, plan) as reviewer:
        browser.open(reviewer.server.address)
        assert browser.value("document.querySelector('.prompt').textContent") == hostile
        assert browser.value("document.title").startswith(plan.groups[0].group_id)
        assert browser.value("document.scripts.length") == 1
        asked = {event["request"]["url"] for event in browser.events("Network.requestWillBeSent")}
    assert [url for url in asked if not url.startswith((reviewer.server.address, "about:"))] == []


def test_the_pages_keep_to_their_own_policy(browser: Browser, reviewer: Any) -> None:
    browser.open(reviewer.server.address)
    browser.value("1")
    entries = [event["entry"]["text"] for event in browser.events("Log.entryAdded")]
    assert [text for text in entries if "favicon" not in text and "404" not in text] == []
