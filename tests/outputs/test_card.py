"""The card says what the dataset is, and its header is valid whatever a user writes."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from evalspec.outputs.assemble import AssembleOptions, assemble
from evalspec.outputs.checks import check
from evalspec.outputs.header import card_faults, header_of, section_findings
from evalspec.outputs.provenance import Maker, Provenance
from evalspec.outputs.recard import make_card
from evalspec.outputs.writers import figures
from evalspec.outputs.writers.card import (
    SECTIONS,
    STATISTICS,
    cell,
    code_block,
    record_fields,
    render_card,
    yaml_scalar,
)
from evalspec.spec.config import Apis, Card, Dataset, SourceConfig, WebSources, WebTarget, Wikipedia
from evalspec.spec.hub import hub_language, size_category
from evalspec.spec.record import Record

FIGURES: dict[str, list[dict[str, Any]]] = {
    **{name: [] for name in STATISTICS},
    "total": [{"records": 300, "adversarial": 0, "open_book": 0, "linked": 0, "longest": 9, "median": 5}],
}
MADE = Provenance((Maker("custom", "model-x", 230),), ("0.1.0",))


def card_of(plan: Any, made: Provenance = MADE) -> str:
    return render_card(plan, "d" * 64, "1.0.0", made, FIGURES)


@settings(max_examples=300, deadline=None)
@given(st.text(min_size=1, max_size=40))
def test_any_text_comes_back_from_the_yaml_as_it_was(text: str) -> None:
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert {"a": whole} == YAML(typ="safe", pure=True).load(f"a: {yaml_scalar(whole)}\n")


@pytest.mark.parametrize("word", ["no", "on", "Yes", "null", "1.10", "012", "1e3", "- a", "a: b", "#c", "~", "é", "@x"])
def test_words_that_yaml_takes_for_something_else_are_quoted(word: str) -> None:
    assert {"a": word} == YAML(typ="safe", pure=True).load(f"a: {yaml_scalar(word)}\n")


@pytest.mark.parametrize("word", ["en", "cc-by-4.0", "question-answering", "1K<n<10K", "n<1K", "BFSI"])
def test_plain_words_stay_plain(word: str) -> None:
    assert word == yaml_scalar(word)


NASTY = 'A "quoted" \\ name: with\na new line, é — and {{ jinja }} | a bar'


def test_a_card_with_nasty_texts_is_valid(tmp_path: Path, house: Any) -> None:
    card = Card(
        pretty_name=NASTY,
        author="Zoë \\ {O'Hara}",
        description="See {{ this }}.\n\n```\n## License\n```",
        citation="@misc{x,\n  note = {```}\n}",
        tags=("a: b", "no", "é"),
        limitations="None | known.",
    )
    plan = house.plan(card=card)
    house.fill(tmp_path, plan)
    done = assemble(plan, tmp_path, AssembleOptions(final=True))
    report = check(done.release_dir, plan, folder=tmp_path)
    assert [d.message for d in report.diagnostics] == []
    header, fault, body = header_of((done.release_dir / "README.md").read_text("utf-8"))
    assert (fault, header["pretty_name"], header["tags"]) == (None, NASTY, ["a: b", "no", "é"])
    assert 'A "quoted" \\ name: with a new line, é — and {{ jinja }} | a bar' in body.splitlines()[1]
    assert "````\n@misc{x," in body


def test_what_the_hub_does_not_know_is_a_warning_at_the_yaml(house: Any) -> None:
    card = Card(license="mine", task_categories=("question-answering", "guessing"))
    plan = house.plan(card=card, dataset=Dataset(target_total=300, language="xx-CA"))
    faults = card_faults(plan)
    assert [(d.code, d.severity.value, d.place.path) for d in faults] == [
        ("ES620", "warning", "card"),
        ("ES620", "warning", "card"),
        ("ES620", "warning", "dataset"),
    ]
    assert "the Hub does not know the task category 'guessing'" in faults[1].message
    assert card_faults(house.plan()) == []


def test_the_card_has_all_sections_and_describes_every_field(plan: Any) -> None:
    text = card_of(plan)
    header, _, body = header_of(text)
    assert list(section_findings(body, preview=False, header=header)) == []
    positions = [body.index(f"\n## {section}\n") for section in SECTIONS]
    assert sorted(positions) == positions
    assert set(Record.model_fields) < {field.name for field in record_fields()}
    assert [field.name for field in record_fields() if not field.description or f"| `{field.name}` |" not in text] == []
    assert "not for training" in text


def test_the_card_names_makers_and_no_addresses(house: Any) -> None:
    sources = SourceConfig(
        wikipedia=Wikipedia(categories=("Category:Banks",)),
        web_sources=WebSources(targets=(WebTarget(name="A bank", url="https://bank.example/x"),)),
        apis=Apis(enabled=False),
    )
    text = card_of(
        house.plan(sources=sources), Provenance((Maker("openai", "m", 2000), Maker("custom", "n", 9)), ("1", "2"))
    )
    assert "2,000 groups filled by provider `openai`, model `m`" in text
    assert "compiled with evalspec 1, 2 from" in text
    assert "articles of Wikipedia; public pages of institutions and regulators" in text
    assert "bank.example" not in text
    assert "Preview" not in text


def test_a_card_composed_without_a_model_says_so(plan: Any) -> None:
    text = card_of(plan, Provenance((Maker("embedded", "forms", 230),), ("0.1.0",)))
    assert "- composed-without-a-model\n" in text
    assert "> **Preview.** This dataset was composed without a model" in text


def test_statistics_come_from_the_records(good: Path) -> None:
    text = (good / "data/final/README.md").read_text("utf-8")
    for line in (
        "| 300 | 120 | 80 | 120 |",
        "| hallucination | 180 | 60.0 % |",
        "| banking | 150 | 50.0 % |",
        "| easy | 60 | 20.0 % |",
        "| general | 45 | 15.0 % |",
        "| consistency | triples | 60 | 20.0 % | 60 | H4 |",
        "| near_miss | 60 | A rule that stands close by \\| of another country. |",
        "| H2 | Template H2, with a \\| in its text. | faithfulness_1_5 | 4 | 80 |",
    ):
        assert line in text


@pytest.mark.parametrize(
    ("records", "name"), [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (2910, "1K<n<10K"), (10_000, "10K<n<100K")]
)
def test_size_categories_begin_at_their_lower_end(records: int, name: str) -> None:
    assert name == size_category(records)


def test_figures_are_svg_of_the_tables_and_hold_no_script_and_no_address(good: Path) -> None:
    final = good / "data/final"
    text = (final / "README.md").read_text("utf-8")
    for name, wanted in (("splits.svg", "150 (50.0 %)"), ("difficulty.svg", "300 records")):
        root = ET.fromstring((final / name).read_text("utf-8"))
        shown = [part.text for part in root.iter("{http://www.w3.org/2000/svg}text")]
        assert wanted in shown
        assert {part.tag.rpartition("}")[2] for part in root.iter()} == {"svg", "title", "rect", "text"}
        assert f"]({name})" in text


def test_names_in_figures_are_escaped_and_many_bars_are_summed_up() -> None:
    rows = [{"name": f"<script>&{n}", "records": 1, "share": 0.01} for n in range(100)]
    root = ET.fromstring(figures.splits({"dimension": rows, "domain": [], "geography": []}))
    shown = [part.text for part in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"<script>&0", "60 more"} <= set(shown)


def test_the_card_alone_is_made_again_and_data_stay(tmp_path: Path, house: Any, plan: Any) -> None:
    house.fill(tmp_path, plan)
    final = assemble(plan, tmp_path, AssembleOptions(final=True)).release_dir
    assert final is not None
    before = {path.name: path.read_bytes() for path in final.iterdir()}
    stamp = (final / "train.parquet").stat().st_mtime_ns
    (final / "README.md").write_text("edited")
    (final / "splits.svg").unlink()
    made = make_card(plan, tmp_path)
    assert (made.card, made.records, made.diagnostics) == (final / "README.md", 300, ())
    assert before == {path.name: path.read_bytes() for path in final.iterdir()}
    assert stamp == (final / "train.parquet").stat().st_mtime_ns


def test_a_card_without_a_release_is_refused(tmp_path: Path, plan: Any) -> None:
    made = make_card(plan, tmp_path)
    assert (made.card, [d.code for d in made.diagnostics]) == (None, ["ES515"])
    (tmp_path / "data/final").mkdir(parents=True)
    (tmp_path / "data/final/train.parquet").write_bytes(b"PAR1")
    assert [d.code for d in make_card(plan, tmp_path).diagnostics] == ["ES515"]


LOAD = """
import sys, datasets
for arguments in (
    (sys.argv[1], {}),
    ("parquet", {"data_files": sys.argv[1] + "/train.parquet"}),
    ("json", {"data_files": sys.argv[1] + "/train.jsonl"}),
):
    data = datasets.load_dataset(arguments[0], cache_dir=sys.argv[2], **arguments[1])
    print(sorted(data), data["train"].num_rows, data["train"].features["pass_criteria"] is not None)
"""


def test_figures_do_not_disturb_who_loads_the_folder(good: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(good / "data/final"), str(tmp_path / "cache")],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.stdout.splitlines() == ["['train'] 300 True"] * 3, done.stderr


def test_small_helpers_escape_what_would_break_out() -> None:
    assert cell("a | b\nc") == "a \\| b c"
    assert code_block("```") == "````\n```\n````"
    assert hub_language("fr-CA") == "fr"
