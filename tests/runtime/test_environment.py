"""The environment of a plan."""

import os
from pathlib import Path

import pytest

from evalspec.runtime import environment as module
from evalspec.runtime.environment import environment


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
        ("A=b\nSOME_OTHER=c\n".encode("utf-16-le"), "is no UTF-8 text"),
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


@pytest.mark.parametrize("kind", ["folder", "link to nothing", "nothing"])
def test_what_is_no_file_sets_nothing_and_is_named(tmp_path: Path, kind: str) -> None:
    if kind == "folder":
        (tmp_path / ".env").mkdir()
    elif kind == "link to nothing":
        (tmp_path / ".env").symlink_to(tmp_path / "nowhere")
    assert environment(tmp_path).unread.endswith("is no file") is (kind != "nothing")


@pytest.mark.parametrize("given", [None, "true", "__all__"])
def test_what_the_program_sets_for_itself_reaches_no_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str | None
) -> None:
    name = "PYDANTIC_DISABLE_PLUGINS"
    monkeypatch.setattr(module._Quiet, "own", False)
    monkeypatch.setenv(name, "")  # so that it is put back
    monkeypatch.delenv(name) if given is None else monkeypatch.setenv(name, given)
    module.without_plugins()
    assert os.environ[name] == (given or "true")
    assert environment(tmp_path).get(name) == given
