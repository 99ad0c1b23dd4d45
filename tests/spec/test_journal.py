"""The journal: what is written comes back, and only its last line may be torn."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalspec.spec.journal import (
    AttemptLine,
    FellLine,
    Journal,
    JournalCorruptError,
    Line,
    RunLine,
    decode,
    encode,
    lines,
    read,
    standing,
)


def _attempt(group: str = "A-0001", attempt: int = 1, reply: str | None = "{}", **changes: object) -> AttemptLine:
    data = {
        "group": group,
        "attempt": attempt,
        "fingerprint": "v1:0",
        "provider": "custom",
        "model": "m",
        "chunk": "c",
        "request": "r",
        "reply": reply,
        "outcome": "accepted",
    }
    return AttemptLine.model_validate({**data, **changes})


def _journal(*lines: Line) -> Journal:
    return Journal(lines, 0, 0)


@given(st.text(st.characters(codec=None, categories=None), max_size=200))
def test_any_reply_comes_back_as_it_was(reply: str) -> None:
    line = _attempt(reply=reply)
    data = encode(line)
    assert data.count(b"\n") == 1
    assert decode(data[:-1], 1) == line


def test_a_torn_last_line_is_counted_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    whole, torn = encode(_attempt()), encode(_attempt("B-0001"))[:-20]
    path.write_bytes(whole + torn)
    journal = read(path)
    assert (len(journal.lines), journal.good_bytes, journal.torn_bytes) == (1, len(whole), len(torn))


def test_lines_are_told_with_their_places(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    assert list(lines(path)) == []
    attempts = [_attempt(reply="é"), _attempt("B-0001", reply="\ud800")]
    path.write_bytes(b"".join(map(encode, attempts)) + b'{"kind": "att')
    data = path.read_bytes()
    assert [line for line, _, _ in lines(path)] == attempts
    assert [decode(data[start : start + size], 0) for _, start, size in lines(path)] == attempts


def test_damage_before_the_last_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(encode(_attempt()) + b'{"kind": "attem\n' + encode(_attempt()))
    with pytest.raises(JournalCorruptError) as raised:
        read(path)
    assert raised.value.line == 2


def test_a_missing_journal_is_an_empty_one(tmp_path: Path) -> None:
    assert read(tmp_path / "none.jsonl") == Journal((), 0, 0)


def test_the_last_accepted_attempt_stands_unless_it_fell() -> None:
    first, second = _attempt(attempt=1), _attempt(attempt=3)
    fell = FellLine(reason="duplicate", groups=("A-0001",))
    prints = {"A-0001": "v1:0"}
    assert list(standing(_journal(first, fell), prints)) == []
    assert list(standing(_journal(first, fell, second), prints)) == [second]
    assert list(standing(_journal(first, _attempt(attempt=2, outcome="invalid")), prints)) == [first]


def test_an_attempt_for_another_fingerprint_does_not_stand() -> None:
    assert list(standing(_journal(_attempt()), {"A-0001": "v1:1"})) == []


def test_composed_attempts_count_only_for_the_embedded_provider_and_their_own_form() -> None:
    composed = _attempt(provider="embedded", form="f")
    prints = {"A-0001": "v1:0"}
    assert list(standing(_journal(composed), prints, "custom")) == []
    assert list(standing(_journal(composed), prints, "embedded", {"A-0001": "f"})) == [composed]
    assert list(standing(_journal(composed), prints, "embedded", {"A-0001": "g"})) == []
    assert list(standing(_journal(_attempt()), prints, "embedded")) == []


def test_run_lines_do_not_disturb(tmp_path: Path) -> None:
    run = RunLine(at="2026-01-01T00:00:00Z", plan_digest="d", provider="custom", model="m", evalspec_version="0")
    path = tmp_path / "j.jsonl"
    path.write_bytes(encode(run) + encode(_attempt()))
    assert [line.kind for line in read(path).lines] == ["run", "attempt"]
