"""The embedders that a spec may name are those that there are."""

from evalspec.outputs.embedder import EMBEDDERS as CLASSES
from evalspec.spec.config import EMBEDDERS


def test_the_compiler_takes_the_embedders_that_assembly_has() -> None:
    assert set(CLASSES) == set(EMBEDDERS)
