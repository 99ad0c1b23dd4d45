"""The page on duplicates says what the default embedder scores, and what the rule on facts makes of it."""

import importlib.util
from pathlib import Path
from types import ModuleType

from evalspec.outputs.embedder import embedder_of
from evalspec.outputs.facts import facts_of

ROOT = Path(__file__).resolve().parents[2]


def _maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dedup_page", ROOT / "tests/house/dedup_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_scores_of_the_default_embedder_are_those_of_the_page() -> None:
    maker = _maker()
    page = (ROOT / "docs/dedup.md").read_text(encoding="utf-8")
    texts = [maker.BASE, *(maker.other_of(kind, change) for kind, _, change, _ in maker.PAIRS)]
    vectors = embedder_of("hashed").embed(texts)
    expected = [
        f"| {kind} | {what} | {'one' if same else 'two'} | {float(vectors[0] @ row):.3f} |"
        for (kind, what, _, same), row in zip(maker.PAIRS, vectors[1:], strict=True)
    ]
    assert [line for line in expected if line not in page] == []


def test_facts_set_apart_what_is_another_question_and_nothing_that_is_one() -> None:
    maker = _maker()
    apart = {
        kind for kind, _, change, _ in maker.PAIRS if facts_of(maker.other_of(kind, change)) != facts_of(maker.BASE)
    }
    assert {"number", "year", "amount", "negation", "jurisdiction"} <= apart
    assert apart.isdisjoint({"typo", "casing", "punctuation", "clause order", "synonym"})
