"""The figures of a release, in every form that a person reads."""

from typing import Any

import pytest

from evalspec.bench.report import Report
from evalspec.bench.reports import render
from evalspec.bench.reports.figures import figure_rows
from evalspec.cli.bench_table import show_report
from evalspec.cli.shared import stdout

NOTHING = {"interval": None, "reason": "", "left_out": 0, "detail": {}}
WILSON = {"low": 0.02, "high": 0.22, "method": "wilson"}
BOOTSTRAP = {"low": -0.01, "high": 0.21, "method": "bootstrap"}
EXTRA: dict[str, Any] = {
    "repeat_stability": {**NOTHING, "value": 0.075, "n": 40, "of": "cases", "interval": WILSON, "left_out": 3},
    "self_contradiction": {**NOTHING, "value": None, "n": 0, "of": "groups", "reason": "no group was scored whole"},
    "few_shot_gain": {
        **NOTHING,
        "value": 0.1,
        "n": 47,
        "of": "pairs",
        "interval": BOOTSTRAP,
        "detail": {"P7a": 0.7, "P7b": 0.8, "p": 0.0625},
    },
}
ROWS = [
    ("flip rate over repeats", "7.5 %", "2.0 to 22.0 %", "40 cases", "3 not counted"),
    ("triples that came out alike", "–", "–", "0 groups", "no group was scored whole"),
    ("gain by examples", "+10.0 points", "-1.0 to +21.0", "47 pairs", "P7a 70.0 %, P7b 80.0 %; p = 0.0625"),
]


def test_each_figure_is_a_row_with_what_it_is_over_and_what_it_leaves_out() -> None:
    assert figure_rows(EXTRA) == ROWS


def test_what_is_no_figure_is_left_out() -> None:
    assert figure_rows({"note": "by hand", "other": {"value": "high"}, **EXTRA}) == ROWS


def test_a_figure_of_another_name_is_shown_under_it() -> None:
    assert figure_rows({"new_figure": EXTRA["repeat_stability"]})[0].name == "new figure"


@pytest.mark.parametrize("form", ["md", "html", "text"])
def test_figures_are_shown_to_people(
    form: Any, contract: Report, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")

    def shown(report: Report) -> str:
        if form != "text":
            return render(report, form)
        stdout.cache_clear()  # else it is the stream of the test that asked for it first
        show_report(report, [])
        return capsys.readouterr().out

    report = contract.model_copy(update={"extra": EXTRA})
    page = " ".join(shown(report).split())
    assert "Figures of the release" not in shown(contract)
    assert "Figures of the release" in page
    for cell in ("flip rate over repeats", "7.5 %", "+10.0 points", "no group was scored whole"):
        assert cell in page
