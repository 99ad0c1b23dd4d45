"""A folder of files is written whole or not at all."""

import os
from pathlib import Path
from typing import Any

import pytest

from evalspec.spec.writing import write_folder

FILES = {"a.yaml": b"1", "inner/b.md": "é".encode(), "c": b""}


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("there", [False, True], ids=["a new folder", "a folder that is there"])
def test_all_files_are_written(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "deep" / "mine"
    if there:
        folder.mkdir(parents=True)
    write_folder(folder, FILES)
    assert (names(tmp_path), (folder / "inner/b.md").read_text("utf-8")) == ({f"deep/mine/{n}" for n in FILES}, "é")
    assert os.access(folder, os.R_OK | os.X_OK)


@pytest.mark.parametrize("there", [False, True], ids=["a new folder", "a folder that is there"])
@pytest.mark.parametrize("fault", [OSError("full"), KeyboardInterrupt()], ids=["a full disk", "Ctrl-C"])
def test_none_stays_where_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool, fault: BaseException
) -> None:
    folder = tmp_path / "mine"
    if there:
        folder.mkdir()
        (folder / "own.txt").write_text("kept", encoding="utf-8")
    write = Path.write_bytes

    def failing(path: Path, data: Any) -> int:
        if path.name == "c":
            raise fault
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", failing)
    with pytest.raises(type(fault)):
        write_folder(folder, FILES)
    assert names(tmp_path) == ({"mine/own.txt"} if there else set())
    assert folder.exists() == there
