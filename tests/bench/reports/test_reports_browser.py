"""The page of a report in a headless Chromium: filters and keys work, and nothing that a model said runs."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from evalspec.bench.report import Gate, Report
from evalspec.bench.reports import render
from evalspec.bench.results import CheckResult, TargetResult, ToolCall

DRIVER = Path(__file__).resolve().parents[2] / "outputs/review/test_browser.py"
OWNED = "document.title = 'owned'"
HOSTILE = f'<script>{OWNED}</script></script><img src="http://127.0.0.1:9/x.png" onerror="{OWNED}"><!-- & "'


def _driver() -> ModuleType:
    """The driver of the review page's tests: the DevTools protocol over a pipe."""
    spec = importlib.util.spec_from_file_location("review_browser", DRIVER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BROWSER = _driver()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER.CHROMIUM is None, reason="no Chromium is installed"),
]


class Page:
    """A report's page, opened from a file."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self.browser, self.folder = browser, folder

    def open(self, page: str, fragment: str = "") -> None:
        path = self.folder / "report.html"
        path.write_text(page, encoding="utf-8")
        self.browser.open("about:blank#away")
        self.browser.open(f"{path.as_uri()}{fragment}")
        self.browser.until("document.getElementById('cases').hidden === false")

    def value(self, script: str) -> Any:
        return self.browser.value(script)

    def text(self, selector: str) -> Any:
        return self.value(f"document.querySelector({selector!r})?.textContent")

    def choose(self, name: str, value: str) -> None:
        self.value(
            f"{{ const select = document.getElementById({name!r}); select.value = {value!r};"
            "select.dispatchEvent(new Event('change')); }"
        )

    def click(self, selector: str) -> None:
        self.value(
            f"document.querySelector({selector!r}).dispatchEvent(new MouseEvent('click', "
            "{bubbles: true, cancelable: true}))"
        )

    @property
    def listed(self) -> list[str]:
        return list(self.value("[...document.querySelectorAll('#rows a')].map((link) => link.dataset.case)"))

    @property
    def shown(self) -> str:
        return str(self.text("main h2")).split(" ")[0]

    def faults(self) -> list[str]:
        self.value("1")
        said = [event["entry"]["text"] for event in self.browser.events("Log.entryAdded")]
        return said + [event["exceptionDetails"]["text"] for event in self.browser.events("Runtime.exceptionThrown")]

    def asked(self) -> list[str]:
        events = self.browser.events("Network.requestWillBeSent")
        return [url for url in (event["request"]["url"] for event in events) if not url.startswith(("file:", "about:"))]


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with BROWSER._browsing(tmp_path / "profile") as browser:
        yield Page(browser, tmp_path)


def test_cases_are_filtered_by_outcome_check_tag_severity_and_words(page: Page, support: Report) -> None:
    page.open(render(support, "html"))
    assert page.text("#matched") == "60 cases"
    page.choose("outcome", "error")
    assert page.listed == ["del-sa-31"]
    page.choose("outcome", "")
    page.choose("check", "tool_rule")
    assert page.listed == ["pri-ae-08"]
    page.choose("check", "")
    page.choose("tag", "plain")
    page.choose("severity", "major")
    wanted = {row.case_id for row in support.rows if "plain" in row.tags and row.severity == "major"}
    assert set(page.listed) == wanted
    assert len(wanted) == 10
    page.browser.press("x", "/", *"lookup_order was")
    page.browser.until("document.getElementById('matched').textContent === '1 of 60 cases'")
    assert page.listed == ["pri-ae-08"]
    assert page.text("main .reason mark") == "lookup_order was"
    assert page.faults() == []


def test_the_page_opens_on_the_first_case_that_failed_blocking_ones_before_others(
    page: Page, make: Any, one: Any
) -> None:
    wrong = [CheckResult(check="a", verdict="fail", reason="no")]
    right = [CheckResult(check="a", verdict="pass")]
    rows = [one("right", right), one("lost", error="no"), one("wrong", wrong), one("stopped", wrong, blocking=True)]
    for count, opened in ((1, "right"), (2, "lost"), (3, "wrong"), (4, "stopped")):
        page.open(render(make(rows[:count]), "html"))
        assert page.shown == opened
    page.choose("outcome", "failed")
    assert (page.listed, page.faults()) == (["wrong", "stopped"], [])
    page.open(render(make(rows), "html"), "#case=right")
    assert page.shown == "right"


def test_slices_filter_on_click_and_give_back_on_another(page: Page, support: Report) -> None:
    page.open(render(support, "html"))
    link = '.charts a[data-on="#slice=country%2Ftopic%3DAE%2Fprivacy"]'
    page.click(link)
    assert page.listed == ["pri-ae-08", "pri-ae-20", "pri-ae-32", "pri-ae-44", "pri-ae-56"]
    assert page.value(f"document.querySelector({link!r}).classList.contains('on')") is True
    page.click('.charts a[data-on="#slice=severity%3Dminor"]')
    assert page.text("#chips") == "country/topic: AE/privacy ×severity: minor ×show all"
    page.click(link)
    page.click('.charts a[data-on="#slice=severity%3Dminor"]')
    assert page.text("#matched") == "60 cases"


def test_a_report_is_read_by_keyboard(page: Page, support: Report) -> None:
    page.open(render(support, "html"))
    page.browser.press("j", "j")
    assert page.shown == "ret-pk-02"
    assert page.text(".runs [aria-pressed=true]") == "run 2"
    page.browser.press("r")
    assert page.text(".runs [aria-pressed=true]") == "run 3"
    page.browser.press("k")
    assert page.shown == "ret-gb-01"
    page.browser.press("f")
    assert page.listed[:3] == ["ret-pk-02", "ret-sa-03", "pri-ae-08"]
    assert page.shown == "ret-pk-02"
    page.browser.press("?")
    assert page.value("document.getElementById('help').open") is True


def test_an_address_shows_the_same_again_and_the_way_back_works(page: Page, support: Report) -> None:
    page.open(render(support, "html"), "#outcome=failed&case=pri-ae-44")
    assert page.shown == "pri-ae-44"
    assert page.value("document.getElementById('outcome').value") == "failed"
    page.choose("outcome", "undecided")
    assert page.shown == "pri-ae-20"
    page.value("history.back()")
    page.browser.until("document.querySelector('main h2').textContent.startsWith('pri-ae-44')")


def test_the_overview_leads_to_its_cases(page: Page, support: Report) -> None:
    page.open(render(support, "html"))
    page.click('.overview a[href="#check=key_points"]')
    assert page.value("document.getElementById('check').value") == "key_points"
    assert page.shown == page.listed[0]
    page.click('.overview a.id[href="#case=pri-sa-23"]')
    assert page.shown == "pri-sa-23"
    assert page.text("#matched") == "60 cases"


def test_turns_tools_output_and_a_judge_are_shown(page: Page, make: Any, one: Any) -> None:
    results = (
        TargetResult(text="First.", tool_calls=(ToolCall(name="get_price", args={"of": "A"}),), confidence="LOW"),
        TargetResult(output={"priority": "P1"}, abstained=True),
    )
    checks = [
        CheckResult(check="tool", turn=0, verdict="pass"),
        CheckResult(check="rubric", turn=1, verdict="fail", reason="It guesses.", score=1.0, judged=True),
        CheckResult(check="people", turn=1, verdict="unscored", reason="not rated yet"),
    ]
    row = one("talk", checks, results=results, inputs=("Hello?", {"ticket": "T"}), facts={"country": "PK"})
    page.open(render(make([row]), "html"))
    turns = page.value("[...document.querySelectorAll('.turn')].map((turn) => turn.innerText)")
    assert len(turns) == 2
    assert 'get_price({"of":"A"})' in turns[0]
    assert "confidence LOW" in turns[0]
    assert '"priority": "P1"' in turns[1]
    assert "judge: 1" in turns[1]
    assert "It guesses." in turns[1]
    assert page.value("[...document.querySelectorAll('.checks li')].map((line) => line.className)") == [
        "pass",
        "fail",
        "unscored",
    ]


def test_two_runs_stand_side_by_side(page: Page, worse: Report, support: Report) -> None:
    page.open(render(worse, "html", support))
    page.choose("change", "newly failing")
    assert page.listed == ["ret-gb-01", "ret-sa-27", "del-ae-40", "del-gb-53"]
    assert page.value("[...document.querySelectorAll('.side > h4.run')].map((head) => head.textContent)") == [
        "Base runpassed",
        "This runfailed",
    ]
    assert page.value("[...document.querySelectorAll('.answer')].map((text) => text.textContent.slice(0, 31))") == [
        "You can send it back within 1 d",
        "You can send it back within 4 d",
    ]


@pytest.mark.parametrize(
    "where", ["text", "output", "reason", "error", "case_id", "tags", "facts", "inputs", "set", "draft", "gate"]
)
def test_what_a_model_said_is_shown_and_does_not_run(page: Page, make: Any, one: Any, where: str) -> None:
    check = CheckResult(check="contains", verdict="fail", reason=HOSTILE if where == "reason" else "no")
    given: dict[str, Any] = {
        "text": {"results": (TargetResult(text=HOSTILE),)},
        "output": {"results": (TargetResult(output={HOSTILE: [HOSTILE]}),)},
        "error": {"error": HOSTILE},
        "tags": {"tags": (HOSTILE,)},
        "facts": {"facts": {HOSTILE: HOSTILE}},
        "inputs": {"inputs": (HOSTILE, {HOSTILE: HOSTILE})},
    }.get(where, {})
    row = one(HOSTILE if where == "case_id" else "a", [] if where == "error" else [check], **given)
    gate = Gate(verdict="red", reasons=(HOSTILE if where == "gate" else "no",), ci=False)
    drafted = (HOSTILE if where == "draft" else "no",)
    report = make([row], set=HOSTILE if where == "set" else "plain", draft=drafted, gate=gate)
    page.open(render(report, "html"))
    assert page.value("document.body.innerText.includes(\"document.title = 'owned'</script></script><img\")") is True
    assert page.value("document.scripts.length") == 2
    assert page.value("document.images.length") == 0
    assert page.value("document.title").endswith(": red · bench")
    assert page.asked() == []
    assert page.faults() == []


@pytest.mark.parametrize("width", [400, 900, 1600])
def test_nothing_is_wider_than_the_window(
    page: Page, worse: Report, support: Report, contract: Report, width: int
) -> None:
    page.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    for html in (render(worse, "html", support), render(contract, "html")):
        page.open(html)
        assert page.value("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_five_thousand_cases_are_quick(page: Page, many: Any) -> None:
    page.open(render(many(5000), "html"))
    assert page.text("#matched") == "5,000 cases"
    assert len(page.listed) == 100
    taken = page.value(
        "(() => { const begun = performance.now(); const s = document.getElementById('outcome');"
        "s.value = 'failed'; s.dispatchEvent(new Event('change')); return performance.now() - begun; })()"
    )
    assert page.text("#matched") == "179 of 5,000 cases"
    assert taken < 1000
    assert page.text("#pager .faint") == "1 of 2"
    page.click("#pager button:last-child")
    assert page.text("#pager .faint") == "2 of 2"
    assert len(page.listed) == 79


def test_it_is_dark_where_the_reader_likes_it_dark(page: Page, support: Report) -> None:
    page.open(render(support, "html"))
    colors = []
    for scheme in ("light", "dark"):
        page.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        colors.append(page.value("getComputedStyle(document.body).backgroundColor"))
    assert colors == ["rgb(255, 255, 255)", "rgb(21, 25, 30)"]
