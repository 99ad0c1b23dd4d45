"""JSON reports: the keys of the two documents as plain numbers, and a document that reads back as it was."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalspec.bench.report import Report
from evalspec.bench.reports import ReportError, read_report, render, write
from evalspec.bench.reports.json import parsed
from evalspec.bench.results import CheckResult, TargetResult, ToolCall


def test_the_head_has_the_keys_of_a_benchmark_report_in_their_order(contract: Report) -> None:
    document = json.loads(render(contract, "json"))
    head = [
        "set",
        "module",
        "model",
        "prompt_version",
        "size",
        "metrics",
        "latency_p95_ms",
        "validator_rejections",
        "tags",
    ]
    assert list(document)[:9] == head
    metric = document["metrics"]["category_agreement"]
    assert list(metric.items())[:3] == [("value", 0.964), ("bar", 0.95), ("pass", True)]
    assert document["size"] == 500
    assert document["tags"] == contract.tags


def test_pass_is_a_boolean_and_null_where_it_is_undecided(contract: Report) -> None:
    metrics = json.loads(render(contract, "json"))["metrics"]
    assert {name: score["pass"] for name, score in metrics.items()} == {
        "category_agreement": True,
        "p1_over_prioritisation": True,
        "rationale_names_gap": False,
        "answer_correctness": None,
    }


def test_the_summary_has_the_keys_of_a_harness_as_plain_numbers(support: Report) -> None:
    summary = json.loads(render(support, "json"))["summary"]
    assert list(summary)[:8] == [
        "n",
        "pass_rate",
        "by_check",
        "by_slice",
        "blocking_failures",
        "errors",
        "p95_latency_ms",
        "mean_tokens",
    ]
    assert summary["n"] == 60
    assert summary["pass_rate"] == support.summary.passed.value
    assert summary["by_check"] == {name: rate.value for name, rate in support.summary.by_check.items()}
    assert summary["by_slice"]["AE/returns"] == support.summary.by_slice["country/topic"]["AE/returns"].value
    assert summary["by_check_detail"]["key_points"]["interval"]["method"] == "wilson"
    assert "severity" in summary["by_slice_detail"]


def test_what_was_run_and_where_a_case_is_from_stand_as_a_harness_has_them(support: Report) -> None:
    document = json.loads(render(support, "json"))
    assert document["config"] == {"model": support.model, "prompt": support.prompt_version, "dataset": support.set}
    rows = [(row["id"], row["country"], row["topic"]) for row in document["rows"]]
    assert rows == [(row.case_id, row.facts["country"], row.facts["topic"]) for row in support.rows]


def test_a_row_says_whether_it_passed_and_each_check_by_name(make: Any, one: Any) -> None:
    def check(verdict: Any, turn: int, name: str = "contains") -> CheckResult:
        return CheckResult(check=name, turn=turn, verdict=verdict)

    rows = [
        one("held", [check("pass", 0), check("pass", 1)]),
        one("fell", [check("fail", 0), check("pass", 1), check("unscored", 1, "judge")]),
        one("open", [check("unscored", 0), check("pass", 1)]),
        one("broke", error="timed out"),
    ]
    document = json.loads(render(make(rows), "json"))
    assert [(row["id"], row["passed"], row["checks"]) for row in document["rows"]] == [
        ("held", True, {"contains": True}),
        ("fell", False, {"contains": False, "judge": None}),
        ("open", None, {"contains": None}),
        ("broke", False, {}),
    ]


def test_each_row_stands_on_a_line_of_its_own(support: Report) -> None:
    text = render(support, "json")
    assert sum(line.startswith("    {") for line in text.splitlines()) == len(support.rows)
    assert text.endswith("]\n}\n")


@pytest.mark.parametrize("name", ["support", "worse", "contract"])
def test_a_report_reads_back_as_it_was(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    report = request.getfixturevalue(name)
    write(report, "json", tmp_path / "results/a.json")
    assert read_report(tmp_path / "results/a.json") == report
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["a.json"]


def test_every_key_of_the_document_is_explained(contract: Report, support: Report) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs/reports.md").read_text(encoding="utf-8")
    known = set(re.findall(r"`([a-z0-9_]+)`", page))
    for report in (contract, support):
        document = json.loads(render(report, "json"))
        spread = document["spread"] or {}
        metrics = document["metrics"].values()
        parts = [document, document["summary"], document["settings"], document["gate"], spread, *metrics]
        parts += [document["rows"][0], *(metric["interval"] or {} for metric in metrics)]
        parts += [{k: v for k, v in check.items() if k != "check"} for check in document["rows"][0]["check_results"]]
        missing = {key for part in parts for key in part} - known
        assert missing == set()


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)
_RESULT = st.builds(
    TargetResult,
    text=_TEXT,
    output=_JSON,
    tool_calls=st.none() | st.lists(st.builds(ToolCall, name=_TEXT, args=st.dictionaries(_TEXT, _JSON))).map(tuple),
    latency_ms=st.none() | st.floats(0, 1e7),
    abstained=st.none() | st.booleans(),
)
_CHECK = st.builds(
    CheckResult,
    check=_TEXT,
    turn=st.integers(0, 3),
    verdict=st.sampled_from(["pass", "fail", "unscored"]),
    reason=_TEXT,
    score=st.none() | st.floats(-10, 10),
)


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_whatever_a_row_holds_reads_back(data: st.DataObject, make: Any, one: Any) -> None:
    drawn = st.tuples(_TEXT, st.lists(_CHECK, max_size=4), st.lists(_RESULT, max_size=2), st.dictionaries(_TEXT, _JSON))
    rows = [
        one(f"{at}{name}", checks, results=tuple(results), facts=facts)
        for at, (name, checks, results, facts) in enumerate(data.draw(st.lists(drawn, max_size=4)))
    ]
    report = make(rows, extra=data.draw(st.dictionaries(_TEXT, _JSON, max_size=3)))
    assert parsed(render(report, "json"), Path("a.json")) == report


def test_what_json_cannot_hold_is_replaced_and_the_report_is_written(make: Any, one: Any, tmp_path: Path) -> None:
    result = TargetResult(text="a\ud800b", output={"x": float("nan"), "y": [float("inf"), 1.5]})
    write(make([one("odd", results=(result,))]), "json", tmp_path / "a.json")
    got = read_report(tmp_path / "a.json").rows[0].results[0]
    assert (got.text, got.output) == ("a\ufffdb", {"x": None, "y": [None, 1.5]})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("", "is not JSON"),
        (lambda text: text[:400], "is not JSON"),
        ("[" * 100_000, "cannot be read as JSON"),
        ("[]", "is not a report"),
        ('{"rows": []}', "is not a report"),
        (lambda text: text.replace('"format": 1,', '"format": 99,'), "has report format 99"),
        (lambda text: text.replace('"outcome":"passed"', '"outcome":"won"', 1), "is not a report at rows.0.outcome"),
        (lambda text: text.replace('"rows": [', '"rows": {}, "extra_rows": [', 1), "is not a report at rows"),
        (lambda text: text.replace('"summary": {', '"summary": 4, "was": {', 1), "is not a report at summary"),
    ],
)
def test_what_is_no_report_is_a_finding_with_its_reason(
    support: Report, tmp_path: Path, change: Any, said: str
) -> None:
    path = tmp_path / "a.json"
    path.write_text(change if isinstance(change, str) else change(render(support, "json")), encoding="utf-8")
    with pytest.raises(ReportError) as caught:
        read_report(path)
    found = caught.value.diagnostic
    assert found.code == "ES780"
    assert said in found.message
    assert found.place.file == str(path)


def test_a_file_that_is_not_there_and_one_that_is_no_text_are_findings(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_bytes(b"\xff\xfe\x00")
    os.mkfifo(tmp_path / "c.json")
    for name, said in (("a.json", "cannot read"), ("b.json", "is not UTF-8"), ("c.json", "it is no regular file")):
        with pytest.raises(ReportError) as caught:
            read_report(tmp_path / name)
        assert said in caught.value.diagnostic.message
