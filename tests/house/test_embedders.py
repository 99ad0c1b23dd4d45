"""The embedders that a spec may name are those that there are."""

import pytest

from evalspec.outputs.embedder import EmbedderError, embedder_of
from evalspec.spec.config import EMBEDDERS


@pytest.mark.parametrize("name", ["", "bert", "Hashed", "hashed:64", "sentence-transformers", "sentence-transformers:"])
def test_what_the_compiler_refuses_assembly_does_not_know(name: str) -> None:
    assert EMBEDDERS.fullmatch(name) is None
    with pytest.raises(EmbedderError):
        embedder_of(name)


@pytest.mark.parametrize("name", ["hashed", "sentence-transformers:all-MiniLM-L6-v2"])
def test_what_assembly_knows_the_compiler_takes(name: str) -> None:
    assert EMBEDDERS.fullmatch(name) is not None


def test_the_default_embedder_is_there() -> None:
    assert embedder_of("hashed").embed(["a", "b"]).shape[0] == 2
