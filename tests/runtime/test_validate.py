"""What a reply must be: roles, grounding, counts, echoes, length; what is wrong is said in words."""

from collections.abc import Callable
from typing import Any

import pytest

from evalspec.runtime.chunks import chunks_of
from evalspec.runtime.shapes import Shapes
from evalspec.runtime.sources import Document
from evalspec.runtime.validate import Verdict, judge
from evalspec.spec.plan import Plan

SOURCE = (
    "The register opens on 3 May 2021. A member pays 40 dollars a year, “in advance”,   and the office\n"
    "keeps the receipt for seven years. Nothing is said of refunds. " + "It is a long text on many things. " * 20
)


def judged(plan: Plan, name: str, reply: Any) -> Verdict:
    import json

    group = next(g for g in plan.groups if g.group_id.startswith(name))
    chunk = chunks_of([Document("d", "Register", SOURCE, "corpus")])[0]
    return judge(plan, group, Shapes(plan).of(group), chunk, reply if isinstance(reply, str) else json.dumps(reply))


def closed(**changes: Any) -> dict[str, Any]:
    member = {
        "question": "When does it open?",
        "correct_answer": "3 May 2021",
        "expected_behavior": "Says 3 May 2021.",
        "expected_failure_modes": [],
        "adversarial_strategy": None,
    }
    return {"members": [member | changes]}


def opened(**changes: Any) -> dict[str, Any]:
    excerpt = 'A member pays 40 dollars a year, "in advance", and the office keeps the receipt for seven years.'
    more = {"question": "What does a member pay?", "reference_excerpt": excerpt, "correct_answer": "40 Dollars"}
    return closed(**(more | changes))


@pytest.fixture
def medium(plan_of: Callable[..., Plan]) -> Plan:
    """Groups of number 1, which are medium."""
    return plan_of({"CLOSED": 1, "OPEN": 1, "TRIPLE": 1})


@pytest.fixture
def hard(plan_of: Callable[..., Plan]) -> Callable[[str], Plan]:
    return lambda strategy: plan_of({"CLOSED": 1, "OPEN": 1, "TRIPLE": 1}, strategy=strategy)


def test_a_closed_book_member_is_rendered_with_system_prompt_and_criteria(medium: Plan) -> None:
    slot = judged(medium, "CLOSED", closed(expected_failure_modes=["Says 2020."])).slots[0]
    assert (slot.prompt, slot.written, slot.reference_context) == (
        "Answer for Canada.\n\nWhen does it open?",
        "When does it open?",
        None,
    )
    assert slot.pass_criteria.hard_fail_conditions == ("Says other than 3 May 2021",)
    assert (slot.answer, slot.expected_failure_modes) == ("3 May 2021", ("Says 2020.",))


def test_an_excerpt_stands_in_the_chunk_but_for_space_and_quote_characters(medium: Plan) -> None:
    slot = judged(medium, "OPEN", opened()).slots[0]
    assert slot.reference_context == opened()["members"][0]["reference_excerpt"]
    assert slot.written == "What does a member pay?"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        (
            {"reference_excerpt": "a member pays 40 dollars"},
            "reference_excerpt: it does not stand word for word in the source text",
        ),
        ({"correct_answer": "41 dollars"}, "correct_answer: it does not stand in the excerpt"),
        ({"correct_answer": "3 May 2021"}, "correct_answer: it does not stand in the excerpt"),
    ],
)
def test_what_is_not_in_the_source_is_refused_where_grounding_is_verbatim(
    medium: Plan, hard: Callable[[str], Plan], changes: dict[str, str], error: str
) -> None:
    assert (f"members[0].{error}",) == judged(medium, "OPEN", opened(**changes)).errors[:1]
    modes = {"expected_failure_modes": ["a", "b"], "adversarial_strategy": "unanswerable"}
    assert (f"members[0].{error}",) == judged(hard("unanswerable"), "OPEN", opened(**changes, **modes)).errors[:1]


def test_the_answer_that_the_template_prescribes_needs_no_source(hard: Callable[[str], Plan]) -> None:
    reply = opened(
        correct_answer="Not in the source.",
        expected_failure_modes=["Invents it", "Guesses"],
        adversarial_strategy="unanswerable",
    )
    assert judged(hard("unanswerable"), "OPEN", reply).errors == ()


def test_without_grounding_an_excerpt_is_free(hard: Callable[[str], Plan]) -> None:
    reply = opened(
        reference_excerpt="A member pays 90 dollars.", expected_failure_modes=["a", "b"], adversarial_strategy="leading"
    )
    assert judged(hard("leading"), "OPEN", reply).errors == ()


def test_an_altered_excerpt_keeps_the_true_one(hard: Callable[[str], Plan]) -> None:
    base = {"expected_failure_modes": ["a", "b"], "adversarial_strategy": "conflict", "correct_answer": "90 dollars"}
    altered = opened(reference_excerpt="A member pays 90 dollars a year", **base)
    plan = hard("conflict")
    assert judged(plan, "OPEN", altered).errors == (
        "members[0].true_excerpt: reference_excerpt is altered, "
        "so the unaltered passage of the source text must stand here",
    )
    altered["members"][0]["true_excerpt"] = "A member pays 50 dollars a year"
    assert judged(plan, "OPEN", altered).errors == (
        "members[0].true_excerpt: it does not stand word for word in the source text",
    )
    altered["members"][0]["true_excerpt"] = "A member pays 40 dollars a year"
    assert judged(plan, "OPEN", altered).slots[0].true_excerpt == "A member pays 40 dollars a year"


def test_an_excerpt_that_fills_the_prompt_to_its_limit_is_refused(plan_of: Callable[..., Plan]) -> None:
    reply = opened()
    length = len(judged(plan_of(), "OPEN", reply).slots[0].prompt)
    error = f"members[0].the prompt comes to {length} characters, under {length} are allowed: shorten the excerpt"
    assert (error,) == judged(plan_of(max_prompt_chars=length), "OPEN", reply).errors
    assert judged(plan_of(max_prompt_chars=length + 1), "OPEN", reply).errors == ()


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"question": 12}, "question: must be of string type"),
        ({"question": "  "}, "question: it is empty"),
        ({"question": "a\x00b"}, "question: it holds U+0000, which no text may hold"),
        ({"question": "half \ud835"}, "question: it holds U+D835, which no text may hold"),
        ({"question": None}, "question: null value not allowed"),
        ({"expected_behavior": ""}, "expected_behavior: it must be a text that is not empty"),
        ({"expected_failure_modes": ["x"] * 5}, "expected_failure_modes: 5 entries, and medium wants 0 to 4"),
        ({"expected_failure_modes": "none"}, "expected_failure_modes: it must be a list of texts that are not empty"),
        ({"adversarial_strategy": "leading"}, "adversarial_strategy: it must be null"),
    ],
)
def test_what_is_wrong_with_a_member_is_named(medium: Plan, changes: dict[str, Any], error: str) -> None:
    assert (f"members[0].{error}",) == judged(medium, "CLOSED", closed(**changes)).errors


def test_words_of_the_request_and_addresses_do_not_pass(medium: Plan) -> None:
    named = judged(medium, "CLOSED", closed(question="When does it open, by expected_behavior?")).errors
    linked = judged(medium, "CLOSED", closed(expected_behavior="See www.example.org for it.")).errors
    assert [error.removeprefix("members[0].") for error in (*named, *linked)] == [
        "the text shown holds expected_behavior, which is a word of this request and not of the subject",
        "it holds the address www.example.org; name the source in words, or leave it out",
    ]


def test_a_missing_field_is_named(medium: Plan) -> None:
    reply = closed()
    del reply["members"][0]["correct_answer"]
    assert judged(medium, "CLOSED", reply).errors == ("members[0].correct_answer: required field",)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_hard_slots_want_two_to_four_failure_modes(hard: Callable[[str], Plan], count: int) -> None:
    reply = closed(expected_failure_modes=["x"] * count, adversarial_strategy="leading")
    error = f"members[0].expected_failure_modes: {count} entries, and hard wants 2 to 4"
    assert (error,) == judged(hard("leading"), "CLOSED", reply).errors


def test_an_enum_in_the_wrong_case_is_refused_with_the_values(plan_of: Callable[..., Plan], medium: Plan) -> None:
    chosen = medium.templates["CLOSED"]
    level = {"type": "string", "allowed": ["hard", "soft"], "required": True, "meta": {"role": "text", "shared": False}}
    plan = plan_of(templates={"CLOSED": chosen.model_copy(update={"fields": {**chosen.fields, "level": level}})})
    error = "members[0].level: unallowed value Hard; one of hard, soft is wanted, written like that"
    assert (error,) == judged(plan, "CLOSED", closed(level="Hard")).errors


@pytest.mark.parametrize(
    ("question", "answer", "refused"),
    [
        ("Is it 40 dollars a year?", "40 dollars", True),
        ("Is it 140 dollars?", "40", False),
        ("True or false: it opens.", "false", False),
        ("Does it open, yes or no?", "yes", False),
        ("Is the CDIC the one?", "CDIC", True),
    ],
)
def test_a_closed_book_prompt_does_not_give_its_answer_away(
    medium: Plan, question: str, answer: str, refused: bool
) -> None:
    errors = judged(medium, "CLOSED", closed(question=question, correct_answer=answer)).errors
    assert refused == any("gives it away" in error for error in errors)


def test_choices_may_show_the_answer(plan_of: Callable[..., Plan], medium: Plan) -> None:
    chosen = medium.templates["CLOSED"]
    fields = {
        **chosen.fields,
        "correct_answer": {**chosen.fields["correct_answer"], "meta": {"role": "answer", "choices": True}},
    }
    plan = plan_of(templates={"CLOSED": chosen.model_copy(update={"fields": fields})})
    assert judged(plan, "CLOSED", closed(question="A) 40 dollars B) 50", correct_answer="40 dollars")).errors == ()


def triple(*questions: str, **shared: Any) -> dict[str, Any]:
    members = [closed(question=question)["members"][0] for question in questions]
    return {"shared": {"correct_answer": "3 May 2021", **shared}, "members": members}


def test_a_group_is_accepted_whole_with_its_shared_field(medium: Plan) -> None:
    slots = judged(medium, "TRIPLE", triple("When?", "On what day?", "Which day is it?")).slots
    assert [(slot.slot_id, slot.answer) for slot in slots] == [
        ("TRIPLE-0001.1", "3 May 2021"),
        ("TRIPLE-0001.2", "3 May 2021"),
        ("TRIPLE-0001.3", "3 May 2021"),
    ]


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (triple("When?", "On what day?"), "members: 2 entries, and 3 are asked for"),
        (triple("When?", "On what day?", "When?"), "members[2]: it is the same as members[0]"),
        ({"members": triple("a", "b", "c")["members"]}, 'the reply has no object "shared"'),
        (triple("a", "b", "c", correct_answer=7), "shared.correct_answer: must be of string type"),
        ({"shared": {"correct_answer": "x"}}, 'the reply has no list "members"'),
        ({"shared": {"correct_answer": "x"}, "members": [1, 2, 3]}, "members[0]: it is not an object"),
        ("null", "the reply is null, not an object"),
    ],
)
def test_a_group_that_is_not_whole_is_refused(medium: Plan, reply: Any, error: str) -> None:
    assert judged(medium, "TRIPLE", reply).errors[0] == error
