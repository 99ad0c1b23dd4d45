"""Whatever bytes a spec folder holds, the front end answers with findings."""

from pathlib import Path
from shutil import copytree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from evalspec.compiler.front import read_spec
from evalspec.spec.diagnostic import has_errors

BASE = Path(__file__).parent.parent / "rules" / "base"
NAMES = ("generation_config.yaml", "source_config.yaml", "templates/H1.yaml", "corpus/deposits.md")
KEYS = st.sampled_from(
    (
        "id",
        "dataset",
        "subdimensions",
        "fields",
        "compose",
        "forms",
        "templates",
        "linkage",
        "rubrics",
        "scale",
        "x",
        "negative_examples",
        "domain_split",
        "strategies",
        "pass_criteria",
        "corpus",
        "folders",
        "path",
        "members",
    )
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 99),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["{a", "{{ x.y }}"]),
)
TREES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4))
RELAXED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copytree(BASE, tmp_path / "spec")
    return tmp_path / "spec"


def read_with(folder: Path, name: str, data: bytes) -> None:
    before = (folder / name).read_bytes()
    (folder / name).write_bytes(data)
    try:
        front = read_spec(folder)
        assert (front.spec is None) == has_errors(front.diagnostics)
    finally:
        (folder / name).write_bytes(before)


@RELAXED
@given(name=st.sampled_from(NAMES), data=st.binary(max_size=200))
def test_any_bytes_give_findings(folder: Path, name: str, data: bytes) -> None:
    read_with(folder, name, data)


@RELAXED
@given(
    name=st.sampled_from(NAMES), text=st.text(st.sampled_from("ab:-[]{}|>&*!#'\"%@?, \n\t\r\u2028\x85"), max_size=60)
)
def test_any_punctuation_gives_findings(folder: Path, name: str, text: str) -> None:
    read_with(folder, name, text.encode("utf-8"))


@RELAXED
@given(name=st.sampled_from(NAMES[:3]), tree=st.dictionaries(KEYS, TREES, max_size=5), cut=st.integers(0, 400))
def test_any_tree_over_half_a_spec_gives_findings(folder: Path, name: str, tree: object, cut: int) -> None:
    import io

    stream = io.StringIO()
    YAML().dump(tree, stream)
    half = (folder / name).read_text(encoding="utf-8")[:cut]
    read_with(folder, name, (half + "\n" + stream.getvalue()).encode("utf-8", errors="replace"))
