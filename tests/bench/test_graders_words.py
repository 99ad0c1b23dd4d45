"""Words and amounts in answers: folding, patterns, money, percentages and numbers."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalspec.bench.checks import MatchesNone, NumberIs
from evalspec.bench.graders.amounts import has_money, has_percentage
from evalspec.bench.graders.folding import fold
from evalspec.bench.graders.numbers import number_is
from evalspec.bench.graders.texts import contains_all, matches_none

NUKTA = "\u09bc"


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("STRASSE", "Hauptstraße 5"),
        ("straße", "HAUPTSTRASSE"),
        ("ＡＡＰＬ", "buy aapl now"),
        ("AAPL", "ＡＡＰＬ"),
        ("café", "CAFE\u0301"),
        ("cafe\u0301", "caf\u00e9"),
        ("7 days", "within 7\u00a0days"),
        ("7 days", "within 7 \n\t days"),
        ("office", "o\ufb03ce"),
        ("file", "\ufb01le"),
        ("য\u09bc", "\u09df"),
        ("\u09dc", "ড" + NUKTA),
        ("ক" + NUKTA, "ক" + NUKTA + "া"),
        ("portfolio", "port\u200bfo\u00adlio"),
        ("don't", "I don’t know"),
        ('"yes"', "“yes”"),
        ("well-known", "well\u2011known"),
        ("5-10", "5–10"),
        ("ΟΔΟΣ", "οδος"),
        ("ক", "ক্ষ"),
        ("ন", "নি"),
        ("ড", "ড" + NUKTA + " ড"),
    ],
)
def test_two_ways_to_write_one_text_are_one(term: str, text: str) -> None:
    assert contains_all((term,), text).verdict == "pass"


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("ন", "ণ"),
        ("ড", "ঢ"),
        ("ড", "ড" + NUKTA),
        ("য", "\u09df"),
        ("x", "x\u0301"),
        ("cafe", "caf\u00e9"),
        ("uber", "über"),
        ("5", "৫"),
        ("a", "а"),
        ("resume", "résumé"),
        ("strase", "straße"),
        ("İstanbul", "ıstanbul"),
    ],
)
def test_what_is_not_folded_stays_distinct(term: str, text: str) -> None:
    assert contains_all((term,), text).verdict == "fail"


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_folding_each_character_twice_changes_nothing() -> None:
    chars = [char for char in map(chr, range(0x20000)) if not 0xD800 <= ord(char) < 0xE000]
    assert [char for char in chars if fold(fold(char)) != fold(char)] == []


@given(st.text())
def test_composed_and_decomposed_texts_fold_alike(text: str) -> None:
    assert fold(unicodedata.normalize("NFC", text)) == fold(unicodedata.normalize("NFD", text))


@pytest.mark.parametrize(
    "text",
    [
        "a@b.example",
        "jane.doe+shop@mail.eu.example.com",
        "(jane@example.org).",
        "mailto:jane@example.com",
        "<o'neil@ex-ample.ie>",
        "জন@উদাহরণ.বাংলা",
        "ｊane＠example．com",
        "jane@exam\u200bple.com",
        "JANE_DOE@EXAMPLE.CO.UK",
    ],
)
def test_an_address_is_found(text: str) -> None:
    assert matches_none(MatchesNone((), emails=True), f"write to {text} now").verdict == "fail"


@pytest.mark.parametrize(
    "text", ["@handle", "user@", "user @ example.com", "@shop.example", "a@b", "5 @ 3.50", "x@v1.2"]
)
def test_no_address_is_seen_where_none_is(text: str) -> None:
    assert matches_none(MatchesNone((), emails=True), text).verdict == "pass"


def test_patterns_do_not_mind_case_and_cross_lines() -> None:
    assert matches_none(MatchesNone(("system.prompt",)), "my SYSTEM\nPROMPT").verdict == "fail"


def test_a_pattern_that_takes_too_long_is_unscored_in_time() -> None:
    start = time.perf_counter()
    found = matches_none(MatchesNone((r"(\w+\s?)+\d$",)), "word " * 2000 + "!")
    assert (found.verdict, "takes over 0.5 s" in found.reason) == ("unscored", True)
    assert time.perf_counter() - start < 3


def test_another_pattern_still_fails_the_answer_beside_one_that_cannot_be_tried() -> None:
    assert matches_none(MatchesNone(("(", "secret")), "the secret").verdict == "fail"
    assert matches_none(MatchesNone(("(", "secret")), "nothing").verdict == "unscored"


MONEY = """
$1,234.50|US$ 5|USD 500|€1.045,00|1 234 €|₹1,23,456.78|Rs 500|AED 200|¥500|CA$5|C$ 7.50|£9|PKR 1,500|SAR 50|500SAR
5 dollars|five hundred dollars|$5 million|$5M|-$5|$-5|$(5)|**$5**|USD **500**|৳৫০০|৫০০ টাকা|TRY 1,500.00|5-dollar bill
$.50|100 usd|$5k|￥500|5 000 ₽|50¢|$5/month|costs $5.|Rs.500|Rs. 1,500|Dhs 20|Tk 90|CHF 12.50|12,50 CHF|AED200
3 lakh rupees|US$1.2bn|1.5 million euros|$100CAD|1\u202f234,50\u00a0€|500 درهم|`$1,234.50`|between $5 and $9
$1|USD -5|USD: 500
"""
NO_MONEY = """
$,|$|$AAPL|hold 5 $AAPL|TOP 10 holdings|TRY 3 times|ALL 5 funds|AMD 150 shares|50 AMD shares|5 won|20 percent|USD rises
the dollar fell|5 stars|5 USDX|$x and $y|1,234.50|EUR/USD|Article 5|in 2024|$2x
CVE-2024-1234|SDG 7|6 Ft|USD-1 form|a dollar|pound for pound|Rs|£
"""


@pytest.mark.parametrize("text", [text for line in MONEY.strip().splitlines() for text in line.split("|")])
def test_money_is_seen(text: str) -> None:
    assert [has_money(True, text).verdict, has_money(False, text).verdict] == ["pass", "fail"]


@pytest.mark.parametrize("text", [text for line in NO_MONEY.strip().splitlines() for text in line.split("|")])
def test_no_money_is_seen_where_none_is(text: str) -> None:
    assert [has_money(True, text).verdict, has_money(False, text).verdict] == ["fail", "pass"]


def test_a_parameter_in_a_shell_block_is_no_money_and_a_price_elsewhere_is() -> None:
    assert has_money(False, 'Run this:\n```bash\necho "$1"\n```\n').verdict == "pass"
    assert has_money(True, 'Run this:\n```bash\necho "$1"\n```\nIt costs $1.').verdict == "pass"
    assert has_money(True, "```\ntotal $5\n```").verdict == "pass"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "12.5%",
            "12.5 percent",
            "12.5 %",
            "12,5 %",
            "5 per cent",
            "five percent",
            "100％",
            "(5%)",
            "5%-10%",
            "**5**%",
        ),
        *("٥٪", "৫ শতাংশ", "5\u00a0%"),
    ],
)
def test_a_percentage_is_seen(text: str) -> None:
    assert [has_percentage(True, text).verdict, has_percentage(False, text).verdict] == ["pass", "fail"]


@pytest.mark.parametrize(
    "text", ["page 5%20x", "q=5%3A", "%", "percent", "5%E0%A6%AF", "7%2", "2 percentage points", "a percent", "%d"]
)
def test_no_percentage_is_seen_where_none_is(text: str) -> None:
    assert [has_percentage(True, text).verdict, has_percentage(False, text).verdict] == ["fail", "pass"]


@pytest.mark.parametrize("text", ["$" * 200_000, "1 " * 100_000, "1," * 100_000, "a." * 100_000, "5 million " * 20_000])
def test_amounts_are_looked_for_in_linear_time(text: str) -> None:
    start = time.process_time()
    has_money(False, text)
    has_percentage(False, text)
    matches_none(MatchesNone((), emails=True), text)
    number_is(NumberIs(5), text)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "text",
    [
        *("25", "(25).", "25!", "25.0", "**25**", "$25", "25 kg", "25kg", "২৫", "It is 25, yes 25.", "+25", "- 25"),
        *("25,00", "USD25", "2.5e1", "(25)", "A25 is 25", "#### 25", r"4+21=\boxed{25}", "The answer is 25."),
        *("Step 1 has 3. Answer: 25", "So 5 x 5.\n\n**Answer:** 25\n", "Answer: 9, no.\nFinal answer: 25"),
        "Answer:\n25\nbye 7",
    ],
)
def test_twenty_five_is_read(text: str) -> None:
    found = number_is(NumberIs(25), text)
    assert found.verdict == "pass", found.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("5", "is '5', not 25"),
        ("-25", "is '-25', not 25"),
        ("−25", "is '−25', not 25"),
        ("–25", "is '–25', not 25"),
        ("-$25", "is '-$25', not 25"),
        ("minus 25", "is 'minus 25', not 25"),
        ("25%", "'25%' is a percentage"),
        ("25 per cent", "'25 per cent' is a percentage"),
        ("25k", "is '25k', not 25"),
        ("25 million", "is '25 million', not 25"),
        ("1,025", "is '1,025', not 25"),
        ("25th", "'25th' is not one plain number"),
        ("25m", "'25m' is not one plain number"),
        ("25²", "'25²' is not one plain number"),
        ("25.1.3", "'25.1.3' is not one plain number"),
        ("5 or 25", "several numbers: '5', '25'"),
        ("10-25", "several numbers: '10', '25'"),
        ("25/100", "several numbers: '25', '100'"),
        ("25 is 25%", "several numbers: '25', '25%'"),
        ("Answer: 5 or 25", "several numbers: '5', '25'"),
        ("COVID-25", "has no number"),
        ("Q25", "has no number"),
        ("twenty-five", "has no number"),
        ("", "has no number"),
    ],
)
def test_what_is_not_twenty_five_fails_with_the_reason(text: str, reason: str) -> None:
    found = number_is(NumberIs(25), text)
    assert (found.verdict, found.reason) == ("fail", reason)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.50", 1234.5),
        ("€1.045,00", 1045),
        ("1 234 €", 1234),
        ("₹1,23,456.78", 123456.78),
        ("1'234'567", 1234567),
        ("0,5", 0.5),
        (".5", 0.5),
        ("1.234", 1.234),
        ("1.234.567", 1234567),
        ("0.1", 0.1),
        ("3 lakh", 300000),
        ("$1.2bn", 1.2e9),
        ("9007199254740993", 9007199254740993),
    ],
)
def test_separators_are_read(text: str, value: float) -> None:
    assert number_is(NumberIs(value), text).verdict == "pass"


def test_a_percentage_that_is_due_must_be_one() -> None:
    assert number_is(NumberIs(25, percent=True), "25 %").verdict == "pass"
    assert number_is(NumberIs(25, percent=True), "25").reason == "'25' is not a percentage"
    assert number_is(NumberIs(25, percent=True), 25).verdict == "pass"


def test_the_tolerance_is_absolute_and_exact_at_its_edge() -> None:
    assert number_is(NumberIs(0.3, tolerance=0.1), "0.4").verdict == "pass"
    assert number_is(NumberIs(0.3, tolerance=0.1), "0.41").verdict == "fail"
    assert number_is(NumberIs(0.3), 0.1 + 0.2).verdict == "fail"


@pytest.mark.parametrize("given", [True, None, [25], {"n": 25}, float("nan"), float("inf")], ids=str)
def test_json_that_is_no_number_fails(given: object) -> None:
    assert number_is(NumberIs(25), given).verdict == "fail"
