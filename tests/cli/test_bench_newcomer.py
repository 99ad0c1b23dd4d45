"""What somebody meets who uses `evalspec bench` for the first time: why cases failed, and what a usage error says."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Evalspec = Callable[..., CompletedProcess[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def suite(home: Path, cases: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """A support suite, and the recorded answer to each case of it."""
    write_lines(home / "cases.jsonl", [{"input": "When?", "topic": "hours", **case} for case, _ in cases])
    write_lines(home / "answers.jsonl", [{"case_id": case["id"], **answer} for case, answer in cases])


RUN = ("bench", "cases.jsonl", "--target", "recorded:answers.jsonl", "--out", "r.json")


def section(text: str) -> list[str]:
    """The lines on the cases that did not pass."""
    lines = [line.rstrip() for line in text.splitlines()]
    start = next(number for number, line in enumerate(lines) if line.startswith("Not passed"))
    return lines[start : lines.index("", start)]


def test_the_cases_that_did_not_pass_are_shown_with_check_reason_and_answer(
    home: Path, evalspec: Evalspec, snapshot: Any
) -> None:
    pattern = {"forbidden_patterns": ["order\\s+A-\\d+"]}
    suite(home, [
        ({"id": "fine", "key_points": ["seven"]}, {"text": "At seven."}),
        ({"id": "open", "judge_policy": True, "country": "AE"}, {"text": "At nine."}),
        ({"id": "lost", "key_points": ["seven"]}, {"error": "HTTP 500: \x1b[31mno\nsuch [/b] bot"}),
        ({"id": "wrong", "key_points": ["seven", "Sunday"]}, {"text": "At\n\x1b]0;owned\x07 nine. " + "and on " * 40}),
        ({"id": "silent", "key_points": ["seven"]}, {"text": " "}),
        ({"id": "leak", "topic": "orders", "blocking": True, **pattern}, {"text": "It is order A-77."}),
    ])  # fmt: skip
    (home / "policies.json").write_text(json.dumps({"AE": {"hours": "Open from nine."}}), encoding="utf-8")
    done = evalspec(*RUN)
    assert (done.returncode, "\x1b" in done.stdout) == (1, False), done.stdout + done.stderr
    assert section(done.stdout) == snapshot
    assert done.stdout.index("\nChecks") < done.stdout.index("\nNot passed") < done.stdout.index("\nBy ")


def test_ten_cases_are_shown_and_the_rest_is_counted(home: Path, evalspec: Evalspec) -> None:
    suite(home, [({"id": f"c{number}", "key_points": ["x"]}, {"text": "no"}) for number in range(13)])
    lines = section(evalspec(*RUN).stdout)
    assert (lines[0], lines[1], lines[-1]) == (
        "Not passed: 13 cases",
        "c0 (failed, major)",
        "and 3 more: the report has them",
    )
    assert sum(line.startswith("c") for line in lines) == 10


def test_no_line_is_wider_than_a_narrow_terminal(home: Path, evalspec: Evalspec) -> None:
    suite(home, [({"id": "a", "key_points": ["never said " * 20]}, {"text": "word " * 200})])
    lines = section(evalspec(*RUN, COLUMNS="60").stdout)
    assert max(map(len, lines)) <= 60
    assert lines[-1].endswith("…")


def test_a_run_without_a_failure_says_nothing_of_failures(home: Path, evalspec: Evalspec) -> None:
    suite(home, [({"id": "a", "key_points": ["seven"]}, {"text": "seven"})])
    assert "Not passed" not in evalspec(*RUN).stdout


def test_of_a_conversation_the_turn_is_named_and_its_answer_shown(home: Path, evalspec: Evalspec) -> None:
    turns = [{"query": "One?", "expected": {"response_contains": ["one"]}},
             {"query": "Two?", "expected": {"tool": "count"}}]  # fmt: skip
    document = {"scenarios": [{"id": "m", "labels": ["x"], "severity": "critical", "turns": turns}]}
    (home / "s.yaml").write_text(json.dumps(document), encoding="utf-8")
    write_lines(home / "answers.jsonl", [
        {"case_id": "m", "turn": 0, "text": "one"},
        {"case_id": "m", "turn": 1, "text": "", "tool_calls": ["look_up"]},
    ])  # fmt: skip
    done = evalspec("bench", "s.yaml", "--target", "recorded:answers.jsonl")
    assert [line for line in section(done.stdout) if re.match(r"  (tool on turn 2: |answer: )", line)] == [
        "  tool on turn 2: called 'look_up', not 'count'",
        "  answer: [called look_up]",
    ]


def test_tokens_that_no_answer_reports_are_not_zero(home: Path, evalspec: Evalspec) -> None:
    suite(home, [({"id": "a", "key_points": ["seven"]}, {"text": "seven"})])
    assert "· – tokens" in evalspec(*RUN).stdout
    write_lines(home / "answers.jsonl", [{"case_id": "a", "text": "seven", "input_tokens": 0, "output_tokens": 0}])
    assert "· 0 tokens" in evalspec(*RUN).stdout


@pytest.mark.parametrize("arguments", [("--nope",), ("x.jsonl", "--nope"), ("x.jsonl", "--runs", "0")])
def test_a_usage_error_names_the_command_as_it_is_called(
    home: Path, evalspec: Evalspec, arguments: tuple[str, ...]
) -> None:
    done = evalspec("bench", *arguments)
    assert (done.returncode, "evalspec bench --help" in done.stderr, "bench run" in done.stderr) == (2, True, False)
    assert home.is_dir()


@pytest.mark.parametrize(
    "command",
    [("bench", "cases.jsonl", "--out", "r.txt"), ("bench", "compare", "a.json", "b.json", "--out", "r.xml")],
)
def test_an_ending_that_says_nothing_is_refused_before_anything_is_done(
    home: Path, evalspec: Evalspec, command: tuple[str, ...]
) -> None:
    done = evalspec(*command)
    assert (done.returncode, "error[ES515]" in done.stdout, "--report-format" in done.stdout) == (2, True, True)
    assert not list(home.iterdir())


def test_an_ending_of_any_kind_is_taken_with_its_form(home: Path, evalspec: Evalspec) -> None:
    suite(home, [({"id": "a", "key_points": ["seven"]}, {"text": "seven"})])
    assert evalspec(*RUN[:-1], "r.txt", "--report-format", "md").returncode == 0
    assert (home / "r.txt").read_text(encoding="utf-8").startswith("## cases: green")


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        (("--module", "triage"), "--module is given without --eval-set", "triage has the sets calls, tickets"),
        (("--module", "trage"), "--module is given without --eval-set", "there are the modules triage"),
        (("--module", "../triage"), "--module is given without --eval-set", "there are the modules triage"),
        (("--eval-set", "calls"), "--eval-set is given without --module", "eval has the modules triage"),
    ],
)
def test_half_a_name_of_a_set_says_which_there_are(
    home: Path, evalspec: Evalspec, arguments: tuple[str, ...], said: str, hint: str
) -> None:
    folder = home / "eval" / "triage"
    folder.mkdir(parents=True)
    for name in ("contract.json", "tickets.jsonl", "calls.jsonl"):
        (folder / name).write_text("{}", encoding="utf-8")
    done = evalspec("bench", *arguments)
    assert (done.returncode, said in done.stdout, hint in done.stdout) == (2, True, True), done.stdout


def test_a_strict_run_of_a_target_that_takes_no_settings_needs_none_without_bars(
    home: Path, evalspec: Evalspec
) -> None:
    suite(home, [({"id": "a", "key_points": ["seven"], "blocking": True}, {"text": "seven"})])
    done = evalspec(*RUN, "--ci")
    assert (done.returncode, "GREEN" in done.stdout) == (0, True), done.stdout + done.stderr


def test_a_strict_run_of_a_model_says_which_file_to_make(home: Path, evalspec: Evalspec) -> None:
    suite(home, [({"id": "a", "key_points": ["seven"]}, {"text": "seven"})])
    done = evalspec("bench", "cases.jsonl", "--target", "custom:m@http://127.0.0.1:9/v1", "--ci")
    assert done.returncode == 2
    fault = done.stdout[done.stdout.index("error[ES743]") :].splitlines()
    assert [line.strip() for line in fault[1:8]] == [
        "--> command line",
        "= hint: make a file evalspec.toml beside the suite, or in a folder above it, with these lines:",
        "[bench]",
        "seed = 42",
        "temperature = 0.0",
        "top_p = 1.0",
        "max_tokens = 1024",
    ]


def test_bars_demand_the_settings_whatever_the_target_is(home: Path, evalspec: Evalspec) -> None:
    native = {
        "metrics": {"right": {"direction": "at_least", "checks": [{"contains_all": ["seven"]}]}},
        "bars": {"right": {"bar": 0.5, "signed_by": "the head"}},
        "cases": [{"id": "a", "input": "When?", "metric": "right"}],
    }
    (home / "n.yaml").write_text(json.dumps(native), encoding="utf-8")
    (home / "evalspec.toml").write_text("[bench]\nseed = 42\n", encoding="utf-8")
    write_lines(home / "answers.jsonl", [{"case_id": "a", "text": "seven"}])
    done = evalspec("bench", "n.yaml", "--target", "recorded:answers.jsonl", "--ci", "--format", "json")
    found = {item["code"]: item for item in json.loads(done.stdout)["diagnostics"]}["ES743"]
    assert (done.returncode, found["place"]["file"]) == (2, "evalspec.toml")
    assert "since this suite declares bars: temperature, top_p, max_tokens are not set" in found["message"]


def test_a_bot_and_a_judge_beside_the_cases_are_no_part_of_the_suite(home: Path, evalspec: Evalspec) -> None:
    suite(home, [({"id": "a", "key_points": ["seven"]}, {"text": "seven"})])
    (home / "bot.yaml").write_text("kind: recorded\nfile: answers.jsonl\n", encoding="utf-8")
    (home / "critic.yaml").write_text("provider: custom\nmodel: m\nbase_url: http://127.0.0.1:9/v1\n", "utf-8")
    done = evalspec("bench", ".", "--target", "bot.yaml", "--judge", "critic.yaml")
    assert (done.returncode, "home: 1 case" in done.stdout) == (0, True), done.stdout
    (home / "critic.yaml").write_text("kind: unheard-of\n", encoding="utf-8")
    done = evalspec("bench", ".", "--target", "bot.yaml")
    assert (done.returncode, "holds both YAML and JSONL" in done.stdout) == (2, True)
