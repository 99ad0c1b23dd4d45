"""Filings and pages of bare divs: every figure within a paragraph is kept, and only what runs through them is not."""

from collections.abc import Callable

import pytest

from evalspec.runtime.sources.markup import page_text

BOLD = "font-weight:700"
LONG = "The fund holds bonds of the provinces, and a few shares of the railways that serve them. " * 3


def div(text: str, style: str = "") -> str:
    return f'<div><span style="{style}">{text}</span></div>'


def foot(page: int) -> str:
    """What ends a page of a filing: a footer with its number, and a break."""
    return f'<div>{div(f"Prairie Trust | Annual Report | {page}")}</div><hr style="page-break-after:always"/>'


@pytest.fixture
def filed() -> Callable[..., tuple[str, list[str]]]:
    """The title and the blocks of an inline XBRL page with these parts."""

    def make(*parts: str, dei: str = "") -> tuple[str, list[str]]:
        hidden = f'<div style="display:none"><ix:header><ix:hidden>{dei}</ix:hidden></ix:header></div>'
        title, text = page_text(
            f"<html><head><title>pt-20300331</title></head><body>{hidden}{''.join(parts)}</body></html>"
        )
        return title, text.split("\n\n")

    return make


def test_figures_in_elements_of_their_own_stay_in_their_sentence(filed: Callable[..., tuple[str, list[str]]]) -> None:
    def ix(figure: str) -> str:
        return f'<ix:nonFraction name="us-gaap:X" scale="-2">{figure}</ix:nonFraction>'

    text = (
        f"<div><span>The trust expects </span><span>{ix('64')}% of it within </span><span>{ix('1')}</span> "
        f"<span>year, {ix('25')}% within {ix('iv')} quarters, and ${ix('1,200')} in the year {ix('2031')}.</span></div>"
    )
    _, blocks = filed(text)
    assert blocks == ["The trust expects 64% of it within 1 year, 25% within iv quarters, and $1,200 in the year 2031."]


def test_page_numbers_and_running_lines_are_left_out_where_they_stand_alone(
    filed: Callable[..., tuple[str, list[str]]],
) -> None:
    parts = [f"{div(f'Part {n} of the fund. {LONG}')}{div(str(n))}{div(f'F-{n}')}{foot(n)}" for n in range(1, 5)]
    _, blocks = filed(*parts)
    assert blocks == [f"Part {n} of the fund. {LONG}".strip() for n in range(1, 5)]


def test_sentences_that_are_repeated_with_other_figures_stay(filed: Callable[..., tuple[str, list[str]]]) -> None:
    said = [f"The dividend of the quarter was {n} cents a share." for n in range(1, 6)]
    assert filed(*map(div, said))[1] == said


def test_headings_are_kept_apart_from_the_text_and_from_one_another(
    filed: Callable[..., tuple[str, list[str]]],
) -> None:
    _, blocks = filed(
        div("PART II — OTHER MATTERS", BOLD),
        div("Item 1.", BOLD),
        div("Claims before a court", BOLD),
        div("Inquiries of the board", "font-style:italic"),
        div(f"On the second of May the board began. {LONG}"),
        div(f"<b>Costs.</b> They are borne by the trust. {LONG}"),
        div("iBond", "font-style:italic"),
        div(f"iBond is a loan. {LONG}"),
    )
    assert blocks == [
        "## PART II — OTHER MATTERS",
        "## Item 1. Claims before a court",
        "### Inquiries of the board",
        f"On the second of May the board began. {LONG}".strip(),
        f"Costs. They are borne by the trust. {LONG}".strip(),
        "### iBond",
        f"iBond is a loan. {LONG}".strip(),
    ]


def test_a_paragraph_that_a_page_break_cuts_is_one_again(filed: Callable[..., tuple[str, list[str]]]) -> None:
    cut = "The trustees meet in June and in December, and between these they decide by letter on what cannot"
    _, blocks = filed(
        div(LONG), div(cut), foot(1), div("wait for a meeting."), foot(2), div(LONG + "It ends."), foot(3)
    )
    assert blocks[1] == f"{cut} wait for a meeting."


def test_bullets_and_numbers_go_with_their_entries(filed: Callable[..., tuple[str, list[str]]]) -> None:
    _, blocks = filed(
        div("The trust may sell:"),
        "<div><div style='float:left'>•</div><div>bonds of a province;</div></div>",
        div("•bonds of a railway; and"),
        "<table><tr><td>(a)</td><td><div>whatever a court lets it sell.</div></td></tr></table>",
        "<ul><li>and the desk</li></ul>",
        div("(1)It holds no gold."),
    )
    assert blocks == [
        "The trust may sell:",
        "- bonds of a province;",
        "- bonds of a railway; and",
        "(a) whatever a court lets it sell.",
        "- and the desk",
        "(1) It holds no gold.",
    ]


def test_the_number_of_a_note_is_no_part_of_the_figure_before_it(
    filed: Callable[..., tuple[str, list[str]]],
) -> None:
    assert filed(div("The price was $17.41<sup>2</sup> on the 7<sup>th</sup> of May."))[1] == [
        "The price was $17.41 [2] on the 7th of May."
    ]


def test_words_that_styles_split_are_whole(filed: Callable[..., tuple[str, list[str]]]) -> None:
    assert filed("<p><font>The over</font><font>allotment of </font><b>S</b>hares (the “<i>Units</i>”).</p>")[1] == [
        "The overallotment of Shares (the “Units”)."
    ]


def test_a_table_of_figures_is_left_out_and_one_of_words_has_its_rows(
    filed: Callable[..., tuple[str, list[str]]],
) -> None:
    def table(cell: str) -> str:
        return f"<table>{''.join(f'<tr><td>{cell} {n}</td><td>{cell} {n + 1}</td></tr>' for n in range(3))}</table>"

    assert filed(div(LONG), table("$"), div(LONG + "And on."))[1] == [LONG.strip(), LONG + "And on."]
    assert filed(div(LONG), table("what it costs"))[1][1].split("\n")[0] == "| what it costs 0 | what it costs 1 |"


def test_a_filing_is_called_as_it_says_or_as_its_first_heading_does(
    filed: Callable[..., tuple[str, list[str]]],
) -> None:
    names = {"EntityRegistrantName": "Prairie Trust", "DocumentType": "10-K", "DocumentPeriodEndDate": "May 31, 2030"}
    dei = "".join(f'<ix:nonNumeric name="dei:{name}">{value}</ix:nonNumeric>' for name, value in names.items())
    assert filed(div(LONG), dei=dei)[0] == "Prairie Trust, Form 10-K, May 31, 2030"
    first = (
        div("UNITED STATES", BOLD),
        div("Filed under Rule 9", BOLD),
        div("Units of Prairie Trust", BOLD),
        div(LONG),
    )
    assert filed(*first)[0] == "Units of Prairie Trust"


def test_what_a_submission_puts_before_a_document_is_not_its_text() -> None:
    header = "<DOCUMENT>\n<TYPE>424B5\n<SEQUENCE>1\n<FILENAME>pt99_424b5.htm\n<DESCRIPTION>424B5\n<TEXT>\n"
    page = f"<html><head><title>pt99_424b5 - none - 1.5s</title></head><body>{div('Units on offer', BOLD)}{div(LONG)}"
    assert page_text(f"{header}{page}</body></html></TEXT></DOCUMENT>") == (
        "Units on offer",
        f"## Units on offer\n\n{LONG.strip()}",
    )


def test_provisions_that_begin_alike_are_kept_and_an_index_is_not() -> None:
    rules = [f"Subsection (1) does not apply in respect of a trust of class {n}." for n in range(12)]
    index = [f"Forms of the office for trusts, number {n}" for n in range(12)]
    body = "".join(f"<p>{text}</p>" for text in (*rules, LONG * 3, *index))
    _, text = page_text(f"<html><body><main><article><h1>Trusts</h1>{body}</article></main></body></html>")
    assert ([rule for rule in rules if rule not in text], [entry for entry in index if entry in text]) == ([], [])


def test_an_entry_of_many_figures_is_kept_where_it_is_part_of_a_sentence() -> None:
    entry = "sections 12, 13, 14.1, 15, 16, 17, 18.2 and 19 of the act; and"
    body = f"<p>{LONG * 2}</p><p>These apply:</p><p>{entry}</p><p>the rules of the office.</p><p>12 13 14 15 16 17</p>"
    _, text = page_text(f"<html><body><main><article><h1>Trusts</h1>{body}</article></main></body></html>")
    assert (entry in text, "12 13" in text) == (True, False)


def test_lines_to_write_on_do_not_cost_a_paragraph() -> None:
    body = f"<p>{LONG}Signed at {'_' * 300} on the day of it.</p>"
    _, text = page_text(f"<html><body><main><article><h1>Trusts</h1>{body}</article></main></body></html>")
    assert "Signed at on the day of it." in text


def test_inline_markup_parts_no_word_and_joins_no_figure_to_a_note_on_any_page() -> None:
    paid = "The <b>o</b>ffice paid $17.41<sup>2</sup> on the 7<sup>th</sup> of <i>May</i>,"
    first = f"<p>{paid}<br>and <a href=x>no</a>t in June.</p>"
    _, text = page_text(
        f"<html><body><main><article><h1>T<i>rust</i>s</h1>{first}<p>{LONG}</p></article></main></body></html>"
    )
    assert text.split("\n\n")[:2] == ["# Trusts", "The office paid $17.41 [2] on the 7th of May, and not in June."]
