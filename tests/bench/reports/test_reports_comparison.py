"""Comparisons as JSON, Markdown and a page."""

import json
import re
from typing import Any

import pytest

from evalspec.bench.comparing import CompareOptions, compare
from evalspec.bench.comparison import Bounds, Change, Comparison, Difference, LeftOut, PairedTest, Side
from evalspec.bench.report import Report
from evalspec.bench.reports import charts, render_comparison, words
from evalspec.bench.results import CheckResult


def _change(base: float, candidate: float, cases: int, low: float, high: float) -> Change:
    bounds = Bounds(low=low, high=high, method="bootstrap")
    return Change(cases=cases, base=base, candidate=candidate, difference=candidate - base, interval=bounds)


def _side(report: Report) -> Side:
    return Side(
        set=report.set,
        module=report.module,
        model=report.model,
        prompt_version=report.prompt_version,
        at=report.at,
        runs=1,
        gate=report.gate.verdict,
        passed=report.summary.passed,
        p95_latency_ms=report.latency_p95_ms,
        mean_tokens=report.summary.mean_tokens,
        validator_rejections=0,
    )


@pytest.fixture(scope="module")
def compared(support: Report, worse: Report) -> Comparison:
    """A comparison by hand, whose figures are nobody's."""
    return Comparison(
        base=_side(support),
        candidate=_side(worse),
        allowed=(Difference(what="judge_prompt", base={"prompt": "ab12"}, candidate={"prompt": "cd34"}),),
        notes=("the base is a draft",),
        cases=58,
        left_out=LeftOut(
            only_base=(), only_candidate=("new-01",), changed=(), unscored_base=("pri-ae-20",), unscored_candidate=()
        ),
        overall=_change(0.84, 0.77, 58, -0.14, -0.01),
        mcnemar=PairedTest(worse=4, better=0, p=0.125),
        margin=0.02,
        verdict="undecided",
        reason="the difference lies on both sides of the margin",
        smallest_detectable=0.092,
        by_check={"key_points": _change(0.85, 0.78, 58, -0.14, -0.01), "no_pii": _change(1.0, 1.0, 58, -0.06, 0.06)},
        by_metric={"injections": _change(0.0, 0.05, 20, 0.0, 0.15).model_copy(update={"direction": "at_most"})},
        by_slice={
            "set": {"support": _change(0.84, 0.77, 58, -0.14, -0.01)},
            "country": {"AE": _change(0.8, 0.85, 14, -0.1, 0.2), "GB": _change(0.9, 0.7, 15, -0.4, 0.0)},
            "severity": {"critical": _change(0.8, 0.8, 20, -0.1, 0.1)},
        },
        newly_failing=("ret-gb-01", "ret-sa-27", "del-ae-40", "del-gb-53"),
        newly_passing=(),
        newly_failing_blocking=("ret-sa-27",),
        seed=42,
        resamples=500,
    )


def test_json_is_the_comparison(compared: Comparison) -> None:
    assert Comparison.model_validate_json(render_comparison(compared, "json")) == compared


def test_markdown_as_it_is_read(compared: Comparison, snapshot: Any) -> None:
    assert render_comparison(compared, "md") == snapshot


def test_a_page_alone_has_the_verdict_and_no_script(compared: Comparison) -> None:
    page = render_comparison(compared, "html")
    assert f"<title>support: {compared.verdict} · bench</title>" in page
    assert compared.reason in page
    assert "<script" not in page
    assert "script-src" not in page
    names = re.findall(r'<p class="name"><b>([^<]*)</b></p>', page)
    assert names == [
        "all cases",
        "metric injections (lower is better)",
        "check key_points",
        "check no_pii",
        "country GB",
        "country AE",
    ]


def test_a_page_with_both_reports_has_their_cases_too(compared: Comparison, support: Report, worse: Report) -> None:
    page = render_comparison(compared, "html", (support, worse))
    data = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    cases = json.loads(data[1])["cases"]
    turned = tuple(case["id"] for case in cases if case["change"] == "newly failing")
    assert turned == compared.newly_failing
    assert "Candidate against base" in page


def test_cases_with_runs_turn_on_the_page_as_they_do_in_the_comparison(make: Any, one: Any) -> None:
    fails = [CheckResult(check="contains", verdict="fail", reason="no")]

    def runs(name: str, failed: int) -> list[Any]:
        return [one(name, fails if epoch <= failed else [], epoch=epoch) for epoch in (1, 2, 3)]

    base = make([*runs("a", 0), *runs("b", 1), *runs("c", 3), *runs("d", 1)])
    now = make([*runs("a", 2), *runs("b", 2), *runs("c", 1), *runs("d", 0)])
    found = compare(base, now, CompareOptions(resamples=200))
    assert isinstance(found, Comparison)
    page = render_comparison(found, "html", (base, now))
    changes = dict(re.findall(r'"id":"(\w)".*?"change":"([a-z ]+)"', page))
    assert (
        {name for name, change in changes.items() if change == "newly failing"}
        == set(found.newly_failing)
        == {"a", "b"}
    )
    assert {name for name, change in changes.items() if change == "newly passing"} == set(found.newly_passing) == {"c"}


@pytest.mark.parametrize("hostile", ["<script>x()</script>", "a | b", "`x`\n# y"])
def test_a_case_of_any_name_is_shown_as_text(hostile: str, compared: Comparison) -> None:
    odd = compared.model_copy(update={"newly_failing": (hostile,), "notes": (hostile,), "reason": hostile})
    assert "<script>x" not in render_comparison(odd, "html")
    assert "<script" not in render_comparison(odd, "md")
    assert "\n# y" not in render_comparison(odd, "md")


@pytest.mark.parametrize(
    ("value", "said"), [(0.0123, "+1.2"), (-0.068, "-6.8"), (0.0, "0"), (0.0001, "+0.01"), (None, "–")]
)
def test_a_difference_is_written_in_points(value: float | None, said: str) -> None:
    assert words.points(value) == said


def test_one_width_holds_all_differences() -> None:
    wide = Change(
        cases=9, base=0.5, candidate=0.4, difference=-0.1, interval=Bounds(low=-0.3, high=0.05, method="bootstrap")
    )
    none = Change(cases=0, base=None, candidate=None, difference=None)
    assert charts.widest([wide, none], margin=0.02) == 0.5
    assert charts.widest([none]) == 0.01
    assert str(charts.difference("x", none, 0.5)) == ""


@pytest.mark.parametrize(
    ("direction", "moved", "side"),
    [
        ("at_least", -0.1, "missed"),
        ("at_least", 0.1, "met"),
        ("at_most", -0.1, "met"),
        ("at_most", 0.1, "missed"),
        ("at_most", 0.0, "none"),
    ],
)
def test_the_color_of_a_difference_says_whether_it_is_for_the_better(direction: Any, moved: float, side: str) -> None:
    change = Change(cases=9, base=0.5, candidate=0.5 + moved, difference=moved, direction=direction)
    assert f'class="metric difference {side}"' in str(charts.difference("x", change, 0.5))
