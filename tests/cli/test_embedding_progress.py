"""What a user sees while a model embeds: a row on a terminal, plain lines elsewhere, nothing beside a JSON document."""

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from evalspec.cli.embedding import EmbeddingLines, embedding
from evalspec.cli.progress import showing
from evalspec.outputs import semantic
from evalspec.outputs.embedder import Embedded

Evalspec = Callable[..., CompletedProcess[str]]
TOTAL = 2910
MODEL = '''\
"""Stands in for the library: a slow model that makes a vector of a text's hash."""
import time
import zlib
import numpy as np

class SentenceTransformer:
    def __init__(self, name, device):
        pass

    def encode(self, texts, **options):
        time.sleep(0.05)
        seeds = [zlib.crc32(text.encode()) for text in texts]
        rows = np.array([np.random.default_rng(seed).normal(size=64) for seed in seeds])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
'''


class Slow:
    """A model that takes so many seconds a batch, by a clock that only it moves."""

    def __init__(self, seconds: float) -> None:
        self.now, self.seconds = 1000.0, seconds

    def __call__(self) -> float:
        return self.now

    def encode(self, texts: Sequence[str], **_: Any) -> Any:
        self.now += self.seconds
        return np.ones((len(texts), 3)) / np.sqrt(3)


@pytest.fixture
def with_model(small: Path, tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """The small spec with a model as its embedder, and the environment in which there is one."""
    config = small / "generation_config.yaml"
    text = config.read_text(encoding="utf-8")
    assert "dedup:" not in text
    config.write_text(f"{text}\ndedup: {{embedder: 'sentence-transformers:slow'}}\n", encoding="utf-8")
    library = tmp_path / "library"
    library.mkdir()
    (library / "sentence_transformers.py").write_text(MODEL, encoding="utf-8")
    return small, {"PYTHONPATH": str(library)}


def _console(*, terminal: bool) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, force_terminal=terminal, width=100), out


def _said(done: CompletedProcess[str]) -> list[str]:
    return [line for line in done.stderr.splitlines() if line.startswith("embedding: ")]


def _written(folder: Path) -> list[dict[str, Any]]:
    """What stands in the journal, by slot."""
    slots: dict[str, dict[str, Any]] = {}
    for line in (folder / "data/generated/journal.jsonl").read_text("utf-8").splitlines():
        data = json.loads(line)
        if data["kind"] == "attempt" and data["outcome"] == "accepted":
            slots |= {slot["slot_id"]: slot for slot in data["slots"]}
    return list(slots.values())


def test_a_slow_model_says_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    console, out = _console(terminal=False)
    slow = Slow(seconds=1.5)
    monkeypatch.setattr(semantic, "_loaded", lambda _: slow)
    semantic.Semantic("m", None, EmbeddingLines(console, slow).take).embed([f"text {n}" for n in range(TOTAL)])
    said = out.getvalue().splitlines()
    assert (said[0], said[-1]) == ("embedding: 0 of 2,910 texts", "embedding: 2,910 of 2,910 texts")
    assert said[1] == f"embedding: {7 * semantic.BATCH} of 2,910 texts"  # the first batch after 10 s
    assert len(said) == 2 + TOTAL // semantic.BATCH // 7


def test_a_terminal_shows_a_row() -> None:
    console, out = _console(terminal=True)
    with embedding(console) as watch:
        for done in (0, 640, TOTAL):
            watch(Embedded(done, TOTAL))
    assert ("embedding" in out.getvalue(), "/2910" in out.getvalue()) == (True, True)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_run_shows_it_beside_its_own(terminal: bool) -> None:
    console, out = _console(terminal=terminal)
    with showing(console) as take:
        for done in (0, 640, TOTAL):
            take(Embedded(done, TOTAL))
    assert "embedding" in out.getvalue()


def test_nothing_is_shown_to_the_quiet() -> None:
    console, out = _console(terminal=False)
    with embedding(console, quiet=True) as watch, showing(console, quiet=True) as take:
        watch(Embedded(0, TOTAL))
        take(Embedded(0, TOTAL))
    assert out.getvalue() == ""


def test_run_check_and_assemble_say_how_far_a_model_is(
    with_model: tuple[Path, dict[str, str]], evalspec: Evalspec
) -> None:
    folder, environment = with_model
    done = evalspec("run", folder, "--provider", "embedded", **environment)
    assert done.returncode == 0, done.stderr
    first, last = _said(done)[:2]
    assert (first.partition(" of ")[0], last) == ("embedding: 0", first.replace(" 0 ", f" {first.split()[3]} "))
    assert _said(evalspec("check", folder, **environment)) == []  # every text is known
    distinct = len({line["written"] for line in _written(folder)})
    expected = [f"embedding: {done} of {distinct} texts" for done in (0, distinct)]
    for command in ("check", "assemble"):
        for file in (folder / "data/generated").glob("embeddings-*.bin"):
            file.unlink()
        done = evalspec(command, folder, **environment)
        assert (done.returncode, _said(done)) == (0, expected), done.stdout + done.stderr


def test_a_json_document_stands_alone(with_model: tuple[Path, dict[str, str]], evalspec: Evalspec) -> None:
    folder, environment = with_model
    done = evalspec("run", folder, "--provider", "embedded", "--format", "json", **environment)
    assert (done.stderr, json.loads(done.stdout)["command"]) == ("", "run")
