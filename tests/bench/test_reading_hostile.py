"""Whatever stands under the keys of a format, reading raises nothing, and what it finds can be shown."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalspec.bench.reading import contract, native, read_suite, scenario, shapes, support
from evalspec.bench.reading.arguments import CHECKS
from evalspec.cli.render.text import diagnostic_text
from evalspec.spec.diagnostic import has_errors
from evalspec.spec.model import Model

ODD = st.sampled_from(
    [None, True, 0, -1, 2.5, "", " ", "a", "(", "$expected.a", "$expected.a?", "$input", "\u202e", [], {}, [[]], [None]]
)
ANY = st.recursive(
    ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)


def _of(model: type[Model], **known: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some of the keys of a model, each with what suits it or with anything."""
    return st.fixed_dictionaries({}, optional={key: known.get(key, ANY) | ANY for key in model.model_fields})


ENTRY = st.dictionaries(
    st.sampled_from([*CHECKS, "name", "metric", "when", "contain_all"]), ANY, min_size=1, max_size=3
)
LIST = st.lists(ENTRY | ANY, max_size=3)
EXPECTED = _of(scenario.Expected)
SCENARIO = _of(
    scenario.Scenario, expected=EXPECTED, turns=st.lists(_of(scenario.ScenarioTurn, expected=EXPECTED), max_size=2)
)
CASE = _of(native.NativeCase, checks=LIST, turns=st.lists(_of(native.NativeTurn, checks=LIST), max_size=2))
METRICS = st.dictionaries(st.sampled_from(["m", "n"]), _of(shapes.MetricEntry, checks=LIST), max_size=2)
BARS = st.dictionaries(st.sampled_from(["m", "n", "o"]), _of(shapes.BarEntry), max_size=2)
SETS = st.dictionaries(st.sampled_from(["a", "b"]), _of(contract.SetEntry, bars=BARS), max_size=2)
FILES = {
    "scenario": _of(scenario.ScenarioFile, scenarios=st.lists(SCENARIO | ANY, max_size=3)),
    "native": _of(native.NativeFile, cases=st.lists(CASE | ANY, max_size=3), metrics=METRICS, bars=BARS),
}


def _read(path: Path) -> None:
    reading = read_suite(path)
    assert (reading.suite is None) == has_errors(reading.diagnostics)
    for diagnostic in reading.diagnostics:
        assert diagnostic_text(diagnostic).plain
        assert diagnostic.place.line >= 1


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_yaml(tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("yaml") / "a.yaml"
    path.write_text(json.dumps(data.draw(FILES[name])), encoding="utf-8")
    _read(path)


@given(
    contract=_of(contract.ContractFile, metrics=METRICS, sets=SETS) | ANY,
    rows=st.lists(_of(contract.ContractCase) | ANY, max_size=3),
)
@settings(max_examples=60, deadline=None)
def test_contracts(tmp_path_factory: pytest.TempPathFactory, contract: Any, rows: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("contract")
    (folder / "contract.json").write_text(json.dumps(contract), encoding="utf-8")
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    _read(folder)


@given(rows=st.lists(_of(support.SupportCase) | ANY, max_size=3), policies=ANY)
@settings(max_examples=60, deadline=None)
def test_support(tmp_path_factory: pytest.TempPathFactory, rows: list[Any], policies: Any) -> None:
    folder = tmp_path_factory.mktemp("support")
    (folder / "policies.json").write_text(json.dumps(policies), encoding="utf-8")
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    _read(folder)
