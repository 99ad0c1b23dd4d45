"""The journal on disk: torn lines, one holder, disks that do not take it."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalspec.runtime.journaling import ERRORS_NAME, JournalError, JournalWriter, held, journal_path, mark_fallen
from evalspec.spec import journal
from evalspec.spec.journal import AttemptLine, FellLine


def line(group: str, reply: str = "é \ud835 \u2028") -> AttemptLine:
    return AttemptLine(
        group=group,
        attempt=1,
        fingerprint="v1:0",
        provider="custom",
        model="m",
        chunk=None,
        request="r",
        reply=reply,
        outcome="invalid",
        errors=("wrong",),
    )


def written(folder: Path, *lines: AttemptLine) -> bytes:
    with held(folder):
        writer = JournalWriter(folder)
        for item in lines:
            writer.append(item)
        writer.close()
    return journal_path(folder).read_bytes()


def test_lines_come_back_as_they_were(tmp_path: Path) -> None:
    lines = (line("A"), line("B", "plain"))
    written(tmp_path, *lines)
    assert lines == journal.read(journal_path(tmp_path)).lines


@given(st.data())
def test_a_journal_cut_at_any_byte_loses_its_torn_line_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    whole = written(folder, line("A"), line("B"), line("C"))
    cut = data.draw(st.integers(0, len(whole)))
    journal_path(folder).write_bytes(whole[:cut])
    good = whole[:cut].rfind(b"\n") + 1
    with held(folder):
        writer = JournalWriter(folder)
        torn = writer.torn()
        writer.append(line("D"))
        writer.close()
    assert journal_path(folder).read_bytes() == whole[:good] + journal.encode(line("D"))
    assert ("ES502" if cut > good else None) == (torn and torn.code)


def test_a_broken_line_inside_is_named_by_its_number(tmp_path: Path) -> None:
    whole = written(tmp_path, line("A"), line("B"))
    journal_path(tmp_path).write_bytes(b"{broken\n" + whole)
    with held(tmp_path), pytest.raises(JournalError) as caught:
        JournalWriter(tmp_path)
    assert (caught.value.diagnostic.code, caught.value.diagnostic.place.line) == ("ES511", 1)


def test_a_second_run_is_refused_and_told_who_holds_the_folder(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from evalspec.runtime.journaling import held\n"
        "with held(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(JournalError) as caught, held(tmp_path):
            pass
        assert caught.value.diagnostic.code == "ES503"
        assert f"process {other.pid} on " in caught.value.diagnostic.message
        other.kill()
        other.wait()
    with held(tmp_path):
        assert json.loads((tmp_path / "data/holder.json").read_text())["pid"] == os.getpid()


def test_a_process_may_hold_its_folder_twice(tmp_path: Path) -> None:
    with held(tmp_path), held(tmp_path):
        assert written(tmp_path, line("A")) != b""


def test_a_full_disk_is_a_diagnostic_and_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = written(tmp_path, line("A"))
    real = os.write

    def full(handle: int, data: bytes) -> int:
        if len(data) > 10:
            return real(handle, bytes(data[:10]))
        raise OSError(errno.ENOSPC, "No space left on device")

    with held(tmp_path):
        writer = JournalWriter(tmp_path)
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(JournalError) as caught:
            writer.append(line("B"))
        monkeypatch.undo()
        writer.close()
    assert caught.value.diagnostic.code == "ES510"
    assert "No space left on device" in caught.value.diagnostic.message
    assert whole == journal_path(tmp_path).read_bytes()


def test_a_folder_that_cannot_be_made_is_a_diagnostic(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    with pytest.raises(JournalError) as caught, held(tmp_path):
        pass
    assert caught.value.diagnostic.code == "ES510"


def test_fallen_groups_stand_in_one_line(tmp_path: Path) -> None:
    mark_fallen(tmp_path, "duplicate", ["A", "B"], ["of C", "of D"])
    assert journal.read(journal_path(tmp_path)).lines == (
        FellLine(reason="duplicate", groups=("A", "B"), details=("of C", "of D")),
    )


def test_a_torn_line_of_the_error_log_is_closed_off(tmp_path: Path) -> None:
    written(tmp_path)
    log = journal_path(tmp_path).with_name(ERRORS_NAME)
    log.write_bytes(b'{"torn": ')
    with held(tmp_path):
        writer = JournalWriter(tmp_path)
        writer.note_errors({"group": "A", "errors": ["half \ud835"]})
        writer.close()
    assert json.loads(log.read_text("utf-8").splitlines()[1]) == {"group": "A", "errors": ["half \ud835"]}
