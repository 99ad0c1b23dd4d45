"""The environment of a plan."""

from pathlib import Path

import pytest

from evalspec.runtime.environment import NO_PLUGINS, environment


@pytest.mark.parametrize(
    ("given", "expected"),
    [("of the process", "of the process"), ("", "of the file"), (" ", "of the file"), (None, "of the file")],
)
def test_what_the_process_was_given_goes_before_the_file_unless_it_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str | None, expected: str
) -> None:
    (tmp_path / ".env").write_text("SOME_KEY='of the file'\n", encoding="utf-8")
    monkeypatch.delenv("SOME_KEY", raising=False)
    if given is not None:
        monkeypatch.setenv("SOME_KEY", given)
    assert environment(tmp_path)["SOME_KEY"] == expected


def test_an_empty_variable_that_no_file_sets_stays_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "")
    assert environment(tmp_path)["SOME_KEY"] == ""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_is_read_in_the_encodings_that_editors_write(tmp_path: Path, encoding: str) -> None:
    (tmp_path / ".env").write_bytes("SOME_OTHER=clé\r\n".encode(encoding))
    read = environment(tmp_path)
    assert (read["SOME_OTHER"], read.unread) == ("clé", "")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"A=b\nSOME_OTHER=cl\xe9\n", "is no UTF-8 text"),
        (b"GOOD=b\n\nSOME_OTHER='sk-secret\n", "line 3 of"),
        (b"GOOD=b\n%% sk-secret\nSOME_MORE=c\n", "line 2 of"),
    ],
)
def test_what_cannot_be_read_is_named_without_what_it_holds(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / ".env").write_bytes(data)
    read = environment(tmp_path)
    assert said in read.unread
    assert "sk-secret" not in read.unread
    assert "SOME_OTHER" not in read
    if b"GOOD" in data:
        assert read["GOOD"] == "b"
    assert read.get("SOME_MORE") == ("c" if b"MORE" in data else None)


def test_a_file_that_is_a_folder_sets_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()
    assert environment(tmp_path).unread == ""


@pytest.mark.parametrize(("value", "kept"), [(NO_PLUGINS[1], False), ("__all__", True)])
def test_what_the_program_sets_for_itself_reaches_no_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, kept: bool
) -> None:
    monkeypatch.setenv(NO_PLUGINS[0], value)
    assert (NO_PLUGINS[0] in environment(tmp_path)) is kept
