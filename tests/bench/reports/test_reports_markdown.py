"""Markdown reports: the verdict first, a bounded length, and texts that stay texts."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from evalspec.bench.report import Gate, Report
from evalspec.bench.reports import render
from evalspec.bench.reports.markdown import LIMIT, escaped, table
from evalspec.bench.results import CheckResult

READER = MarkdownIt("commonmark").enable("table")


def _cells(markdown: str) -> list[str]:
    """The texts of the cells of the body, as a reader of Markdown shows them."""
    tokens = READER.parse(markdown)
    out = []
    for at, token in enumerate(tokens):
        if token.type == "td_open":
            inner = tokens[at + 1].children or []
            assert {child.type for child in inner} <= {"text", "text_special"}, inner
            out.append("".join(child.content for child in inner))
    return out


def test_a_contract_report_as_it_is_read(contract: Report, snapshot: Any) -> None:
    assert render(contract, "md") == snapshot


def test_a_support_report_of_three_runs_as_it_is_read(support: Report, snapshot: Any) -> None:
    assert render(support, "md") == snapshot


def test_a_draft_says_so_before_anything_else(make: Any, one: Any) -> None:
    report = make(
        [one("a")], draft=("fewer than 200 cases",), gate=Gate(verdict="draft", reasons=("a draft",), ci=False)
    )
    lines = [line for line in render(report, "md").splitlines() if line]
    assert lines[:3] == ["## support: draft", "> **DRAFT, not a result.** fewer than 200 cases", "- a draft"]


@pytest.mark.parametrize(
    "hostile",
    [
        "a | b",
        "`code` ``` fence",
        "line\nbreak\r\n\n# heading",
        "<script>alert(1)</script>",
        "&lt;b&gt;",
        "![x](http://a.example/b.png)",
        "**bold** _it_ ~~no~~ $x$",
        "\\| \\",
        "<!-- --> ]]> \x1b[31m",
        "- item",
        "12. item",
        "---",
        "# heading",
    ],
)
def test_what_a_model_says_is_shown_as_text(hostile: str, make: Any, one: Any) -> None:
    shown = _cells("\n".join(table(("a", "b"), [(escaped(hostile), "end")])))
    wanted = " ".join(hostile.replace("\x1b", " ").split())
    assert [cell.replace("\u200b", "") for cell in shown] == [wanted, "end"]


@given(said=st.text(max_size=60) | st.text("-+=#>*_ 1.)|`[](<@:/", max_size=20))
def test_any_text_is_shown_as_itself_in_a_list(said: str) -> None:
    tokens = READER.parse(f"- {escaped(said)}")
    inner = [child for token in tokens if token.type == "inline" for child in token.children or []]
    shown = "".join(child.content for child in inner).replace("\u200b", "")
    assert {token.type for token in tokens} <= {
        "bullet_list_open", "list_item_open", "paragraph_open", "inline", "paragraph_close", "list_item_close",
        "bullet_list_close",
    }  # fmt: skip
    assert {child.type for child in inner} <= {"text", "text_special"}
    assert shown.split() == re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", said.replace("\u200b", "")).split()


@given(said=st.text(max_size=60))
def test_no_text_breaks_a_table(said: str) -> None:
    shown = _cells("\n".join(table(("a", "b"), [(f"x{escaped(said)}x", "end")])))
    assert len(shown) == 2
    assert shown[1] == "end"


def test_nobody_is_called_and_nothing_is_linked() -> None:
    assert escaped("ask @octocat, not a@b, at https://a.example or www.b.example") == (
        "ask @\u200boctocat, not a@b, at https:\u200b//a.example or www\u200b.b.example"
    )


@pytest.mark.parametrize("letter", ["x", "|", "<", "@", "\U0001f600"])
def test_a_report_of_any_size_fits_a_comment_and_counts_what_it_left_out(make: Any, one: Any, letter: str) -> None:
    rows = [
        one(
            f"{letter * 300}-{at}",
            [CheckResult(check=f"{letter * 100}{n}", verdict="fail", reason=letter * 5000) for n in range(30)],
            tags=tuple(f"{letter * 100}{n}" for n in range(40)),
        )
        for at in range(300)
    ]
    text = render(make(rows, gate=Gate(verdict="red", reasons=(letter * 9000,) * 90, ci=True)), "md")
    assert len(text) <= LIMIT
    assert text.startswith("## support: red")
    assert "75 more reasons" in text
    assert "more rows are not shown" in text or "lines were left out" in text
    assert "and 275 more" in text or "lines were left out" in text


def test_the_worst_stands_first(make: Any, one: Any) -> None:
    def fails(name: str, severity: str, blocking: bool = False) -> Any:
        found = [CheckResult(check="contains", verdict="fail", reason="no")]
        return one(name, found, severity=severity, blocking=blocking)

    rows = [fails("small", "minor"), fails("big", "critical"), fails("gate", "minor", True), fails("mid", "major")]
    text = render(make(rows), "md")
    listed = [line.split("**")[1] for line in text.splitlines() if line.startswith("- **")]
    assert listed == ["gate", "big", "mid", "small"]
