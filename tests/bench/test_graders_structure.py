"""Checks on JSON answers: paths, values, schemas, order, citations and containment."""

import time
from typing import Any

import pytest

from evalspec.bench import checks as c
from evalspec.bench.graders import at, grade
from evalspec.bench.graders.sentences import sentences
from evalspec.bench.paths import PathError
from evalspec.bench.results import CheckResult, TargetResult
from evalspec.bench.suite import Case, Suite, Turn
from evalspec.spec.source import Place

PLACE = Place("suite.yaml")


def graded(spec: c.CheckSpec, answer: Any, input_: Any = None, **fields: Any) -> CheckResult:
    """The verdict on an answer: a text, or JSON."""
    result = TargetResult(text=answer, **fields) if isinstance(answer, str) else TargetResult(output=answer, **fields)
    check = c.Check("check", spec)
    case = Case("one", (Turn(input_, (check,)),), PLACE, "set")
    return grade(check, case, 0, result, Suite("s", None, "contract", (case,), "0", PLACE))


DATA = {"a": {"b": [{"id": 1, "tags": ["x"]}, {"id": 2, "tags": ["y", "z"]}]}, "c": None}


@pytest.mark.parametrize(
    ("path", "value"),
    [("", DATA), ("c", None), ("a.b[1].id", 2), ("a.b[*].id", [1, 2]), ("a.b[*].tags[*]", ["x", "y", "z"])],
)
def test_a_path_leads_to_its_value(path: str, value: Any) -> None:
    assert at(DATA, path) == value


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("d", "there is no 'd'"),
        ("a.x", "there is no 'x' of 'a.x'"),
        ("a.b[2]", "there is no [2] of 'a.b[2]'"),
        ("a[*]", "there is no list for the [*] of 'a[*]'"),
        ("a..b", "'a..b' is not a path"),
        ("a[x]", "'a[x]' is not a path"),
        ("a.b[*].id.z", "there is no 'z' of 'a.b[*].id.z'"),
    ],
)
def test_a_path_that_leads_nowhere_says_where(path: str, says: str) -> None:
    with pytest.raises(PathError, match=r"^" + says.replace("[", r"\[").replace("*", r"\*").replace("]", r"\]") + "$"):
        at(DATA, path)


@pytest.mark.parametrize(
    "text",
    [
        '{"category": "other"}',
        '\ufeff {"category": "other"}\n',
        '```json\n{"category": "other"}\n```',
        'Here it is:\n```\n{"category": "other"}\n```\nBye.',
    ],
)
def test_json_in_the_text_is_read(text: str) -> None:
    assert graded(c.Equals("other", "category"), text).verdict == "pass"


@pytest.mark.parametrize(
    "text",
    [
        "other",
        '{"category": "other"',
        '{"category": NaN}',
        '```\n{"category": "other"}\n```\nor\n```\n{"category": "billing"}\n```',
        "[" * 100_000,
    ],
)
def test_an_answer_that_is_not_json_fails_where_a_path_is_needed(text: str) -> None:
    found = graded(c.Equals("other", "category"), text)
    assert (found.verdict, found.reason) == ("fail", "the answer is not JSON")


def test_the_targets_own_json_comes_before_its_text() -> None:
    result = TargetResult(text='{"a": 1}', output={"a": 2})
    check = c.Check("check", c.Equals(2, "a"))
    case = Case("one", (Turn("", (check,)),), PLACE, "set")
    assert grade(check, case, 0, result, Suite("s", None, "native", (case,), "0", PLACE)).verdict == "pass"


def test_json_nested_too_deep_is_unscored() -> None:
    deep: Any = "x"
    for _ in range(70):
        deep = [deep]
    assert graded(c.Equals("x", "a"), deep).verdict == "unscored"


@pytest.mark.parametrize(
    ("due", "given", "verdict"),
    [
        ("Other", "other", "pass"),
        ("other", "outage", "fail"),
        (1, 1.0, "pass"),
        (1, "1", "fail"),
        ("1", 1, "fail"),
        (1, True, "fail"),
        (True, True, "pass"),
        (None, None, "pass"),
        (None, "", "fail"),
        (["a", "b"], ["A", "b"], "pass"),
        (["a", "b"], ["b", "a"], "fail"),
        (["a"], ["a", "a"], "fail"),
        ({"a": 1}, {"a": 1.0}, "pass"),
        ({"a": 1}, {"a": 1, "b": 2}, "fail"),
    ],
)
def test_values_are_compared_by_type(due: Any, given: Any, verdict: str) -> None:
    assert graded(c.Equals(due, "v"), {"v": given}).verdict == verdict


def test_a_value_of_another_type_is_said_to_be_one() -> None:
    assert graded(c.Equals(1, "v"), {"v": "1"}).reason == "is '1', which is a text and not a number"


def test_a_whole_answer_is_compared_without_a_path() -> None:
    assert graded(c.Equals("I don't know."), "  i don’t know.\n").verdict == "pass"
    assert graded(c.Equals({"a": 1}), '{"a": 1}').verdict == "pass"
    assert graded(c.Equals(25), "25").verdict == "pass"


def test_an_exact_text_is_compared_letter_for_letter() -> None:
    fallback = "I don't have that information."
    assert graded(c.Equals(fallback, "a", exact=True), {"a": f" {fallback}\n"}).verdict == "pass"
    assert graded(c.Equals(fallback, "a", exact=True), {"a": fallback.lower()}).verdict == "fail"
    assert graded(c.Equals(fallback, "a", exact=True), {"a": f"{fallback} But try this."}).verdict == "fail"


SCHEMA = {
    "type": "object",
    "required": ["category"],
    "properties": {"category": {"enum": ["other", "outage"]}, "code": {"pattern": "^(a+)+$"}},
    "patternProperties": {"^n_": {"type": "integer"}},
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"category": "other", "code": "aaa", "n_1": 1}, ""),
        ({"category": "billing"}, "category: 'billing' is not one of ['other', 'outage']"),
        ({}, "the answer: 'category' is a required property"),
        ({"category": "other", "code": "b"}, "code: 'b' does not match '^(a+)+$'"),
        ({"category": "other", "n_1": "x"}, "n_1: 'x' is not of type 'integer'"),
        ("no", "the answer is not JSON"),
    ],
)
def test_a_schema_is_kept_or_its_fault_named(answer: Any, reason: str) -> None:
    found = graded(c.FitsSchema(SCHEMA), answer)
    assert (found.verdict, found.reason) == ("fail" if reason else "pass", reason)


def test_a_pattern_of_a_schema_cannot_hold_up_the_run() -> None:
    start = time.perf_counter()
    found = graded(c.FitsSchema({"properties": {"a": {"pattern": r"(\w+\s?)+\d$"}}}), {"a": "word " * 2000 + "!"})
    assert found.verdict == "unscored"
    assert time.perf_counter() - start < 4


def test_a_schema_never_fetches_what_it_refers_to() -> None:
    found = graded(c.FitsSchema({"$ref": "http://127.0.0.1:9/schema.json"}), {"a": 1})
    assert found.verdict == "unscored"
    assert "Unresolvable" in found.reason


ORDER = ("P1", "P2", "P3")


@pytest.mark.parametrize(
    ("due", "given", "reason"),
    [
        ("P2", "P2", ""),
        ("P2", "p3", ""),
        ("P1", "P1", ""),
        ("P2", "P1", "is 'P1', above 'P2'"),
        ("P3", "P2", "is 'P2', above 'P3'"),
        ("P2", "P0", "'P0' is none of P1, P2, P3"),
        ("P2", 1, "'1' is none of P1, P2, P3"),
    ],
)
def test_a_value_stands_no_higher_than_was_due(due: str, given: Any, reason: str) -> None:
    found = graded(c.NotAbove("priority", due, ORDER), {"priority": given})
    assert (found.verdict, found.reason) == ("fail" if reason else "pass", reason)


def test_an_order_without_the_value_that_is_due_is_unscored() -> None:
    assert graded(c.NotAbove("priority", "P9", ORDER), {"priority": "P1"}).verdict == "unscored"


@pytest.mark.parametrize("empty", [[], "", "  ", None, {}, [""], [None, {"a": " "}]], ids=repr)
def test_blanks_hold_nothing(empty: Any) -> None:
    assert graded(c.NotEmpty("v"), {"v": empty}).verdict == "fail"
    assert graded(c.NotEmpty("v", expected=False), {"v": empty}).verdict == "pass"


@pytest.mark.parametrize("full", [["cut hand"], "x", 0, False, [{"a": "b"}]], ids=repr)
def test_what_is_there_holds_something(full: Any) -> None:
    assert graded(c.NotEmpty("v"), {"v": full}).verdict == "pass"
    assert graded(c.NotEmpty("v", expected=False), {"v": full}).verdict == "fail"


def test_a_key_that_is_missing_fails_whatever_was_due() -> None:
    for expected in (True, False):
        assert graded(c.NotEmpty("v", expected), {}).reason == "there is no 'v'"


def test_a_rationale_mentions_one_of_the_terms() -> None:
    check = c.MentionsAny("rationale", ("which device", "কোন ডিভাইস"))
    assert graded(check, {"rationale": "It is not said WHICH  device fails"}).verdict == "pass"
    assert graded(check, {"rationale": "vague"}).verdict == "fail"
    assert graded(check, {"category": "which device"}).reason == "there is no 'rationale'"


CITED = {"citations": [{"chunk_id": "sop-2"}, "sop-3"], "retrieval_trace": ["sop-1", "sop-2", "sop-3"]}


@pytest.mark.parametrize(
    ("check", "answer", "reason"),
    [
        (c.CitationsIn(least=2), CITED, ""),
        (c.CitationsIn(least=3), CITED, "has 2 citations; at least 3 are due"),
        (c.CitationsIn(stale=("sop-2",)), CITED, "cites 'sop-2', which is stale"),
        (c.CitationsIn(required=("sop-2", "sop-9")), CITED, ""),
        (c.CitationsIn(required=("sop-1",)), CITED, "cites 'sop-2', 'sop-3', not 'sop-1'"),
        (c.CitationsIn(), {**CITED, "retrieval_trace": ["sop-2"]}, "cites 'sop-3', which was not retrieved"),
        (c.CitationsIn(), {"citations": [], "retrieval_trace": []}, ""),
        (c.CitationsIn(), {"citations": None}, ""),
        (c.CitationsIn(), {"answer": "x"}, "there is no 'citations'"),
        (c.CitationsIn(), {"citations": "sop-1"}, "'citations' is not a list"),
        (c.CitationsIn(), {"citations": [{"title": "x"}]}, "'{'title': 'x'}' in 'citations' has no id"),
        (c.CitationsIn("answer.sources"), {"answer": {"sources": [7]}, "retrieval_trace": [7]}, ""),
    ],
)
def test_citations_are_of_what_was_retrieved(check: c.CitationsIn, answer: Any, reason: str) -> None:
    found = graded(check, answer)
    assert (found.verdict, found.reason) == ("fail" if reason else "pass", reason)


def test_what_the_target_reports_as_retrieved_comes_before_the_trace_in_its_answer() -> None:
    assert graded(c.CitationsIn(), CITED, retrieved_ids=("sop-2",)).verdict == "fail"
    assert graded(c.CitationsIn(), CITED, retrieved_ids=()).verdict == "fail"


def test_citations_without_any_trace_are_unscored() -> None:
    assert graded(c.CitationsIn(), {"citations": ["sop-2"]}).verdict == "unscored"


FALLBACK = "I don't have that information."


def _rag(answer: str, **more: Any) -> dict[str, Any]:
    return {"answer": answer, "citations": ["sop-2"], "retrieval_trace": ["sop-1", "sop-2"], **more}


@pytest.mark.parametrize(
    "answer",
    [
        _rag("Reset the token [sop-2]."),
        _rag("Reset the token. [sop-2] Then log in. [1]"),
        _rag("Do this:\n1. Reset the token. [sop-2]\n2. Log in [sop-1, sop-2].\n"),
        _rag("টোকেন রিসেট করুন। [sop-2] তারপর লগ ইন করুন। [sop-2]"),
        _rag("Ask Dr. Rahman, e.g. by phone (sop-2)."),
        _rag(FALLBACK),
        _rag("Reset the token.", claims=[{"text": "Reset the token", "chunk_id": "sop-2"}]),
        _rag("Reset it reset it.", claims=[{"text": "Reset it", "chunk_id": "sop-2"}]),
        _rag(
            "Reset the token, and then log in.",
            claims=[
                {"claim": "Reset the token", "citations": ["sop-2"]},
                {"claim": "log in", "citations": [{"chunk_id": "sop-1"}]},
            ],
        ),
    ],
)
def test_an_answer_whose_sentences_are_all_cited_passes(answer: Any) -> None:
    found = graded(c.ClaimsCited(fallback=FALLBACK), answer)
    assert found.verdict == "pass", found.reason


@pytest.mark.parametrize(
    ("answer", "uncited"),
    [
        (_rag("Reset the token. Then log in. [sop-2]"), "Reset the token."),
        (_rag("Reset the token [sop-2]. The system requires VPN."), "The system requires VPN."),
        (_rag("Reset the token [sop-9]."), "Reset the token [sop-9]."),
        (_rag("Reset the token [2]."), "Reset the token [2]."),
        (_rag("In step (1) reset the token."), "In step (1) reset the token."),
        (_rag(f"{FALLBACK} Try a reboot."), FALLBACK),
        (_rag(FALLBACK.lower()), FALLBACK.lower()),
        (_rag("Reset it.", claims=[{"text": "Reset it", "chunk_id": "sop-9"}]), "Reset it."),
        (_rag("Reset it twice.", claims=[{"text": "Reset it", "chunk_id": "sop-2"}]), "Reset it twice."),
        (_rag("Reset it.", claims=[{"text": "Reset it"}]), "Reset it."),
    ],
)
def test_a_sentence_without_a_citation_fails_the_answer(answer: Any, uncited: str) -> None:
    found = graded(c.ClaimsCited(fallback=FALLBACK), answer)
    assert (found.verdict, found.reason) == ("fail", f"no citation for '{uncited}'")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Version 3.5 is out. OK", ["Version 3.5 is out.", "OK"]),
        ("See No. 5. No. It is shut.", ["See No. 5.", "No.", "It is shut."]),
        ('He said "Stop!" and left. Fine.', ['He said "Stop!" and left.', "Fine."]),
        ("Open at 5 p.m. today. Shut at 6 a.m. Go.", ["Open at 5 p.m. today.", "Shut at 6 a.m.", "Go."]),
        ("J. Smith came. Costs Rs. 500 a day.", ["J. Smith came.", "Costs Rs. 500 a day."]),
        ("এটি বন্ধ। আবার চালু করুন।", ["এটি বন্ধ।", "আবার চালু করুন।"]),
        ("A line\nthat goes on. Two", ["A line\nthat goes on.", "Two"]),
        ("# Head\n\n- one\n- two", ["one", "two"]),
        ("Step 1. Open it. The limit is 14. Go.", ["Step 1. Open it.", "The limit is 14.", "Go."]),
        ("VPN is needed. Do this:\n- one", ["VPN is needed.", "one"]),
        ("One. (Two is needed.) [1]", ["One.", "(Two is needed.) [1]"]),
        ("One. (sop-2; sop-3) Two. [see sop-2]", ["One. (sop-2; sop-3)", "Two. [see sop-2]"]),
        ("# VPN " + "is needed " * 6 + "\n\nTwo", ["VPN " + "is needed " * 5 + "is needed", "Two"]),
        ("Done:", ["Done:"]),
        ("One.[1] Two.[2]", ["One.[1]", "Two.[2]"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


NOTE = "Press 12 stopped at 3.5 bar; operator's hand was CUT. প্রেস ৩-এর মেশিনটি বন্ধ ছিল। Temp -5, speed 80%."


@pytest.mark.parametrize(
    "field",
    [
        "press 12 stopped",
        "Operator’s hand was cut!",
        "3.5 bar",
        "",
        None,
        [],
        "প্রেস ৩",
        "মেশিন",
        "মেশিনটি বন্ধ",
        "-5",
        "80%",
        ["cut"],
    ],
    ids=repr,
)
def test_a_field_that_stands_in_the_input_is_contained(field: Any) -> None:
    found = graded(c.Contained(("f",), "note"), {"f": field}, {"note": NOTE})
    assert found.verdict == "pass", found.reason


@pytest.mark.parametrize(
    "field",
    [
        "press 1",
        "press 12 stopped dead",
        "35 bar",
        "ress 12",
        "prেস",
        "মেশ",
        "5",
        "80",
        "was cut his hand",
        ["cut", "burnt"],
    ],
    ids=repr,
)
def test_a_field_that_does_not_stand_in_the_input_is_not(field: Any) -> None:
    assert graded(c.Contained(("f",), "note"), {"f": field}, {"note": NOTE}).verdict == "fail"


def test_a_share_of_the_tokens_may_be_enough() -> None:
    nine = "press 12 stopped at 3.5 bar operator hand was"
    check = c.Contained(("f",), "note", share=0.9)
    assert graded(check, {"f": f"{nine} gone"}, {"note": NOTE}).verdict == "pass"
    found = graded(check, {"f": f"{nine} gone away"}, {"note": NOTE})
    assert (found.verdict, found.reason[:16]) == ("fail", "f: 9 of 11 token")


def test_every_field_of_a_list_is_compared_with_the_whole_input() -> None:
    check = c.Contained(("incidents[*].text",), "")
    answer = {"incidents": [{"text": "hand was cut", "severity": 3}]}
    assert graded(check, answer, {"shift": "A", "note": NOTE}).verdict == "pass"
    assert graded(check, answer, {"shift": "hand was", "note": "cut"}).verdict == "fail"


def test_an_input_without_the_source_is_unscored() -> None:
    assert graded(c.Contained(("f",), "note"), {"f": "x"}, {"text": "x"}).verdict == "unscored"
