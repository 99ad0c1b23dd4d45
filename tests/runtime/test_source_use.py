"""How often each source was used, by the names that the config gives."""

from dataclasses import replace
from typing import Any

from evalspec.runtime.chunks import chunks_of
from evalspec.runtime.events import SourceUse
from evalspec.runtime.source_use import source_uses
from evalspec.runtime.sources import Document


def test_folders_of_the_corpus_are_told_apart_and_an_unused_one_is_named(plan_of: Any) -> None:
    plan = plan_of()
    folders = plan.sources.corpus.folders
    entry = folders[0]
    paths = ("texts", "./texts/ours", "empty")
    entries = tuple(entry.model_copy(update={"path": path}) for path in paths)
    corpus = plan.sources.corpus.model_copy(update={"folders": entries})
    plan = plan.model_copy(update={"sources": plan.sources.model_copy(update={"corpus": corpus})})
    names = ("texts/a.md", "texts/b.md", "texts/ours/c.md", "https://example.org/d")
    made = [Document(name, "t", f"Words of {name}.", "corpus") for name in names]
    made[3] = replace(made[3], origin="web_sources")
    chunks = chunks_of(made)
    used = [chunks[0].digest, chunks[2].digest, chunks[2].digest, "gone"]
    assert [
        SourceUse("texts", 2, 1),
        SourceUse("./texts/ours", 1, 2),
        SourceUse("empty", 0, 0),
        SourceUse("web_sources", 1, 0),
        SourceUse("no longer at hand", 0, 1),
    ] == list(source_uses(plan, chunks, used))
