"""The environment of a plan."""

from pathlib import Path

import pytest

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
