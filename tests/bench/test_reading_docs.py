"""docs/bench.md: its samples are read without an error, and it names every key and every check."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from evalspec.bench.reading import contract, native, read_suite, scenario, shapes, support
from evalspec.bench.reading.arguments import CHECKS
from evalspec.bench.reading.templates import BESIDE
from evalspec.spec.diagnostic import Severity
from evalspec.spec.model import Model

PAGE = (Path(__file__).resolve().parents[2] / "docs/bench.md").read_text(encoding="utf-8")
SAMPLES = re.findall(r"<!-- (sample|beside): (\S+) -->\n```\w+\n(.*?)```", PAGE, flags=re.DOTALL)
MODELS = (
    scenario.Expected,
    scenario.Scenario,
    scenario.ScenarioFile,
    support.SupportCase,
    contract.Scoring,
    shapes.MetricEntry,
    shapes.BarEntry,
    contract.SetEntry,
    contract.ContractFile,
    native.NativeCase,
    native.NativeDefaults,
    native.NativeFile,
)


@pytest.mark.parametrize("name", [name for kind, name, _ in SAMPLES if kind == "sample"])
def test_a_sample_is_read_without_an_error(tmp_path: Path, name: str) -> None:
    start = next(index for index, sample in enumerate(SAMPLES) if sample[1] == name)
    (tmp_path / name).write_text(SAMPLES[start][2], encoding="utf-8")
    for kind, beside, text in SAMPLES[start + 1 : start + 2]:
        if kind == "beside":
            (tmp_path / beside).write_text(text, encoding="utf-8")
    reading = read_suite(tmp_path / name)
    assert [d.message for d in reading.diagnostics if d.severity is not Severity.NOTE] == []
    assert reading.suite is not None
    assert len(reading.suite.cases) in (2, 3)


def test_there_is_a_sample_of_every_format_but_the_release() -> None:
    assert [name for kind, name, _ in SAMPLES if kind == "sample"] == [
        "golden_set.yaml",
        "dataset_v1.jsonl",
        "isp_triage.jsonl",
        "native.yaml",
    ]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_key_of_a_format_is_named(model: type[Model]) -> None:
    written = set(re.findall(r"[A-Za-z_][\w]*", " ".join(re.findall(r"`[^`\n]+`", PAGE))))
    assert [key for key in model.model_fields if key not in written] == []


def test_every_check_has_a_row_with_its_arguments() -> None:
    rows = {
        row[0]: re.findall(r"`(\w+)`", row[1]) for row in re.findall(r"^\| `(\w+)` \| (.+?) \| ", PAGE, re.MULTILINE)
    }
    assert {key: rows.get(key) for key in CHECKS} == {
        key: [field.name for field in fields(kind)] for key, kind in CHECKS.items()
    }


def test_what_stands_beside_a_check_is_named() -> None:
    assert [key for key in BESIDE if f"`{key}" not in PAGE] == []
