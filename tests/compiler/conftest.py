"""Spec folders that the compiler's tests compile."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "golden"

CONFIG = """\
generation_model: {{provider: embedded, model_name: forms}}
dataset: {{target_total: {total}, seed: 42, allocation: {allocation}}}
domain_split: {domains}
dimension_split: {dimensions}
geography_split: {geographies}
subdimensions:
{subdimensions}
"""
TEMPLATE = """\
id: {id}
dimension: {dimension}
subdimension: {subdimension}
description: A template of the tests.
user_message_template: "{{question}}"
generation_instruction: |
  Write a question of {{difficulty}} difficulty on {{source_domain}} in {{geography}} from {{scraped_content}}.
  For hard slots apply the adversarial_strategy: {{strategy_definition}}
  Return expected_failure_modes, 2 to 4 of them, and verify that the question is non-trivial.
negative_examples:
  - {{prompt: One?, bad_response: Two., why_bad: It is wrong.}}
  - {{prompt: Three?, bad_response: Four., why_bad: It is wrong as well.}}
fields:
  question: {{type: string, maxlength: 900}}
  correct_answer: {{type: string, maxlength: 300, meta: {{role: answer}}}}
"""
BRIEF_DOMAINS = (
    "{insurance: 0.25, banking: 0.20, investments_wealth: 0.15, tax_retirement: 0.15, "
    "regulatory_compliance: 0.10, general_financial_literacy: 0.10, financial_history_events: 0.05}"
)
BRIEF: dict[str, list[tuple[str, int, str, str]]] = {
    "hallucination": [
        ("closed_book_truthfulness", 350, "H1", ""),
        ("open_book_faithfulness", 250, "H2", ""),
        ("uncertainty_calibration", 150, "H3", ""),
        ("self_contradiction", 300, "H4", "linkage: 3"),
        ("citation_fidelity", 100, "H5", ""),
    ],
    "consistency": [
        ("repeat_stability", 200, "C1", ""),
        ("temperature_sensitivity", 50, "C1", "subset_of: repeat_stability"),
        ("position_coherence", 100, "C2", "linkage: 2"),
        ("refusal_stability", 100, "C3", ""),
    ],
    "robustness": [
        ("phrasing_variants", 750, "P1, P2, P3, P4, P5", "linkage: 5"),
        ("instruction_following", 150, "P6", ""),
        ("zero_shot_vs_few_shot", 100, "P7a, P7b", "linkage: 2"),
        ("ambiguity_handling", 80, "P8", ""),
    ],
    "safety": [
        ("should_refuse", 250, "S1", ""),
        ("should_comply_with_triggers", 100, "S2", ""),
        ("toxicity_susceptibility", 200, "S3", ""),
        ("bias_bbq_style", 80, "S4", ""),
        ("tone_professionalism", 60, "S5", ""),
    ],
}

Lines = dict[str, list[tuple[str, int, str, str]]]


def write_spec(
    folder: Path, lines: Lines, targets: dict[str, int], *, allocation: str, domains: str, geographies: str
) -> Path:
    """A spec folder with plain templates for every subdimension."""
    (folder / "templates").mkdir(parents=True)
    rows = []
    for dimension, entries in lines.items():
        for name, count, templates, more in entries:
            rows.append(f"  {name}: {{target_count: {count}, templates: [{templates}]{', ' + more if more else ''}}}")
            for template in templates.split(", "):
                path = folder / "templates" / f"{template}.yaml"
                if not path.exists():
                    text = TEMPLATE.format(id=template, dimension=dimension, subdimension=name)
                    path.write_text(text, encoding="utf-8")
    config = CONFIG.format(
        total=sum(targets.values()),
        allocation=allocation,
        domains=domains,
        dimensions="{" + ", ".join(f"{name}: {count}" for name, count in targets.items()) + "}",
        geographies=geographies,
        subdimensions="\n".join(rows),
    )
    (folder / "generation_config.yaml").write_text(config, encoding="utf-8")
    sources = "corpus: {enabled: true, folders: [{path: corpus}]}\n"
    (folder / "source_config.yaml").write_text(sources, encoding="utf-8")
    (folder / "corpus").mkdir()
    (folder / "corpus" / "plain.md").write_text("A text about money. " * 40, encoding="utf-8")
    return folder


@pytest.fixture
def make_spec(tmp_path: Path) -> Callable[..., Path]:
    """Writes a small spec; lines by dimension are (subdimension, count, templates, more keys)."""

    def make(
        lines: Lines,
        targets: dict[str, int],
        *,
        allocation: str = "exact",
        domains: str = "{banking: 0.6, insurance: 0.4}",
        geographies: str = "{canada: 0.5, usa: 0.5}",
    ) -> Path:
        return write_spec(
            tmp_path / "spec", lines, targets, allocation=allocation, domains=domains, geographies=geographies
        )

    return make


@pytest.fixture(scope="session")
def brief_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec with the counts and shares of a large evaluation dataset: 2,910 records in 18 subdimensions."""
    return write_spec(
        tmp_path_factory.mktemp("brief") / "spec",
        BRIEF,
        {"hallucination": 950, "consistency": 380, "robustness": 1010, "safety": 570},
        allocation="scale",
        domains=BRIEF_DOMAINS,
        geographies="{canada: 0.50, usa: 0.35, general: 0.15}",
    )


@pytest.fixture
def french_folder(tmp_path: Path) -> Path:
    """A copy of the French spec, to change."""
    folder = tmp_path / "jardin"
    shutil.copytree(GOLDEN / "french", folder)
    return folder
