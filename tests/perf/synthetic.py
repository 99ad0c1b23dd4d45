"""A release of any size with its plan and journal's worth of texts, made from a seed: what the benchmarks judge."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalspec.outputs.provenance import Maker, Provenance
from evalspec.outputs.recard import statistics_of, write_card
from evalspec.outputs.records import to_table
from evalspec.outputs.writers import jsonl, parquet
from evalspec.spec import journal, planfile
from evalspec.spec.config import Acceptance, Card, Dataset, Dedup, SizeRange, SourceConfig, Strategy
from evalspec.spec.draw import draw_uuid4
from evalspec.spec.generation import GenerationModel
from evalspec.spec.plan import Allocation, Filters, Group, Plan, PlannedTemplate, Quota, Slot, SubdimensionQuota
from evalspec.spec.record import RecordCriteria
from evalspec.spec.template import Compose, ComposeForm, NegativeExample

DOMAINS = ("banking", "insurance", "investing", "tax")
GEOGRAPHIES = ("canada", "usa")
DIFFICULTIES = ("easy", "medium", "hard")
CRITERIA = RecordCriteria(
    rubric_type="faithfulness_1_5",
    min_passing_score=4,
    scoring_description="5 is right in all points, 1 is wrong",
    hard_fail_conditions=("States another value",),
    auto_scoreable=True,
    scoring_notes="",
)
SHAPES = (("closed_book", "H1", 1), ("open_book", "H2", 1), ("triples", "H4", 3))
SYSTEM = "You answer questions of clients of a bank, in two to four sentences, and name the rule that applies."
STRATEGIES = {
    name: Strategy(definition=f"{name} in a sentence.", when="A fact.", grounding="none")
    for name in ("leading_question", "near_miss")
}
_ONSETS, _VOWELS = "bcdfglmnprstvzk", "aeiou"
_SYLLABLES = [f"{onset}{vowel}" for onset in _ONSETS for vowel in _VOWELS]
WORDS = tuple(f"{a}{b}{c}" for a in _SYLLABLES[::4] for b in _SYLLABLES[::3] for c in ("", "n", "s", "ment", "tion"))


def _template(name: str) -> PlannedTemplate:
    fields = {"question": "text"} | ({"excerpt": "excerpt"} if name == "H2" else {})
    return PlannedTemplate(
        id=name,
        description=f"Template {name}",
        system_prompt=SYSTEM,
        user_message_template="[1] {excerpt}\n\n{question}" if name == "H2" else "{question}",
        generation_instruction="Write a question.",
        negative_examples=(NegativeExample(prompt="What is it?", bad_response="Five of them.", why_bad="It is not."),)
        * 2,
        pass_criteria=CRITERIA,
        strategies=tuple(STRATEGIES),
        fields={key: {"type": "string", "meta": {"role": role, "shared": False}} for key, role in fields.items()},
        compose=Compose(forms=(ComposeForm(fields={"question": "{ask}"}, expected_behavior="{value}"),)),
    )


def _groups(total: int) -> Iterator[Group]:
    made = ordinal = 0
    while made < total:
        ordinal += 1
        name, template, size = SHAPES[ordinal % 3] if made + 3 <= total else SHAPES[0]
        group = f"{template}-{ordinal:06d}"
        ids = [f"{group}.{n}" for n in range(1, size + 1)]
        difficulty = DIFFICULTIES[ordinal // 3 % 3]
        strategy = tuple(STRATEGIES)[ordinal // 9 % 2] if difficulty == "hard" else None
        slots = tuple(
            Slot(
                slot_id=slot_id,
                record_id=draw_uuid4(1, slot_id),
                template_id=template,
                dimension="hallucination",
                subdimension=name,
                source_domain=DOMAINS[ordinal % 4],
                geography=GEOGRAPHIES[ordinal % 2],
                difficulty=difficulty,  # type: ignore[arg-type]
                adversarial_strategy=strategy,
                is_adversarial=difficulty == "hard",
                linked_slots=tuple(other for other in ids if other != slot_id),
                origin=f"subdimensions.{name}",
            )
            for slot_id in ids
        )
        made += size
        yield Group(group_id=group, subdimension=name, fingerprint="v1:x", slots=slots)


def make_plan(total: int) -> Plan:
    """A plan of so many slots."""
    groups = tuple(_groups(total))
    slots = [slot for group in groups for slot in group.slots]

    def quotas(field: str, names: tuple[str, ...]) -> tuple[Quota, ...]:
        counts = {name: sum(getattr(slot, field) == name for slot in slots) for name in names}
        return tuple(Quota(name=n, asked=float(c), planned=c, why="", origin=field) for n, c in counts.items())

    subdimensions = tuple(
        SubdimensionQuota(
            **quota.model_dump(), dimension="hallucination", groups=quota.planned // size, group_size=size
        )
        for quota, (_, _, size) in zip(quotas("subdimension", tuple(s[0] for s in SHAPES)), SHAPES, strict=True)
    )
    return Plan(
        format_version=1,
        spec_digest="ab" * 32,
        dataset=Dataset(target_total=total, seed=1),
        filters=Filters(),
        generation_model=GenerationModel(provider="custom", model_name="model-x"),
        sources=SourceConfig(),
        labels={name: name for name in (*DOMAINS, *GEOGRAPHIES)},
        strategies=STRATEGIES,
        templates={name: _template(name) for _, name, _ in SHAPES},
        acceptance=Acceptance(size=SizeRange(min=total, max=total)),
        dedup=Dedup(),
        card=Card(pretty_name="A synthetic set", description="Made by hand."),
        allocation=Allocation(
            total=total,
            calls=len(groups),
            dimensions=quotas("dimension", ("hallucination",)),
            subdimensions=subdimensions,
            domains=quotas("source_domain", DOMAINS),
            difficulties=quotas("difficulty", DIFFICULTIES),
            geographies=quotas("geography", GEOGRAPHIES),
            strategies=(),
            proved=True,
        ),
        origins={},
        groups=groups,
    )


def _sentence(drawn: random.Random, words: int) -> str:
    return " ".join(drawn.choices(WORDS, k=words)).capitalize() + "."


def make_row(plan: Plan, slot: Slot, ids: dict[str, str]) -> dict[str, Any]:
    """A record of about 1.6 KB: prompts of 70 to 190 words, no two alike."""
    drawn = random.Random(slot.slot_id)
    context = " ".join(_sentence(drawn, 14) for _ in range(6)) if slot.template_id == "H2" else None
    question = " ".join(_sentence(drawn, 13) for _ in range(4))
    modes = {"easy": 0, "medium": 1, "hard": 3}[slot.difficulty]
    return {
        "id": slot.record_id,
        "version": plan.dataset.version,
        "prompt": f"{SYSTEM}\n\n[1] {context}\n\n{question}" if context else f"{SYSTEM}\n\n{question}",
        "dimension": slot.dimension,
        "subdimension": slot.subdimension,
        "source_domain": slot.source_domain,
        "geography": slot.geography,
        "difficulty": slot.difficulty,
        "language": "en",
        "expected_behavior": _sentence(drawn, 30),
        "pass_criteria": CRITERIA.model_dump(mode="json"),
        "prompt_template_id": slot.template_id,
        "reference_context": context,
        "is_adversarial": slot.is_adversarial,
        "adversarial_strategy": slot.adversarial_strategy,
        "expected_failure_modes": [_sentence(drawn, 8) for _ in range(modes)],
        "linked_prompt_ids": [ids[other] for other in slot.linked_slots],
    }


def journal_lines(plan: Plan, rows: dict[str, dict[str, Any]]) -> Iterator[journal.Line]:
    """A journal that fills the plan with these rows, by record id."""
    yield journal.RunLine(
        at="2025-01-01T00:00:00Z", plan_digest="p", provider="custom", model="model-x", evalspec_version="0.1.0"
    )
    for group in plan.groups:
        yield journal.AttemptLine(
            group=group.group_id,
            attempt=1,
            fingerprint=group.fingerprint,
            provider="custom",
            model="model-x",
            chunk="c",
            request="r",
            reply="{}",
            outcome="accepted",
            slots=tuple(_filled(slot, rows[slot.record_id]) for slot in group.slots),
        )


def _filled(slot: Slot, row: dict[str, Any]) -> journal.FilledSlot:
    return journal.FilledSlot(
        slot_id=slot.slot_id,
        prompt=row["prompt"],
        written=row["prompt"].rsplit("\n\n", 1)[1],
        reference_context=row["reference_context"],
        expected_behavior=row["expected_behavior"],
        expected_failure_modes=tuple(row["expected_failure_modes"]),
        pass_criteria=CRITERIA,
        answer=(row["reference_context"] or row["expected_behavior"])[:20],
    )


def write_release(folder: Path, total: int) -> Plan:
    """A spec folder: a plan of `total` slots, the journal that fills it, and the release."""
    plan = make_plan(total)
    ids = {slot.slot_id: slot.record_id for slot in plan.slots()}
    rows = [make_row(plan, slot, ids) for slot in plan.slots()]
    random.Random(0).shuffle(rows)
    made = Provenance((Maker("custom", "model-x", len(plan.groups)),), ("0.1.0",), ("2025-01-01",))
    final, generated = folder / "data/final", folder / "data/generated"
    for path in (final, generated):
        path.mkdir(parents=True, exist_ok=True)
    table = to_table(rows)
    parquet.write(final, table)
    jsonl.write(final, rows)
    write_card(final, plan, plan.dataset.version, made, statistics_of(table))
    with (generated / journal.JOURNAL_NAME).open("wb") as file:
        file.writelines(journal.encode(line) for line in journal_lines(plan, {row["id"]: row for row in rows}))
    planfile.write(plan, folder / "plan.json")
    return plan
