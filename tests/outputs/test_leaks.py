"""What must not stand in a release, and what must: each kind of damage is found by its criterion alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from evalspec.outputs import checks
from evalspec.outputs.assemble import AssembleOptions, assemble
from evalspec.outputs.checks import check
from evalspec.outputs.loading import Answer
from evalspec.spec.template import NegativeExample

Damage = Callable[[Any], None]
INSTRUCTION = "Write one question on the text. It must not be answerable by a search for a single word of it."


class _NoReader:
    def answer(self, _job: Any) -> Answer:
        return Answer()


@pytest.fixture(autouse=True)
def without_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Criteria that `datasets` judges are tested apart."""

    @contextmanager
    def reader() -> Iterator[_NoReader]:
        yield _NoReader()

    monkeypatch.setattr(checks, "reader", reader)


@pytest.fixture(scope="module")
def told(house: Any) -> Any:
    """A plan whose templates have answers, and instructions and examples long enough to be told from chance."""
    example = NegativeExample(
        prompt="What is the deductible of a policy?",
        bad_response="It is 500 a year.",
        why_bad="The text names no deductible at all.",
    )
    templates = {}
    for name, template in house.plan().templates.items():
        fields = {**template.fields, "answer": {"type": "string", "meta": {"role": "answer", "shared": False}}}
        change = {"generation_instruction": INSTRUCTION, "negative_examples": (example, example), "fields": fields}
        templates[name] = template.model_copy(update=change)
    return house.plan(templates=templates)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, house: Any, told: Any) -> Path:
    """A folder with a journal that knows the answers, and its release."""
    folder = tmp_path_factory.mktemp("told")
    lines = []
    for group in told.groups:
        line = house.attempt(group)
        slots = [
            slot.model_copy(update={"answer": (slot.reference_context or "zebra crossing").split("\n")[0][:14]})
            for slot in line.slots
        ]
        lines.append(line.model_copy(update={"slots": tuple(slots)}))
    house.write(folder, [house.run(), *lines])
    assemble(told, folder, AssembleOptions(final=True))
    return folder


@pytest.fixture
def copy(filled: Path, tmp_path: Path, release_of: Any) -> Any:
    return release_of(Path(copytree(filled, tmp_path / "spec")) / "data/final")


def closed(release: Any) -> dict[str, Any]:
    return release.find(prompt_template_id="H1")


def opened(release: Any) -> dict[str, Any]:
    return release.find(prompt_template_id="H2")


def adds(text: str, field: str = "prompt") -> Damage:
    def damage(release: Any) -> None:
        row = closed(release)
        row[field] = f"{row[field]} {text}"

    return damage


def answer_in_context_changed(release: Any) -> None:
    row = opened(release)
    other = row["reference_context"].replace("An excerpt", "Some words")
    row["prompt"] = row["prompt"].replace(row["reference_context"], other)
    row["reference_context"] = other


def context_shortened(release: Any) -> None:
    row = opened(release)
    row["reference_context"] = row["reference_context"].split("\n\n")[0]


def failure_mode(text: str) -> Damage:
    def damage(release: Any) -> None:
        release.find(difficulty="hard", prompt_template_id="H1")["expected_failure_modes"][0] = text

    return damage


def note_with_a_key(release: Any) -> None:
    closed(release)["pass_criteria"]["scoring_notes"] = "ask with ghp_" + "a1B2" * 9


def member_of(field: str, value: str) -> Damage:
    def damage(release: Any) -> None:
        row = next(row for row in release.rows if row["subdimension"] == "pairs" and row[field] not in (value, None))
        row[field] = value

    return damage


def one_strategy(release: Any) -> None:
    for row in release.rows:
        if row["adversarial_strategy"]:
            row["adversarial_strategy"] = "near_miss"


def card(old: str, new: str) -> Damage:
    return lambda release: release.edit_card(old, new)


KEY = "sk-" + "Ab1" * 10
DAMAGES: dict[str, tuple[Damage, set[str]]] = {
    "nothing": (lambda _: None, set()),
    "answer in the prompt": (adds("Is it a Zebra  Crossing?"), {"ES628"}),
    "answer in the genitive": (adds("What of a zebra crossing's 500?"), {"ES628"}),
    "word of the template's own": (adds("Is a bank one that answers?"), set()),
    "answer among options": (adds("\nA) zebra crossing\nB) lien"), set()),
    "answer within a longer word": (adds("zebra crossings"), set()),
    "sentence of the instruction": (
        adds("It must not be answerable by a search for a single word of it."),
        {"ES629"},
    ),
    "negative example copied": (adds("What is the  DEDUCTIBLE of a policy?"), {"ES629"}),
    "reason of a negative example": (adds("The text names no deductible at all."), {"ES629"}),
    "definition of a strategy": (adds("A rule that stands close by | of another country."), {"ES629"}),
    "name of a field": (adds("expected_failure_modes: none"), {"ES629"}),
    "address in a prompt": (adds("See https://bank.ca/rates for more."), {"ES630"}),
    "address without a scheme": (adds("See www.bank.ca for more."), {"ES630"}),
    "address in what is expected": (adds("http://bank.ca/x", "expected_behavior"), {"ES630"}),
    "address in a failure mode": (failure_mode("Cites https://bank.ca"), {"ES630"}),
    "address that is nobody's": (adds("Go to https://login.example.com/x, or http://a.test."), set()),
    "key in a prompt": (adds(f"Use {KEY}."), {"ES630"}),
    "key in the notes": (note_with_a_key, {"ES630"}),
    "key in the card": (card("## Limitations\n", f"## Limitations\n\nMade with {KEY}\n"), {"ES630"}),
    "private key": (adds("-----BEGIN RSA PRIVATE KEY-----"), {"ES630"}),
    "excerpt exchanged": (answer_in_context_changed, {"ES631"}),
    "excerpt shortened": (context_shortened, {"ES631"}),
    "one strategy for all": (one_strategy, {"ES619", "ES632"}),
    "member of another domain": (member_of("source_domain", "tax"), {"ES619", "ES633"}),
    "member of another geography": (member_of("geography", "usa"), {"ES619", "ES633"}),
    "field missing in the card": (card("| `difficulty` | string |", "| difficulty | string |"), {"ES634"}),
    "field of another type in the card": (
        card("| `is_adversarial` | bool |", "| `is_adversarial` | string |"),
        {"ES634"},
    ),
    "field too many in the card": (card("| `id` |", "| `source` | string | x |\n| `id` |"), {"ES634"}),
    "features of the header": (
        card("pretty_name:", "dataset_info:\n  features:\n  - name: id\n    dtype: string\npretty_name:"),
        {"ES634"},
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_by_its_criterion_alone(name: str, copy: Any, told: Any) -> None:
    damage, expected = DAMAGES[name]
    damage(copy)
    copy.save()
    report = check(copy.folder, told, folder=copy.folder.parents[1])
    assert expected == {row.code for row in report.rows if row.verdict == "failed"}, [
        d.message for d in report.diagnostics
    ]
    assert {row.verdict for row in report.rows} <= {"passed", "failed"}


def test_a_key_is_never_shown_whole(copy: Any, told: Any) -> None:
    adds(f"Use {KEY}.")(copy)
    copy.save()
    (diagnostic,) = check(copy.folder, told, folder=copy.folder.parents[1]).diagnostics
    assert diagnostic.message.endswith("holds what looks like a key: sk-Ab1…")
    assert KEY not in diagnostic.message


def test_without_a_plan_odd_groups_are_found(copy: Any) -> None:
    pair = [row for row in copy.rows if row["subdimension"] == "pairs"][:1][0]
    for row in copy.rows:
        if row["id"] in pair["linked_prompt_ids"]:
            row["linked_prompt_ids"] = []
    pair["linked_prompt_ids"] = []
    copy.save()
    report = check(copy.folder)
    assert {"ES633"} == {row.code for row in report.rows if row.verdict == "failed"}


def test_what_prompts_of_a_template_share_is_not_compared_without_a_plan(copy: Any) -> None:
    """Prompts of one line that differ in their last words alone are told apart by those."""
    fixed = "You are asked by a client of a bank about a rule that changed some time ago and must be explained. " * 4
    for number, row in enumerate(row for row in copy.rows if row["prompt_template_id"] == "H1"):
        question = row["prompt"].split("\n\n")[-1]
        row["prompt"] = f"{fixed}Question {number}: {question} Answer in one sentence, and name the rule that you used."
    copy.save()
    report = check(copy.folder)
    assert [row.found for row in report.rows if row.code == "ES610"] == ["0 pairs"]
