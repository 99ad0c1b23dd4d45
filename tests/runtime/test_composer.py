"""What the embedded provider composes, and the facts that it reads out of plain text."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalspec.compiler.compile import Options, compile_spec
from evalspec.runtime.chunks import Chunk, chunks_of, flatten
from evalspec.runtime.composer.compose import NoFormError, Turn, compose_reply
from evalspec.runtime.composer.derive import derived_facts, gap_facts
from evalspec.runtime.composer.figures import moved
from evalspec.runtime.composer.material import Material, fact_values, material_of
from evalspec.runtime.composer.naming import name_alone, named, standing_alone
from evalspec.runtime.composer.phrasebook import phrasebook
from evalspec.runtime.composer.sentences import MAX_EXCERPT_CHARS, MAX_LONG_EXCERPT_CHARS, excerpt_around, sentences
from evalspec.runtime.shapes import Shapes
from evalspec.runtime.sources import Document
from evalspec.runtime.sources.corpus import CorpusSource
from evalspec.runtime.validate import judge
from evalspec.spec.config import CorpusFolder
from evalspec.spec.passage import Fact
from evalspec.spec.plan import Group, Plan, PlannedTemplate
from evalspec.spec.template import Compose, ComposeForm, MemberForm

ROOT = Path(__file__).parents[2]
ENGLISH = phrasebook("en")
STATUTE = """# Harbour Act - Licences

## Licences

### Time to apply

4 A keeper shall apply for a licence within 30 days after the opening of the harbour.

The Harbour Master may refuse a licence. However, a refusal must be explained in writing.

### Definitions

5 In this Act,

berth means a place at which a vessel is moored for more than one night;

keeper means a person who looks after a harbour and is paid for that work;

### Penalties

6 Every person who contravenes an order is guilty of an offence and liable to a fine of not more than $5,000.

If a keeper resigns, the Harbour Master must appoint another keeper.

7 Subsection 4(2) applies in respect of section 12 with any modifications.
"""


def document(text: str, title: str = "Harbour Act - Licences") -> Document:
    return Document(name="a", title=title, text=text, origin="corpus")


def chunk_of(text: str, title: str = "Harbour Act - Licences") -> Chunk:
    return chunks_of([document(text, title)])[0]


def facts_of(text: str, title: str = "Harbour Act - Licences", language: str = "en") -> tuple[Fact, ...]:
    return derived_facts(sentences(text), language, 7, title)


# sentences and excerpts


def test_sentences_leave_headings_out_and_remember_them() -> None:
    found = sentences("# Title\n\nOne is here. Two is there.\n\n## Part\n\nThree follows.")
    assert [(s.paragraph, s.text, s.heading) for s in found] == [
        (3, "One is here.", "Title"),
        (3, "Two is there.", "Title"),
        (6, "Three follows.", "Part"),
    ]


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("(1) A bank must answer.", "A bank must answer."),
        ("15 An officer may search.", "An officer may search."),
        ("- A list has items.", "A list has items."),
        ("30 days is the limit.", "30 days is the limit."),
        ("2024 was a year.", "2024 was a year."),
    ],
)
def test_a_body_has_no_list_marker(text: str, body: str) -> None:
    assert [s.body for s in sentences(text)] == [body]


def test_a_closing_quote_stays_with_its_sentence() -> None:
    found = sentences("He said “We pay.” The bank paid. See art. 4 of it.")
    assert [s.text for s in found] == ["He said “We pay.”", "The bank paid.", "See art. 4 of it."]


words = st.text(alphabet="abcdé “”’(),;:%$-0123456789\n#.!?ABC", max_size=400)


@given(words)
def test_sentences_and_excerpts_stand_word_for_word_in_the_text(text: str) -> None:
    flat = flatten("\n\n".join(block for block in text.split("\n\n") if "#" not in block))
    found = sentences("\n\n".join(block for block in text.split("\n\n") if "#" not in block))
    for sentence in found:
        assert flatten(sentence.text) in flat
        excerpt = excerpt_around(found, sentence.text, across=True)
        assert excerpt is not None
        assert flatten(excerpt) in flat


def test_an_excerpt_stays_in_its_paragraph() -> None:
    long = [" ".join(f"Paragraph {p} has sentence {n} of some length in it." for n in range(8)) for p in range(3)]
    excerpt = excerpt_around(sentences("\n\n".join(long)), "Paragraph 1 has sentence 3 of some length in it.")
    assert excerpt is not None
    assert (excerpt in long[1], "Paragraph 0" in excerpt, "Paragraph 2" in excerpt) == (True, False, False)
    assert len(excerpt) <= MAX_EXCERPT_CHARS


def test_a_long_excerpt_crosses_paragraphs_but_no_heading() -> None:
    blocks = ["Alpha comes first here.", "Beta comes second here.", "## Break", "Gamma comes third here."]
    found = sentences("\n\n".join(blocks))
    excerpt = excerpt_around(found, "Beta comes second here.", MAX_LONG_EXCERPT_CHARS, across=True)
    assert excerpt == "Alpha comes first here. Beta comes second here."


def test_a_statement_that_stands_nowhere_has_no_excerpt() -> None:
    assert excerpt_around(sentences("Alpha comes first."), "Beta comes first.") is None


# names of texts


@pytest.mark.parametrize(
    ("title", "act", "under"),
    [
        ("Bank Act - Share Capital", "the Bank Act", "under the Bank Act"),
        ("§ 1005.10 Preauthorized transfers.", "§ 1005.10 (“Preauthorized transfers”)", None),
        ("How bread rises", "the text “How bread rises”", "according to the text “How bread rises”"),
        ("tm2430436-1_424b5", "the text at hand", "according to the text at hand"),
        ("", "the text at hand", "according to the text at hand"),
    ],
)
def test_a_text_is_named_by_its_title(title: str, act: str, under: str | None) -> None:
    found = named(title, ENGLISH)
    assert (found.act, found.under) == (act, under or f"under {act}")


def test_a_files_name_of_plain_words_is_a_title() -> None:
    assert [named(title, ENGLISH).act for title in ("refund_policy", "late-fees", "parcels", "faq2", "q3_figures")] == [
        "the text “Refund policy”",
        "the text “Late fees”",
        "the text “Parcels”",
        "the text at hand",
        "the text at hand",
    ]


@pytest.mark.parametrize(
    ("title", "headings", "opening", "name"),
    [
        ("doc17", ["", "Returns of parcels"], "A parcel may be sent back.", "the text “Returns of parcels”"),
        ("doc17", [], "A parcel may be sent back within 30 days.", "the text “A parcel may be sent …”"),
        ("doc17", [], "Within 30 days a parcel may be sent back.", None),
        ("How bread rises", ["Yeast in dough"], "Bread rises.", None),
    ],
)
def test_a_text_without_a_title_is_named_by_its_heading_or_opening(
    title: str, headings: list[str], opening: str, name: str | None
) -> None:
    assert name == name_alone(title, headings, opening, ENGLISH)


def test_a_question_that_stands_alone_names_the_text_and_leaves_what_it_quotes() -> None:
    said = {
        "ask": "What does the text at hand say?",
        "other_ask": "The text at hand: what?",
        "value": "the text at hand",
    }
    assert standing_alone(said, "the text at hand", "the text “Returns”") == {
        "ask": "What does the text “Returns” say?",
        "other_ask": "The text “Returns”: what?",
        "value": "the text at hand",
    }


# derived facts


def by_statement(text: str, start: str) -> Fact:
    return next(fact for fact in facts_of(text) if fact.statement.startswith(start))


def test_a_deadline_is_asked_for_in_days() -> None:
    fact = by_statement(STATUTE, "A keeper shall apply")
    assert (fact.kind, fact.value, fact.near.endswith(" days")) == ("figure", "30 days", True)
    asks = {derived_facts(sentences(STATUTE), "en", seed, "Harbour Act - Licences")[0].ask for seed in range(12)}
    assert (
        "Under the Harbour Act, within how many days after the opening of the harbour must a keeper apply for a licence?"  # noqa: E501
        in asks
    )


def test_a_penalty_is_asked_for_by_its_height() -> None:
    fact = by_statement(STATUTE, "Every person who contravenes")
    assert fact.value == "$5,000"
    assert fact.subject == "the highest fine for every person who contravenes an order under the Harbour Act"


def test_a_definition_is_asked_as_a_definition() -> None:
    fact = by_statement(STATUTE, "berth means")
    assert fact.value in {"berth", "a place at which a vessel is moored for more than one night"}
    assert "____" not in fact.ask
    assert fact.confusable == "keeper"


def test_a_condition_opens_the_question_and_is_kept() -> None:
    fact = by_statement(STATUTE, "If a keeper resigns")
    assert fact.condition == "if a keeper resigns"
    assert fact.ask.startswith("Under the Harbour Act, if a keeper resigns, ")


def test_a_sentence_that_limits_the_one_before_it_is_its_exception() -> None:
    fact = by_statement(STATUTE, "The Harbour Master may refuse")
    assert fact.exception == "However, a refusal must be explained in writing."


def test_a_sentence_of_cross_references_gives_no_fact() -> None:
    assert [fact for fact in facts_of(STATUTE) if "modifications" in fact.statement] == []


@pytest.mark.parametrize(
    "text",
    [
        "The following persons shall apply within 30 days after the opening:",
        "providing a notice within two business days after the transfer occurs.",
        "It must be sent within 30 days after its receipt.",
        "This section applies to them within 30 days after that date.",
        "[Repealed, 2007, c. 6, s. 239]",
        "Section 12 shall be read within 30 days after subsection (3) is.",
    ],
)
def test_fragments_and_sentences_that_do_not_stand_alone_give_no_fact(text: str) -> None:
    assert facts_of(text) == ()


def test_a_duty_is_asked_without_giving_it_away() -> None:
    text = "A creditor must not refuse to grant an account to a creditworthy applicant."
    found = [derived_facts(sentences(text), "en", seed, "Harbour Act")[0] for seed in range(20)]
    duties = [fact for fact in found if fact.kind == "rule"]
    assert {(fact.value, fact.near) for fact in duties} == {("must not refuse", "may refuse")}
    assert {fact.value in fact.ask for fact in duties} == {False}


def test_a_text_with_nothing_to_ask_gives_gaps() -> None:
    text = "Wonderful mornings followed. Sometimes everything glittered splendidly outside for us all day."
    assert facts_of(text) == ()
    assert [("____" in fact.ask, fact.kind) for fact in gap_facts(sentences(text), "en", 7)][:1] in (
        [],
        [(True, "term")],
    )


def test_other_languages_have_their_own_patterns() -> None:
    text = "Le jardinier doit arroser les semis dans les 15 jours. La profondeur du sillon est de 3 cm en terre lourde."
    found = facts_of(text, "Le semis", "fr-CA")
    assert [fact.value for fact in found] == ["15 jours", "3 cm"]
    assert found[0].ask == "Selon le texte « Le semis », dans quel délai le jardinier doit arroser les semis ?"


pieces = st.lists(
    st.sampled_from(
        [
            "A keeper shall apply within 30 days after the opening.",
            "berth means a place at which a vessel is moored for one night;",
            "The Board may refuse.",
            "If it rains, the Minister must close the harbour within one hour of the alarm.",
            "The fee is $1,250.50 for each berth.",
            "Every owner is liable to a fine of not more than ten thousand dollars.",
            "Der Hafen wurde in 1899 gebaut.",
            "The harbour was opened in 1899.",
            "## Heading",
            "- item one; or",
            "(a) the",
            "“Quoted” {brace} {{ jinja }} {% if %}",
            "5 5 5 5 5 5%.",
        ]
    )
    | words,
    max_size=12,
)


@settings(max_examples=120, deadline=None)
@given(pieces, st.sampled_from(["en", "fr", "de", ""]), st.text(max_size=40))
def test_any_text_gives_facts_that_its_sentences_bear_out(parts: list[str], language: str, title: str) -> None:
    text = "\n\n".join(parts)
    flat = " ".join(text.split())
    found = sentences(text)
    facts = [*derived_facts(found, language, 3, title), *gap_facts(found, language, 3, title)]
    for fact in facts:
        assert fact.statement in flat
        assert fact.value in fact.statement
        assert fact.near != fact.value
        assert fact.near.casefold() not in fact.statement.casefold()
        if fact.counterpart_value:
            assert fact.counterpart_value.casefold() not in fact.statement.casefold()
        if fact.scenario:
            assert fact.scenario.answer != fact.scenario.wrong


@pytest.mark.parametrize("figure", ["30 days", "$5,000", "$1.25 million", "12.5 %", "two business days", "1899"])
def test_a_moved_figure_keeps_its_form(figure: str) -> None:
    other = moved(figure, 1, book=ENGLISH)
    assert other is not None and other != figure
    assert figure.split()[1:] == other.split()[1:]
    assert ("$" in figure, "." in figure, "," in figure) == ("$" in other, "." in other, "," in other)


# composing


@dataclass(frozen=True)
class Small:
    plan: Plan
    material: Material
    chunk: Chunk


@pytest.fixture
def small(plan_of: Callable[..., Plan], passage_of: Callable[..., str], tmp_path: Path) -> Small:
    plan = plan_of({"CLOSED": 6, "OPEN": 2, "TRIPLE": 2}, provider="embedded")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.md").write_text(passage_of("scheme", "banking"), encoding="utf-8")
    chunk = chunks_of(
        d for d in CorpusSource(tmp_path, CorpusFolder(path="corpus")).documents() if isinstance(d, Document)
    )[0]
    return Small(plan, material_of(chunk, "en", 7), chunk)


def group_of(plan: Plan, name: str, number: int = 0) -> Group:
    return [group for group in plan.groups if group.slots[0].template_id == name][number]


def with_form(plan: Plan, name: str, *forms: ComposeForm, lists: dict[str, Any] | None = None, **change: Any) -> Plan:
    changed = plan.templates[name].model_copy(update={"compose": Compose(forms=forms, lists=lists or {}), **change})
    return plan.model_copy(update={"templates": {**plan.templates, name: changed}})


BEHAVES: dict[str, Any] = {"expected_behavior": "States {value}.", "expected_failure_modes": ("{near}", "Nothing")}


def test_the_same_turn_gives_the_same_reply(small: Small) -> None:
    group = group_of(small.plan, "OPEN")
    again = material_of(small.chunk, "en", 7)
    turn = Turn(7, 3, 1)
    assert compose_reply(small.plan, group, small.material, turn) == compose_reply(small.plan, group, again, turn)


def test_members_of_a_group_share_the_fact_and_differ_in_their_words(small: Small) -> None:
    reply = compose_reply(small.plan, group_of(small.plan, "TRIPLE"), small.material, Turn(7, 0, 1))
    fact = next(f for f in small.material.facts if f.value == reply["shared"]["correct_answer"])
    questions = [member["question"] for member in reply["members"]]
    assert len(set(questions)) == 3
    assert [fact.ask in question for question in questions] == [True, True, True]


def test_successive_turns_go_through_all_facts(small: Small) -> None:
    group = group_of(small.plan, "CLOSED")
    count = len(small.material.facts)
    values = [
        compose_reply(small.plan, group, small.material, Turn(7, n, 1))["members"][0]["correct_answer"]
        for n in range(2 * count)
    ]
    assert sorted(values[:count]) == sorted(fact.value for fact in small.material.facts)
    assert values[:count] == values[count:]


def test_forms_go_by_difficulty_and_strategy(small: Small, plan_of: Callable[..., Plan]) -> None:
    forms = [
        ComposeForm(difficulty=("easy",), fields={"question": "easy {ask}", "correct_answer": "{value}"}, **BEHAVES),
        ComposeForm(
            difficulty=("medium",), fields={"question": "medium {ask}", "correct_answer": "{value}"}, **BEHAVES
        ),
        ComposeForm(difficulty=("hard",), fields={"question": "any {ask}", "correct_answer": "{value}"}, **BEHAVES),
        ComposeForm(strategies=("leading",), fields={"question": "led {near}", "correct_answer": "{value}"}, **BEHAVES),
    ]
    hard = plan_of({"CLOSED": 1}, provider="embedded", strategy="leading")
    other = plan_of({"CLOSED": 1}, provider="embedded", strategy="unanswerable")
    said = {}
    for plan in (small.plan, hard, other):
        for group in plan.groups:
            if group.slots[0].template_id == "CLOSED":
                slot = group.slots[0]
                reply = compose_reply(with_form(plan, "CLOSED", *forms), group, small.material, Turn(7, 0, 1))
                said[(slot.difficulty, slot.adversarial_strategy)] = reply["members"][0]["question"].split()[0]
    assert said == {
        ("easy", None): "easy",
        ("medium", None): "medium",
        ("hard", "leading"): "led",
        ("hard", "unanswerable"): "any",
    }


def test_failure_modes_are_as_many_as_the_difficulty_allows(small: Small) -> None:
    counts = {
        group.slots[0].difficulty: len(
            compose_reply(small.plan, group, small.material, Turn(7, 0, 1))["members"][0]["expected_failure_modes"]
        )
        for group in small.plan.groups
        if group.slots[0].template_id == "CLOSED"
    }
    assert counts == {"easy": 0, "medium": 2}


def test_names_of_a_form_may_use_each_other_in_any_order(small: Small) -> None:
    lets = {"a": "{b}!", "b": "{c}?", "c": "{value}"}
    replies = []
    for names in (lets, dict(reversed(lets.items()))):
        form = ComposeForm(let=names, fields={"question": "{a}", "correct_answer": "{value}"}, **BEHAVES)
        plan = with_form(small.plan, "CLOSED", form)
        replies.append(compose_reply(plan, group_of(plan, "CLOSED"), small.material, Turn(7, 0, 1)))
    assert replies[0] == replies[1]
    member = replies[0]["members"][0]
    assert member["question"] == f"{member['correct_answer']}?!"


def test_names_that_use_each_other_in_a_ring_fit_nothing(small: Small) -> None:
    form = ComposeForm(let={"a": "{b}", "b": "{a}"}, fields={"question": "{a}"}, **BEHAVES)
    plan = with_form(small.plan, "CLOSED", form)
    with pytest.raises(NoFormError):
        compose_reply(plan, group_of(plan, "CLOSED"), small.material, Turn(7, 0, 1))


def test_fields_take_the_type_of_their_rules(small: Small) -> None:
    fields = {
        "count": {"type": "integer"},
        "share": {"type": "float"},
        "sure": {"type": "boolean"},
        "steps": {"type": "list", "schema": {"type": "integer"}},
        "question": {"type": "string"},
    }
    texts = {"count": "1,200", "share": "0.5", "sure": "true", "steps": "1\n2\n3", "question": "{ask}"}
    plan = with_form(small.plan, "CLOSED", ComposeForm(fields=texts, **BEHAVES), fields=fields)
    member = compose_reply(plan, group_of(plan, "CLOSED"), small.material, Turn(7, 0, 1))["members"][0]
    assert {name: member[name] for name in ("count", "share", "sure", "steps")} == {
        "count": 1200,
        "share": 0.5,
        "sure": True,
        "steps": [1, 2, 3],
    }


def test_a_text_that_is_too_long_for_its_field_goes_with_another_fact(small: Small) -> None:
    facts = list(small.material.facts)
    facts[0] = facts[0].model_copy(update={"ask": "Why " + "so " * 150 + "long?"})
    material = replace(small.material, facts=tuple(facts))
    rules = {"question": {"type": "string", "maxlength": 100}, "correct_answer": {"type": "string"}}
    plan = small.plan.model_copy(
        update={
            "templates": {
                **small.plan.templates,
                "CLOSED": small.plan.templates["CLOSED"].model_copy(update={"fields": rules}),
            }
        }
    )
    group = group_of(plan, "CLOSED")
    lengths = {len(compose_reply(plan, group, material, Turn(7, n, 1))["members"][0]["question"]) for n in range(8)}
    assert max(lengths) <= 100


@pytest.mark.parametrize("needs", ["counterpart_value", "setup", "confusable"])
def test_a_form_that_needs_what_no_fact_has_fits_nothing(small: Small, needs: str) -> None:
    form = ComposeForm(needs=(needs,), fields={"question": "{ask}", "correct_answer": "{value}"}, **BEHAVES)
    plan = with_form(small.plan, "CLOSED", form)
    with pytest.raises(NoFormError):
        compose_reply(plan, group_of(plan, "CLOSED"), small.material, Turn(7, 0, 1))


def test_gaps_are_a_last_resort(small: Small) -> None:
    text = "Wonderful mornings followed everywhere in town. Sometimes everything glittered in the harbour that year."
    material = material_of(chunk_of(text, "A morning"), "en", 7)
    group = group_of(small.plan, "CLOSED")
    with pytest.raises(NoFormError):
        compose_reply(small.plan, group, material, Turn(7, 0, 1))
    reply = compose_reply(small.plan, group, material, Turn(7, 0, 1, gaps=True))
    assert "____" in reply["members"][0]["question"]


def test_an_altered_excerpt_comes_with_the_true_one(small: Small, plan_of: Callable[..., Plan]) -> None:
    hard = plan_of({"OPEN": 1}, provider="embedded", strategy="conflict")
    fields = {"question": "{ask}", "reference_excerpt": "{false_excerpt}", "correct_answer": "{value}"}
    plan = with_form(hard, "OPEN", ComposeForm(fields=fields, **BEHAVES))
    member = compose_reply(plan, plan.groups[0], small.material, Turn(7, 0, 1))["members"][0]
    assert flatten(member["true_excerpt"]) in small.chunk.flat
    assert member["reference_excerpt"] != member["true_excerpt"]


def test_the_right_option_is_named_by_its_letter(small: Small) -> None:
    for fact in small.material.facts:
        values = fact_values(small.material, fact, 0, 7)
        options = dict(line.split(") ", 1) for line in values["choices"].splitlines())
        assert options[values["choice"]] == fact.value
        assert len(set(options.values())) == len(options) >= 2


def test_members_take_the_forms_of_their_positions(small: Small) -> None:
    members = tuple(
        MemberForm(fields={"question": f"{n} {{ask}}"}, expected_behavior="States {value}.") for n in range(3)
    )
    plan = with_form(small.plan, "TRIPLE", ComposeForm(shared={"correct_answer": "{value}"}, members=members))
    reply = compose_reply(plan, group_of(plan, "TRIPLE"), small.material, Turn(7, 0, 1))
    assert [member["question"][0] for member in reply["members"]] == ["0", "1", "2"]


# whole specs


def compiled(folder: Path) -> Plan:
    plan = compile_spec(folder, Options()).plan
    assert plan is not None
    return plan


def passages(folder: Path) -> list[Chunk]:
    found = CorpusSource(folder, CorpusFolder(path="corpus")).documents()
    return list(chunks_of(entry for entry in found if isinstance(entry, Document)))


@pytest.fixture(scope="module")
def french() -> tuple[Plan, list[Chunk]]:
    folder = ROOT / "tests" / "golden" / "french"
    return compiled(folder), passages(folder)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, list[Chunk]]:
    folder = tmp_path_factory.mktemp("shipped") / "bfsi"
    shutil.copytree(ROOT / "spec" / "bfsi", folder)
    return compiled(folder), passages(folder)


def accepted(plan: Plan, group: Group, chunk: Chunk) -> bool:
    material = material_of(chunk, plan.dataset.language, plan.dataset.seed)
    try:
        reply = compose_reply(plan, group, material, Turn(plan.dataset.seed, 0, 1, gaps=True))
    except NoFormError:
        return False
    return bool(judge(plan, group, Shapes(plan).of(group), chunk, json.dumps(reply, ensure_ascii=False)).slots)


def kinds(plan: Plan) -> dict[tuple[tuple[str, ...], str, str | None], Group]:
    """One group of each template, difficulty and strategy."""
    out = {}
    for group in plan.groups:
        first = group.slots[0]
        names = tuple(slot.template_id for slot in group.slots)
        out.setdefault((names, first.difficulty, first.adversarial_strategy), group)
    return out


def test_general_forms_fill_every_kind_of_group_of_a_french_spec(french: tuple[Plan, list[Chunk]]) -> None:
    plan, chunks = french
    missing = [key for key, group in kinds(plan).items() if not any(accepted(plan, group, c) for c in chunks)]
    assert missing == []


def test_general_forms_speak_the_language_of_the_dataset(french: tuple[Plan, list[Chunk]]) -> None:
    _, chunks = french
    plain = next(chunk for chunk in chunks if not chunk.facts)
    facts = derived_facts(sentences(plain.text), "fr", 7, plain.title) or gap_facts(sentences(plain.text), "fr", 7)
    assert facts != ()
    assert [fact.ask for fact in facts if " the " in fact.ask or "Which" in fact.ask] == []


def test_every_kind_of_group_of_the_shipped_spec_finds_a_passage(shipped: tuple[Plan, list[Chunk]]) -> None:
    plan, chunks = shipped
    missing = [key for key, group in kinds(plan).items() if not any(accepted(plan, group, c) for c in chunks)]
    assert missing == []


def test_the_shipped_templates_fill_from_a_statute_without_facts(shipped: tuple[Plan, list[Chunk]]) -> None:
    plan, _ = shipped
    chunk = chunk_of(STATUTE)
    filled = [key for key, group in kinds(plan).items() if accepted(plan, group, chunk)]
    assert len(filled) * 10 > len(kinds(plan)) * 9


def test_turns_of_one_kind_differ(shipped: tuple[Plan, list[Chunk]]) -> None:
    plan, chunks = shipped
    group = next(iter(kinds(plan).values()))
    material = material_of(chunks[0], "en", plan.dataset.seed)
    replies = [compose_reply(plan, group, material, Turn(plan.dataset.seed, n, 1)) for n in range(4)]
    assert [one != two for one, two in pairwise(replies)] == [True, True, True]


def test_templates_are_planned_with_a_compose_block(french: tuple[Plan, list[Chunk]]) -> None:
    plan, _ = french
    empty: list[PlannedTemplate] = [template for template in plan.templates.values() if not template.compose.forms]
    assert empty == []
