"""General forms: every template that has none of its own gets forms that its fields can take."""

import pytest

from evalspec.compiler.forms import general_compose, pack_of
from evalspec.compiler.languages import pack_language
from evalspec.spec.language import faults, names_used
from evalspec.spec.template import COMPOSE_NAMES

TEXT = {"type": "string", "meta": {"role": "text", "shared": False}}
ANSWER = {"type": "string", "meta": {"role": "answer", "shared": False}}
EXCERPT = {"type": "string", "meta": {"role": "excerpt", "shared": False}}
CLOSED = {"question": TEXT, "correct_answer": ANSWER}
OPEN = {"reference_excerpt": EXCERPT, **CLOSED}
SHOWN = "{reference_excerpt}\n{question}"
"""The message of a template; the closed ones have no excerpt to show."""
GROUNDINGS = {
    "plausible_misinformation": "altered",
    "leading_question_framing": "verbatim",
    "near_miss_regulatory_confusion": "verbatim",
    "confident_sounding_unanswerable_questions": "none",
    "own": "none",
    "own_altered": "altered",
}
ALWAYS = {"ask", "value", "statement", "near", "near_why", "subject", "false_statement", "excerpt", "false_excerpt"}
"""Names that every fact gives, those derived from a bare sentence too."""


def texts(form):
    for table in (form.fields, form.shared):
        for variants in table.values():
            yield from (variants,) if isinstance(variants, str) else variants
    yield from form.expected_behavior
    yield from form.expected_failure_modes


@pytest.mark.parametrize("language", ["en", "fr"])
class TestPacks:
    def test_every_text_is_sound(self, language):
        for form in pack_of(language).forms:
            for text in (*form.question, form.answer, *form.expected_behavior, *form.expected_failure_modes):
                assert faults(text, COMPOSE_NAMES) == []

    def test_groups_of_five_find_five_wordings(self, language):
        assert min(len(set(form.question)) for form in pack_of(language).forms) >= 5

    def test_hard_forms_name_two_failure_modes(self, language):
        hard = [form for form in pack_of(language).forms if "hard" in form.difficulty]
        assert min(len(form.expected_failure_modes) for form in hard) >= 2

    @pytest.mark.parametrize("fields", [CLOSED, OPEN], ids=["closed", "open"])
    @pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
    def test_a_fact_from_a_bare_sentence_always_finds_a_form(self, language, fields, difficulty):
        compose = general_compose(fields, GROUNDINGS, language, SHOWN)
        for strategy in GROUNDINGS if difficulty == "hard" else [None]:
            fitting = [
                form
                for form in compose.forms
                if difficulty in form.difficulty and (not form.strategies or strategy in form.strategies)
            ]
            names = [{n for text in texts(f) for n in names_used(text, COMPOSE_NAMES)} | set(f.needs) for f in fitting]
            assert any(own <= ALWAYS for own in names), strategy


class TestFields:
    def test_an_altered_strategy_alters_the_excerpt_and_no_other_does(self):
        compose = general_compose(OPEN, GROUNDINGS, "en", SHOWN)
        shown = {s: form.fields["reference_excerpt"] for form in compose.forms for s in form.strategies}
        assert {name for name, text in shown.items() if text == "{false_excerpt}"} == {
            "plausible_misinformation",
            "own_altered",
        }

    def test_an_answer_stands_in_the_excerpt_where_the_strategy_is_verbatim(self):
        compose = general_compose(OPEN, GROUNDINGS, "en", SHOWN)
        for form in compose.forms:
            verbatim = [s for s in form.strategies if GROUNDINGS[s] == "verbatim"]
            if verbatim or "hard" not in form.difficulty:
                assert form.fields["correct_answer"] == "{value}"

    def test_shared_fields_are_given_once(self):
        fields = {"question": TEXT, "correct_answer": {**ANSWER, "meta": {"role": "answer", "shared": True}}}
        form = general_compose(fields, {}, "en", SHOWN).forms[0]
        assert (set(form.fields), set(form.shared)) == ({"question"}, {"correct_answer"})

    def test_the_prompt_goes_to_the_field_that_is_shown(self):
        fields = {"note": TEXT, "ticket": TEXT}
        form = general_compose(fields, {}, "en", "Ticket: {ticket} ({note})").forms[0]
        assert form.fields["ticket"][0] == "{ask}"
        assert form.fields["note"] == "The matter at hand is {subject}."

    @pytest.mark.parametrize(
        ("rules", "expected"),
        [
            ({"type": "string", "allowed": ["yes", "no"]}, ("yes", "no")),
            ({"type": "integer", "min": 3}, "3"),
            ({"type": "integer", "max": 0}, "0"),
            ({"type": "boolean"}, ("true", "false")),
            ({"type": "list", "minlength": 2}, "{subject}\n{title}"),
        ],
    )
    def test_other_types_are_written_as_text(self, rules, expected):
        fields = {"question": TEXT, "extra": {**rules, "meta": {"role": "text", "shared": False}}}
        assert general_compose(fields, {}, "en", "{question}").forms[0].fields["extra"] == expected

    @pytest.mark.parametrize("language", ["en", "fr"])
    def test_a_field_whose_texts_are_long_takes_a_sentence_and_one_whose_texts_are_short_a_few_words(self, language):
        fields = {
            "question": TEXT,
            "bare": ANSWER,
            "long": ANSWER | {"minlength": 15},
            "short": TEXT | {"maxlength": 40},
        }
        pack = pack_of(language)
        easy = general_compose(fields, GROUNDINGS, language, "{question}").forms[0]
        assert [easy.fields[name] for name in ("bare", "long", "short")] == ["{value}", pack.sentence, pack.brief]
        assert len(pack.sentence.replace("{subject}", "").replace("{value}", "")) >= 15
        assert len(pack.brief) <= 25
        for form in general_compose(fields, GROUNDINGS, language, "{question}").forms:
            assert form.fields["long"] != "{scenario_answer}"

    def test_a_short_field_of_a_known_name_takes_what_that_name_says(self):
        fields = {"question": TEXT, "topic": TEXT | {"maxlength": 100}}
        assert general_compose(fields, {}, "en", "{question}").forms[0].fields["topic"] == "{subject}"

    def test_two_excerpts_are_different_stretches(self):
        fields = {"first_excerpt": EXCERPT, "second_excerpt": EXCERPT, "question": TEXT}
        form = general_compose(fields, {}, "en", "{question}").forms[0]
        assert (form.fields["first_excerpt"], form.fields["second_excerpt"]) == ("{excerpt}", "{excerpt_2}")


class TestSpecial:
    def test_templates_of_policy_strategies_ask_nothing_else(self):
        compose = general_compose({"request": TEXT}, {"policy_boundary_probing": "none"}, "en", "{request}")
        asked = {text for form in compose.forms if "hard" not in form.difficulty for text in form.fields["request"]}
        assert all("{request}" in text for text in asked)

    def test_other_templates_have_no_policy_form_below_hard(self):
        strategies = {"policy_boundary_probing": "none", "leading_question_framing": "verbatim"}
        compose = general_compose(CLOSED, strategies, "en", "{question}")
        easy = [text for form in compose.forms if "easy" in form.difficulty for text in form.fields["question"]]
        assert easy
        assert not any("{request}" in text for text in easy)


def test_a_language_without_a_pack_takes_the_english_one():
    assert (pack_language("fr-CA"), pack_language("xx")) == ("fr", None)
    assert pack_of("xx") == pack_of("en")

    def test_a_template_that_shows_no_excerpt_asks_without_a_text(self):
        hidden = general_compose(OPEN, GROUNDINGS, "en", "{question}")
        closed = general_compose(CLOSED, GROUNDINGS, "en", "{question}")
        assert [form.fields["question"] for form in hidden.forms] == [form.fields["question"] for form in closed.forms]
        assert {form.fields["reference_excerpt"] for form in hidden.forms} == {"{excerpt}"}
