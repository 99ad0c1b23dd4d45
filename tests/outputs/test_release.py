"""A release folder appears whole or not at all."""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from evalspec.outputs.assemble import AssembleOptions, assemble
from evalspec.outputs.release import publish, recover


def put(**files: str) -> Any:
    def write(folder: Path) -> None:
        for name, text in files.items():
            (folder / name.replace("_", ".")).write_text(text)

    return write


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.is_file()}


def test_a_release_replaces_the_one_before_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "data/final"
    publish(folder, put(README_md="old", train_jsonl="old"))
    publish(folder, put(README_md="new"))
    assert content(folder) == {"README.md": "new"}
    assert names(folder.parent) == ["final"]


def test_what_a_user_keeps_beside_the_release_stays(tmp_path: Path) -> None:
    folder = tmp_path / "final"
    publish(folder, put(README_md="old"))
    (folder / ".git").mkdir()
    (folder / ".git/HEAD").write_text("ref")
    (folder / "notes.txt").write_text("mine")
    publish(folder, put(README_md="new"))
    assert content(folder) == {"README.md": "new", "notes.txt": "mine"}
    assert (folder / ".git/HEAD").read_text() == "ref"


def test_a_writer_that_fails_leaves_the_release_before_it(tmp_path: Path) -> None:
    folder = tmp_path / "final"
    publish(folder, put(README_md="old"))

    def write(new: Path) -> None:
        (new / "train.parquet").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        publish(folder, write)
    assert content(folder) == {"README.md": "old"}
    assert names(tmp_path) == ["final"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads every folder")
def test_a_release_that_cannot_be_looked_into_stays_as_it_is(tmp_path: Path) -> None:
    publish(tmp_path / "final", put(train_jsonl="1"))
    (tmp_path / "final").chmod(0)
    try:
        with pytest.raises(PermissionError):
            publish(tmp_path / "final", put(train_jsonl="2"))
        assert names(tmp_path) == ["final"]
    finally:
        (tmp_path / "final").chmod(0o755)
    assert content(tmp_path / "final") == {"train.jsonl": "1"}


def test_a_run_killed_between_the_two_renames_is_made_good(tmp_path: Path) -> None:
    folder = tmp_path / "final"
    publish(folder, put(README_md="old"))
    folder.rename(tmp_path / ".final.old")
    (tmp_path / ".final.new").mkdir()
    recover(folder)
    assert content(folder) == {"README.md": "old"}
    assert names(tmp_path) == ["final"]


def test_a_run_killed_after_the_second_rename_keeps_the_new_release(tmp_path: Path) -> None:
    folder, old = tmp_path / "final", tmp_path / ".final.old"
    publish(folder, put(README_md="new"))
    old.mkdir()
    (old / "README.md").write_text("old")
    (old / "notes.txt").write_text("mine")
    recover(folder)
    assert content(folder) == {"README.md": "new", "notes.txt": "mine"}
    assert not old.exists()


def test_a_full_disk_is_a_diagnostic_and_leaves_the_release_before_it(tmp_path: Path, house: Any, plan: Any) -> None:
    house.fill(tmp_path, plan)
    final = tmp_path / "data/final"
    publish(final, put(README_md="old"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, hard))
    try:
        done = assemble(plan, tmp_path, AssembleOptions(final=True))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [d.code for d in done.diagnostics] == ["ES510"]
    assert "nothing was published" in done.diagnostics[0].message
    assert None is done.release_dir
    assert content(final) == {"README.md": "old"}
    assert names(tmp_path / "data") == ["final", "generated"]


def test_a_file_where_the_folder_must_be_is_a_diagnostic(tmp_path: Path, house: Any, plan: Any) -> None:
    house.fill(tmp_path, plan)
    changed = plan.model_copy(update={"dataset": plan.dataset.model_copy(update={"output_dir": "taken/final"})})
    (tmp_path / "taken").write_text("a file")
    done = assemble(changed, tmp_path, AssembleOptions(final=True))
    assert [d.code for d in done.diagnostics] == ["ES510"]


READ_ONLY = """
import os, sys
from pathlib import Path
from evalspec.outputs.assemble import AssembleOptions, assemble
from evalspec.spec import planfile
folder = Path(sys.argv[1])
plan = planfile.read(folder / "plan.json")
assemble(plan, folder, AssembleOptions(final=True))  # imports what another user may have no right to read
(folder / "data/final").rename(folder / "elsewhere")
os.seteuid(65534)
done = assemble(plan, folder, AssembleOptions(final=True))
sys.stdout.write(f"{[d.code for d in done.diagnostics]} {done.release_dir}")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="a plain user has the test below")
def test_a_read_only_folder_is_a_diagnostic(house: Any, plan: Any) -> None:
    from evalspec.spec import planfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        house.fill(folder, plan)
        planfile.write(plan, folder / "plan.json")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        result = subprocess.run([sys.executable, "-c", READ_ONLY, name], capture_output=True, text=True, check=False)
        assert result.stdout == "['ES510'] None", result.stderr
        assert names(folder / "data") == ["generated"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_of_ones_own_is_a_diagnostic(tmp_path: Path, house: Any, plan: Any) -> None:
    house.fill(tmp_path, plan)
    (tmp_path / "data").chmod(0o555)
    try:
        done = assemble(plan, tmp_path, AssembleOptions(final=True))
    finally:
        (tmp_path / "data").chmod(0o755)
    assert [d.code for d in done.diagnostics] == ["ES510"]
    assert names(tmp_path / "data") == ["generated"]


def test_a_file_in_the_place_of_the_release_stays_and_is_a_diagnostic(tmp_path: Path, house: Any, plan: Any) -> None:
    house.fill(tmp_path, plan)
    (tmp_path / "data/final").write_text("mine")
    done = assemble(plan, tmp_path, AssembleOptions(final=True))
    assert [d.code for d in done.diagnostics] == ["ES510"]
    assert (tmp_path / "data/final").read_text() == "mine"
    assert names(tmp_path / "data") == ["final", "generated"]
