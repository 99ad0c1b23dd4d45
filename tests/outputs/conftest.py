"""A synthetic plan of 300 records, a journal that fills it, and the release that comes of the two."""

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evalspec.outputs.assemble import AssembleOptions, assemble
from evalspec.outputs.records import to_table
from evalspec.outputs.writers import jsonl, parquet
from evalspec.spec import fingerprint, journal
from evalspec.spec.config import (
    Acceptance,
    Card,
    Corpus,
    CorpusFolder,
    Dataset,
    Dedup,
    SizeRange,
    SourceConfig,
    Strategy,
)
from evalspec.spec.draw import draw_uuid4
from evalspec.spec.generation import GenerationModel
from evalspec.spec.plan import Allocation, Filters, Group, Origin, Plan, PlannedTemplate, Quota, Slot, SubdimensionQuota
from evalspec.spec.record import RecordCriteria
from evalspec.spec.template import Compose, ComposeForm, NegativeExample

SEED = 7
DOMAINS = {"banking": 0.5, "insurance": 0.3, "tax": 0.2}
GEOGRAPHIES = {"canada": 0.5, "usa": 0.35, "general": 0.15}
DIFFICULTIES = {"easy": 0.2, "medium": 0.4, "hard": 0.4}
DIMENSIONS = {"hallucination": 180, "consistency": 120}
SHAPES = (  # subdimension, dimension, templates of a group, groups
    ("closed_book", "hallucination", ("H1",), 100),
    ("open_book", "hallucination", ("H2",), 80),
    ("pairs", "consistency", ("C2", "C2"), 30),
    ("triples", "consistency", ("H4", "H4", "H4"), 20),
)
STRATEGIES = {
    "leading_question": Strategy(
        definition="The question presupposes something false.", when="A fact.", grounding="none"
    ),
    "near_miss": Strategy(definition="A rule that stands close by | of another country.", when="A counterpart."),
}
NEGATIVE = NegativeExample(prompt="What is the limit?", bad_response="It is 5.", why_bad="It is not.")
CRITERIA = RecordCriteria(
    rubric_type="faithfulness_1_5",
    min_passing_score=4,
    scoring_description="5=right; 1=wrong",
    hard_fail_conditions=("States another value",),
    auto_scoreable=True,
    scoring_notes="",
)
WORDS = tuple(
    word
    for line in (
        "account deposit premium policy claim mortgage pension annuity broker dividend ledger escrow lender",
        "insurer actuary audit bond coupon credit debit equity estate fund grant hedge index issuer lease",
        "levy lien margin merger notary option payee payroll pledge probate quota rebate reserve risk",
        "rollover salary surety tariff tender title trust underwriter valuation vesting voucher warrant",
        "waiver yield",
    )
    for word in line.split()
)


def make_template(name: str, system: str, message: str, fields: dict[str, str]) -> PlannedTemplate:
    return PlannedTemplate(
        id=name,
        description=f"Template {name}, with a | in its text.",
        system_prompt=system,
        user_message_template=message,
        generation_instruction="Write a question.",
        negative_examples=(NEGATIVE, NEGATIVE),
        pass_criteria=CRITERIA,
        strategies=tuple(STRATEGIES),
        fields={key: {"type": "string", "meta": {"role": role, "shared": False}} for key, role in fields.items()},
        compose=Compose(forms=(ComposeForm(fields={"question": "{ask}"}, expected_behavior="{value}"),)),
    )


TEMPLATES = {
    "H1": make_template("H1", "You answer questions of clients of a bank.", "{question}", {"question": "text"}),
    "H2": make_template(
        "H2",
        "Answer using only the excerpt that is given below.",
        "Sources:\n[1] {excerpt}\n\nQuestion: {question}",
        {"question": "text", "excerpt": "excerpt"},
    ),
    "C2": make_template("C2", "", "{question}", {"question": "text"}),
    "H4": make_template("H4", "", "{question}", {"question": "text"}),
}


def _neediest(shares: dict[str, float], placed: Counter[str]) -> str:
    total = sum(placed.values()) + 1
    return max(shares, key=lambda name: (shares[name] * total - placed[name], name))


def make_groups(shapes: tuple[Any, ...] = SHAPES) -> list[Group]:
    digests = {key: fingerprint.template_digest(template) for key, template in TEMPLATES.items()}
    placed: dict[str, Counter[str]] = {"domain": Counter(), "geography": Counter(), "difficulty": Counter()}
    groups: list[Group] = []
    for name, dimension, members, count in sorted(shapes, key=lambda shape: -len(shape[2])):
        for ordinal in range(1, count + 1):
            group_id = f"{members[0]}-{ordinal:04d}"
            domain = _neediest(DOMAINS, placed["domain"])
            geography = _neediest(GEOGRAPHIES, placed["geography"])
            difficulty = _neediest(DIFFICULTIES, placed["difficulty"])
            for axis, value in (("domain", domain), ("geography", geography), ("difficulty", difficulty)):
                placed[axis][value] += len(members)
            strategy = list(STRATEGIES)[ordinal % 2] if difficulty == "hard" else None
            ids = [f"{group_id}.{n}" for n in range(1, len(members) + 1)]
            slots = tuple(
                Slot(
                    slot_id=slot_id,
                    record_id=draw_uuid4(SEED, slot_id),
                    template_id=members[0],
                    dimension=dimension,
                    subdimension=name,
                    source_domain=domain,
                    geography=geography,
                    difficulty=difficulty,
                    adversarial_strategy=strategy,
                    is_adversarial=difficulty == "hard",
                    linked_slots=tuple(other for other in ids if other != slot_id),
                    origin=f"subdimensions.{name}",
                )
                for slot_id in ids
            )
            mark = fingerprint.group_fingerprint(slots, digests, STRATEGIES, dict.fromkeys((domain, geography), "x"))
            groups.append(Group(group_id=group_id, subdimension=name, fingerprint=mark, slots=slots))
    order = [shape[0] for shape in shapes]
    return sorted(groups, key=lambda group: order.index(group.subdimension))


def _quotas(section: str, asked: dict[str, float], planned: Counter[str]) -> tuple[Quota, ...]:
    return tuple(
        Quota(name=name, asked=float(value), planned=planned[name], why="", origin=f"{section}.{name}")
        for name, value in asked.items()
    )


def _origins(keys: list[str]) -> dict[str, Origin]:
    return {
        key: Origin(
            file="generation_config.yaml",
            line=line,
            column=3,
            end_line=line,
            end_column=3 + len(key),
            path=key,
            text=f"  {key}: 1",
        )
        for line, key in enumerate(keys, 10)
    }


def make_plan(**changes: Any) -> Plan:
    """The plan, with some of its fields changed."""
    groups = make_groups(changes.pop("shapes", SHAPES))
    slots = [slot for group in groups for slot in group.slots]
    total = len(slots)
    count = {key: Counter(getattr(slot, key) for slot in slots) for key in Slot.model_fields if key != "linked_slots"}
    shapes = {name: (dimension, members, n) for name, dimension, members, n in SHAPES}
    allocation = Allocation(
        total=total,
        calls=len(groups),
        dimensions=_quotas("dimension_split", dict(DIMENSIONS), count["dimension"]),
        subdimensions=tuple(
            SubdimensionQuota(
                name=name,
                asked=float(len(members) * n),
                planned=count["subdimension"][name],
                why="",
                origin=f"subdimensions.{name}",
                dimension=dimension,
                groups=n,
                group_size=len(members),
            )
            for name, (dimension, members, n) in shapes.items()
        ),
        domains=_quotas("domain_split", {k: v * 300 for k, v in DOMAINS.items()}, count["source_domain"]),
        difficulties=_quotas("difficulty_split", {k: v * 300 for k, v in DIFFICULTIES.items()}, count["difficulty"]),
        geographies=_quotas("geography_split", {k: v * 300 for k, v in GEOGRAPHIES.items()}, count["geography"]),
        strategies=(),
        proved=True,
    )
    keys = ["dataset", "acceptance", "card", "generation_model", "dedup", "geography_split"]
    keys += [f"{section}.{name}" for section, names in (
        ("dimension_split", DIMENSIONS),
        ("domain_split", DOMAINS),
        ("difficulty_split", DIFFICULTIES),
        ("subdimensions", shapes),
    ) for name in names]  # fmt: skip
    values: dict[str, Any] = {
        "format_version": 1,
        "spec_digest": "ab" * 32,
        "dataset": Dataset(target_total=300, seed=SEED),
        "filters": Filters(),
        "generation_model": GenerationModel(provider="custom", model_name="model-x"),
        "sources": SourceConfig(corpus=Corpus(enabled=True, folders=(CorpusFolder(path="corpus"),))),
        "labels": {
            **{name: name for name in DOMAINS},
            "canada": "Canada",
            "usa": "the United States",
            "general": "any",
        },
        "strategies": STRATEGIES,
        "templates": TEMPLATES,
        "acceptance": Acceptance(size=SizeRange(min=285, max=315)),
        "dedup": Dedup(),
        "card": Card(pretty_name="A synthetic set", author="Évelyne O'Neil", description="Made by hand."),
        "allocation": allocation,
        "origins": _origins(keys),
        "groups": tuple(groups),
    }
    return Plan(**values | changes)


def question_for(slot: Slot, salt: str = "") -> str:
    """A question that no other slot has."""
    drawn = random.Random(f"{slot.slot_id}{salt}")
    return f"How does the {' '.join(drawn.sample(WORDS, 9))} change the {' '.join(drawn.sample(WORDS, 6))} here?"


def filled_slot(slot: Slot, written: str) -> journal.FilledSlot:
    excerpt = f"An excerpt about the {written.split()[3]} of a client.\n\nIt has a second paragraph."
    context = excerpt if slot.template_id == "H2" else None
    system = TEMPLATES[slot.template_id].system_prompt
    message = f"Sources:\n[1] {excerpt}\n\nQuestion: {written}" if context else written
    modes = {"easy": (), "medium": ("Says no",), "hard": ("Says yes", "Says nothing")}[slot.difficulty]
    return journal.FilledSlot(
        slot_id=slot.slot_id,
        prompt=f"{system}\n\n{message}" if system else message,
        written=written,
        reference_context=context,
        expected_behavior="Says what the rule is.",
        expected_failure_modes=modes,
        pass_criteria=CRITERIA,
    )


def attempt_line(
    group: Group,
    written: dict[str, str] | None = None,
    *,
    attempt: int = 1,
    provider: str = "custom",
    form: str | None = None,
) -> journal.AttemptLine:
    """An accepted attempt; `written` replaces the question of some slots."""
    texts = written or {}
    return journal.AttemptLine(
        group=group.group_id,
        attempt=attempt,
        fingerprint=group.fingerprint,
        provider=provider,
        model="model-x",
        form=form,
        chunk="c",
        request="r",
        reply="{}",
        outcome="accepted",
        slots=tuple(filled_slot(slot, texts.get(slot.slot_id, question_for(slot))) for slot in group.slots),
    )


def run_line(at: str = "2025-01-01T00:00:00Z") -> journal.RunLine:
    return journal.RunLine(at=at, plan_digest="p", provider="custom", model="model-x", evalspec_version="0.1.0")


def write_journal(folder: Path, lines: list[journal.Line]) -> None:
    path = folder / "data/generated" / journal.JOURNAL_NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(journal.encode(line) for line in lines))


@dataclass(frozen=True)
class House:
    """The helpers above, for tests that cannot import this module."""

    plan: Callable[..., Plan] = make_plan
    attempt: Callable[..., journal.AttemptLine] = attempt_line
    run: Callable[..., journal.RunLine] = run_line
    write: Callable[[Path, list[journal.Line]], None] = write_journal
    question: Callable[..., str] = question_for

    def fill(self, folder: Path, plan: Plan, written: dict[str, str] | None = None, skip: tuple[str, ...] = ()) -> None:
        """A journal that fills all groups but those of `skip`."""
        lines = [attempt_line(group, written) for group in plan.groups if group.group_id not in skip]
        write_journal(folder, [run_line(), *lines])


@pytest.fixture(scope="session")
def house() -> House:
    return House()


@pytest.fixture(scope="session")
def plan() -> Plan:
    return make_plan()


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory, house: House, plan: Plan) -> Path:
    """A spec folder with a journal and a good release; copied, never changed."""
    folder = tmp_path_factory.mktemp("good")
    house.fill(folder, plan)
    done = assemble(plan, folder, AssembleOptions(final=True))
    assert done.diagnostics == ()
    return folder


class Release:
    """A copy of the good release that a test damages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.card = folder / "README.md"
        self.parquet = folder / parquet.NAME
        self.jsonl = folder / jsonl.NAME
        self.rows: list[dict[str, Any]] = [json.loads(line) for line in self.jsonl.read_text("utf-8").splitlines()]

    def find(self, **wanted: Any) -> dict[str, Any]:
        """The first row that has these values."""
        return next(row for row in self.rows if all(row[key] == value for key, value in wanted.items()))

    def save(self) -> None:
        """Write the rows to both files, with the declared schema."""
        parquet.write(self.folder, to_table(self.rows))
        jsonl.write(self.folder, self.rows)

    def edit_card(self, old: str, new: str) -> None:
        text = self.card.read_text("utf-8")
        assert old in text
        self.card.write_text(text.replace(old, new), "utf-8")


@pytest.fixture(scope="session")
def release_of() -> Callable[[Path], Release]:
    return Release


@pytest.fixture
def release(good: Path, tmp_path: Path) -> Iterator[Release]:
    folder = tmp_path / "final"
    shutil.copytree(good / "data/final", folder)
    yield Release(folder)
