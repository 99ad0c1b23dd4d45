"""Recorded answers, given again by case, epoch and turn."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalspec.bench.results import TargetResult, ToolCall, TrialLine
from evalspec.bench.targets import SetupError

Make = Callable[..., Any]


def record(folder: Path, *lines: Any) -> str:
    (folder / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return "recorded:answers.jsonl"


def test_answers_are_found_by_case_turn_and_epoch(tmp_path: Path, target: Make, case: Make, ask: Make) -> None:
    given = record(
        tmp_path,
        {"case_id": "a", "text": "first", "latency_ms": 12},
        {"case_id": "a", "turn": 1, "response": "second", "tools_called": ["t"]},
        {"case_id": "b", "epoch": 1, "text": "of epoch 1"},
    )
    first, second, third = ask(target(given), case("q", "r", "s", case_id="a"))
    assert (first.text, first.latency_ms, second.tool_calls) == ("first", 12.0, (ToolCall(name="t"),))
    assert third.error == "the recording holds no answer for this turn"
    assert [result.text for result in ask(target(given), case(case_id="b"))] == ["of epoch 1"]


def test_a_line_of_a_results_own_fields_is_that_result_and_an_object_stands_under_output(
    tmp_path: Path, target: Make, case: Make, ask: Make
) -> None:
    whole = TargetResult(text="one", tool_calls=(ToolCall(name="t"),), confidence="LOW", latency_ms=3.0)
    given = record(
        tmp_path,
        {"case_id": "a", **json.loads(whole.model_dump_json())},
        {"case_id": "b", "output": {"category": "outage"}},
        {"case_id": "c", "error": "HTTP 500"},
    )
    results = ask(target(given), *(case(case_id=name) for name in "abc"))
    assert (results[0], results[1].output) == (whole, {"category": "outage"})
    assert results[2] == TargetResult(error="HTTP 500")


def test_a_case_that_was_not_recorded_is_an_error_and_no_wrong_answer(
    tmp_path: Path, target: Make, case: Make, ask: Make
) -> None:
    results = ask(target(record(tmp_path, {"case_id": "a", "text": "x"})), case(case_id="z"), case(case_id="a"))
    assert [result.error for result in results] == ["the recording holds no answer for this turn", None]


def test_a_journal_of_trials_is_a_recording(tmp_path: Path, target: Make, case: Make, ask: Make) -> None:
    bad = TrialLine(case_id="a", epoch=1, key="k", results=(TargetResult(error="down"),))
    good = TrialLine(case_id="a", epoch=1, key="k", results=(TargetResult(text="one", latency_ms=4.0),))
    lines = [json.loads(line.model_dump_json()) for line in (bad, good, bad)]
    given = record(tmp_path, *lines, {"kind": "judge", "key": "j"})
    assert [TargetResult(text="one", latency_ms=4.0)] == ask(target(given), case(case_id="a"))


def test_a_report_is_a_recording_of_its_model(tmp_path: Path, target: Make, case: Make, ask: Make) -> None:
    row = {"case_id": "a", "epoch": 1, "results": [{"text": "one"}]}
    (tmp_path / "report.json").write_text(json.dumps({"model": "m-1", "rows": [row]}, indent=1), encoding="utf-8")
    made = target("recorded:report.json")
    assert (made.model, [result.text for result in ask(made, case(case_id="a"))]) == ("m-1", ["one"])


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('{"case_id": "a", "text": "x"}\n{oops\n', 2, "this line is no JSON"),
        ('{"text": "x"}\n', 1, "does not say which case"),
        ('\n{"case_id": "a", "text": "x"}\n{"case_id": "a", "text": "y"}\n', 3, "turn 0 of a is answered twice"),
        ('{"case_id": "a", "turn": "1", "text": "x"}\n', 1, "turn is '1', not a whole number from 0"),
        ("\n", 1, "holds no answer"),
        (
            '{"case_id": "a", "text": "x"}\n{"case_id": "b", "antwort": "y"}\n',
            2,
            "no answer under a known name; it has antwort",
        ),
        (
            '{"case_id": "a", "category": "outage", "latency_ms": 3}\n',
            1,
            "no answer under a known name; it has category",
        ),
    ],
)
def test_a_line_that_cannot_be_read_is_found_at_its_place(
    tmp_path: Path, target: Make, text: str, line: int, said: str
) -> None:
    (tmp_path / "answers.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(SetupError) as caught:
        target("recorded:answers.jsonl")
    found = caught.value.diagnostic
    assert (found.code, found.place.line, said in found.message) == ("ES735", line, True)


def test_the_digest_follows_the_bytes(tmp_path: Path, target: Make) -> None:
    first = target(record(tmp_path, {"case_id": "a", "text": "x"})).digest
    assert target(record(tmp_path, {"case_id": "a", "text": "x"})).digest == first
    assert target(record(tmp_path, {"case_id": "a", "text": "y"})).digest != first


def test_a_recording_that_is_no_regular_file_is_not_opened(tmp_path: Path, target: Make) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SetupError) as caught:
        target("recorded:pipe")
    assert caught.value.diagnostic.code == "ES731"


@pytest.mark.parametrize(("key", "hint"), [("antwort", "did you mean answer?"), ("zzz", "an object, under output")])
def test_a_key_that_is_not_known_is_told_what_was_meant(tmp_path: Path, target: Make, key: str, hint: str) -> None:
    with pytest.raises(SetupError) as caught:
        target(record(tmp_path, {"case_id": "a", key: "Within 7 days."}))
    assert hint in (caught.value.diagnostic.hint or "")


def test_a_map_says_where_an_answer_under_another_name_stands(
    tmp_path: Path, target: Make, case: Make, ask: Make
) -> None:
    record(tmp_path, {"case_id": "a", "antwort": "Within 7 days."})
    made = target("kind: recorded\nfile: answers.jsonl\nmap: {text: antwort}\n")
    assert [result.text for result in ask(made, case(case_id="a"))] == ["Within 7 days."]
