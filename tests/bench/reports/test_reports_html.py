"""The page of a report: self-contained, escaped, and saying what the report says."""

import json
import re
import time
from typing import Any

import pytest

from evalspec.bench.report import Gate, Interval, MetricScore, Report
from evalspec.bench.reports import charts, render
from evalspec.bench.reports.html import embedded
from evalspec.bench.results import CheckResult, TargetResult


def _data(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_page_holds_all_that_it_needs_and_allows_no_more(contract: Report) -> None:
    page = render(contract, "html")
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    assert policy is not None
    assert policy[1].startswith("default-src &#39;none&#39;; style-src &#39;sha256-")
    assert "unsafe" not in policy[1]
    assert not re.search(r"(?:src|href)=[\"'](?!#|data:,)", page)
    assert not re.search(r"\son[a-z]+=|\sstyle=", page.split('<script type="application/json"')[0])


def test_the_gate_its_reasons_and_the_bars_stand_in_the_page(contract: Report) -> None:
    page = render(contract, "html")
    assert "<title>isp_triage: red · bench</title>" in page
    assert "rationale_names_gap is 0.75, under its bar of 0.90" in page
    assert "not separated from the bar" in page
    assert page.count('<svg class="metric') == 4


def test_a_draft_says_so_loudly_and_a_result_does_not(make: Any, one: Any, contract: Report) -> None:
    drafted = make([one("a")], draft=("no bar is signed",), gate=Gate(verdict="draft", reasons=(), ci=False))
    page = render(drafted, "html")
    assert '<aside class="draft" role="note"><strong>Draft: not a result.</strong>' in page
    assert "no bar is signed" in page
    assert "Draft: not a result" not in render(contract, "html")


@pytest.mark.parametrize(
    "hostile", ["</script><script>x()</script>", "<!--<script>", "\u2028", "&amp;", "\ud800", "]]>"]
)
def test_nothing_in_the_data_ends_its_element(hostile: str, make: Any, one: Any) -> None:
    check = CheckResult(check=hostile, verdict="fail", reason=hostile)
    row = one(hostile, [check], results=(TargetResult(text=hostile, output={hostile: hostile}),), tags=(hostile,))
    report = make([row], set=hostile, model=hostile, extra={"a": hostile})
    page = render(report.model_copy(update={"gate": Gate(verdict="red", reasons=(hostile,), ci=False)}), "html")
    assert page.encode("utf-8").count(b"<script") == 2
    case = _data(page)["cases"][0]
    assert case["id"] == hostile
    assert case["trials"][0]["results"][0]["output"] == {hostile: hostile}


def test_data_is_the_same_after_it_was_embedded() -> None:
    data = {"a": ["</script>", "<", "\u2029", "é", "নমস্কার", 1.5, None, True]}
    assert json.loads(embedded(data)) == data
    assert "<" not in embedded(data)


def test_a_case_stands_once_with_its_trials_and_its_slices(support: Report) -> None:
    data = _data(render(support, "html"))
    case = data["cases"][8]
    assert (case["id"], case["came"], case["blocking"]) == ("pri-ae-08", "failed", True)
    assert [trial["run"] for trial in case["trials"]] == [1, 2, 3]
    assert sorted(data["slices"][number] for number in case["slices"]) == [
        ["country/topic", "AE/privacy"],
        ["severity", "minor"],
        ["tag", "plain"],
    ]
    assert case["trials"][0]["checks"][3] == ["tool_rule", 0, 0, "lookup_order was called", None, None, False]


def test_every_slice_holds_as_many_cases_as_its_rate_counts(support: Report, contract: Report) -> None:
    for report in (support, contract):
        data = _data(render(report, "html"))
        for at, (axis, value) in enumerate(data["slices"]):
            members = sum(at in case["slices"] for case in data["cases"])
            assert members == report.summary.by_slice[axis][value].attempted


def test_two_runs_are_compared_case_by_case(worse: Report, support: Report) -> None:
    page = render(worse, "html", support)
    changed = {case["id"]: case["change"] for case in _data(page)["cases"] if case["change"] != "the same"}
    assert set(changed.values()) == {"newly failing"}
    assert list(changed) == ["ret-gb-01", "ret-sa-27", "del-ae-40", "del-gb-53"]
    assert "<b>4</b> newly failing" in page
    assert '<tr><th scope="row">prompt</th><td>v13</td><td>v14</td></tr>' in page


def test_cases_that_changed_or_are_in_one_run_only_are_not_compared(make: Any, one: Any) -> None:
    fails = [CheckResult(check="contains", verdict="fail", reason="no")]
    base = make([one("same"), one("gone"), one("edited"), one("healed", fails)])
    now = make([one("same"), one("new"), one("edited", fails), one("healed")])
    digests = {"same": base.case_digests["same"], "new": "n", "edited": "e", "healed": base.case_digests["healed"]}
    page = render(now.model_copy(update={"case_digests": digests}), "html", base)
    assert {case["id"]: case["change"] for case in _data(page)["cases"]} == {
        "same": "the same",
        "new": "only here",
        "edited": "case changed",
        "healed": "newly passing",
    }
    assert "<b>1</b> only in the base run" in page


def test_a_text_that_is_very_long_is_cut_and_says_so(make: Any, one: Any) -> None:
    page = render(make([one("a", results=(TargetResult(text="x" * 50_000),))]), "html")
    text = _data(page)["cases"][0]["trials"][0]["results"][0]["text"]
    assert text.endswith("x… (30,000 characters more in the JSON report)")


def test_a_report_of_nothing_is_a_page(make: Any) -> None:
    assert _data(render(make([]), "html"))["cases"] == []


def test_five_thousand_cases_are_written_in_seconds(many: Any) -> None:
    report = many(5000)
    begun = time.perf_counter()
    page = render(report, "html")
    assert time.perf_counter() - begun < 10
    assert len(page) < 5_000_000


@pytest.mark.parametrize(
    ("value", "interval", "bar", "expected"),
    [
        (0.964, (0.944, 0.977), 0.95, (0.9, 1.0)),
        (0.0, (0.0, 0.0076), 0.0, (0.0, 0.01)),
        (0.5, (0.1, 0.9), 0.95, (0.0, 1.0)),
        (1.0, None, 1.0, (0.99, 1.0)),
        (None, None, 0.8, (0.0, 1.0)),
    ],
)
def test_a_metric_is_drawn_on_the_narrowest_round_scale(value: Any, interval: Any, bar: float, expected: Any) -> None:
    between = Interval(low=interval[0], high=interval[1], method="wilson") if interval else None
    score = MetricScore(value=value, interval=between, bar=bar, attempted=1, scored=1, unscored=0, errored=0)
    assert charts.scale(score) == pytest.approx(expected)


def test_latencies_fall_into_bins_that_hold_all_of_them() -> None:
    chart = str(charts.latencies([10, 20, 990, 1000], {"p95": 1000.0, "limit": None}))
    counts = [int(found) for found in re.findall(r": (\d+)</title>", chart)]
    assert sum(counts) == 4
    assert "p95 1.00 s" in chart
    assert "limit" not in chart


def test_what_a_judge_says_of_itself_is_shown_value_by_value(contract: Report) -> None:
    judge = {"judges": [{"provider": "custom", "model": "m-1", "limits": {}}], "votes": 3, "digest": "f" * 64}
    page = render(contract.model_copy(update={"judge": judge}), "html")
    told = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page[page.index("How it was run") :]))
    assert "judge provider custom judge model m-1 judge votes 3 judge digest ffffffffffffffff " in told
