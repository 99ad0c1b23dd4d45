"""Reading a file whole: what is no regular file, or is too large, is not opened."""

import os
from pathlib import Path

import pytest

from evalspec.bench.bounded import read_bounded
from evalspec.bench.reading import read_set


def test_a_file_within_bounds_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert read_bounded(tmp_path / "a", 3) == b"abc"


def test_a_larger_one_a_folder_and_a_pipe_are_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abcd")
    os.mkfifo(tmp_path / "pipe")
    said = []
    for name in ("a", ".", "pipe"):
        with pytest.raises(OSError, match="it ") as caught:
            read_bounded(tmp_path / name, 3)
        said.append(caught.value.strerror)
    assert said == ["it has over 3 bytes", "it is a folder", "it is no regular file"]


@pytest.mark.parametrize(("module", "eval_set"), [("x" * 300, "y"), ("m", "y" * 300), ("..", "y"), ("m", "a/b")])
def test_a_set_whose_name_no_file_can_have_is_a_finding(tmp_path: Path, module: str, eval_set: str) -> None:
    (tmp_path / "m").mkdir()
    assert [found.code for found in read_set(tmp_path, module, eval_set).diagnostics] == ["ES701"]
