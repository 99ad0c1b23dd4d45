"""evalspec bench as a user calls it: exit codes, formats, resuming, and what it says of what is missing."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Evalspec = Callable[..., CompletedProcess[str]]

BOT = """
import time

def answer(question):
    print("noise on standard output")
    if "crash" in question:
        raise ValueError("no such order")
    return {"text": "Returns within 7 days. " + question, "tool_calls": []}

def slow(question):
    time.sleep(0.4)
    return question

def broken(question):
    raise RuntimeError("out of order")

def triage(ticket):
    category = "outage" if "down" in ticket["text"] else "other"
    return {"category": category, "priority": "P2"}
"""
CASES: list[dict[str, Any]] = [
    {"id": "ret-1", "input": "May I return a dress?", "topic": "returns", "source": "golden", "key_points": ["7 days"]},
    {"id": "ret-2", "input": "And shoes?", "topic": "returns", "source": "golden", "key_points": ["14 days"]},
    {"id": "priv-1", "input": "Whose order is it?", "topic": "privacy", "source": "adversarial", "blocking": True,
     "expect_tool_not_called": "lookup_order"},
]  # fmt: skip
OUTPUT = {
    "type": "object",
    "properties": {"category": {"enum": ["outage", "other"]}, "priority": {"enum": ["P1", "P2", "P3"]}},
    "required": ["category", "priority"],
}
CONTRACT = {
    "module": "triage",
    "input": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "output": OUTPUT,
    "latency_p95_ms": 60_000,
    "metrics": {
        "agreement": {
            "direction": "at_least",
            "checks": [{"equals": {"path": "category", "value": "$expected.category"}}],
        }
    },
    "sets": {"tickets": {"bars": {"agreement": {"bar": 0.9, "signed_by": "the head of operations"}}}},
}
SETTINGS = """
[bench]
seed = 42
temperature = 0.0
top_p = 1.0
max_tokens = 1024
concurrency = 4

[bench.modules.triage]
target = "python:bot:triage"
prompt_version = "v3"
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder in which the program is run, with a bot, a suite, and a set of 200 cases of which 5 % are wrong."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "bot.py").write_text(BOT, encoding="utf-8")
    write_lines(folder / "cases.jsonl", CASES)
    module = folder / "eval" / "triage"
    module.mkdir(parents=True)
    (module / "contract.json").write_text(json.dumps(CONTRACT), encoding="utf-8")
    write_lines(module / "tickets.jsonl", [ticket(number) for number in range(200)])
    (folder / "evalspec.toml").write_text(SETTINGS, encoding="utf-8")
    return folder


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def ticket(number: int) -> dict[str, Any]:
    down = number % 2 == 0
    wrong = number % 20 == 0
    return {
        "case_id": f"t-{number:03}",
        "input": {"text": f"line {number} is {'down' if down else 'slow'}"},
        "expected": {"category": "other" if wrong or not down else "outage"},
        "scoring": {"metric": "agreement", "threshold": 0.9},
        "tags": ["english"],
    }


def body_of(done: CompletedProcess[str]) -> dict[str, Any]:
    assert done.stdout.startswith("{"), done.stdout + done.stderr
    body: dict[str, Any] = json.loads(done.stdout)
    return body


def codes_of(done: CompletedProcess[str]) -> list[str]:
    return [item["code"] for item in body_of(done)["diagnostics"]]


SUITE = ("bench", "cases.jsonl", "--target", "python:bot:answer")
MODULE = ("bench", "--module", "triage", "--eval-set", "tickets")


def test_a_suite_without_a_blocking_failure_is_green(home: Path, evalspec: Evalspec) -> None:
    done = evalspec(*SUITE, "--format", "json")
    body = body_of(done)
    assert (done.returncode, body["exit_code"], body["report"]["gate"]["verdict"]) == (0, 0, "green")
    rows = {row["id"]: row["passed"] for row in body["report"]["rows"]}
    assert rows == {"ret-1": True, "ret-2": False, "priv-1": True}
    (file,) = body["files"]
    assert json.loads((home / file).read_text(encoding="utf-8"))["summary"]["n"] == 3


def test_a_blocking_failure_is_red(home: Path, evalspec: Evalspec) -> None:
    write_lines(home / "cases.jsonl", [*CASES[:1], CASES[1] | {"blocking": True}])
    done = evalspec(*SUITE)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "RED" in done.stdout
    assert "blocking cases that failed: 1 (ret-2)" in done.stdout


def test_a_blocking_case_that_no_judge_judged_is_red(home: Path, evalspec: Evalspec) -> None:
    (home / "policies.json").write_text(json.dumps({"AE": {"returns": "Within 7 days."}}), encoding="utf-8")
    case = CASES[0] | {"country": "AE", "judge_policy": True, "blocking": True}
    write_lines(home / "cases.jsonl", [case])
    done = evalspec(*SUITE, "--policies", "policies.json", "--format", "json")
    assert (done.returncode, "ES746" in codes_of(done)) == (1, True)
    assert body_of(done)["report"]["summary"]["blocking_undecided"] == ["ret-1"]


def test_a_target_that_raises_is_an_error_and_not_a_wrong_answer(home: Path, evalspec: Evalspec) -> None:
    write_lines(home / "cases.jsonl", [*CASES, CASES[0] | {"id": "err-1", "input": "crash"}])
    done = evalspec(*SUITE, "--format", "json")
    row = {row["id"]: row for row in body_of(done)["report"]["rows"]}["err-1"]
    assert (done.returncode, row["outcome"], "ES745" in codes_of(done)) == (1, "error", True)
    assert "no such order" in row["error"]


def test_the_same_command_again_asks_nothing_and_says_so(home: Path, evalspec: Evalspec) -> None:
    first = body_of(evalspec(*SUITE, "--format", "json"))["report"]
    journal = next((home / "eval/runs").glob("cases-*/trials.jsonl"))
    size = journal.stat().st_size
    done = evalspec(*SUITE, "--format", "json")
    again = body_of(done)["report"]
    assert (codes_of(done)[-1], journal.stat().st_size) == ("ES747", size)
    assert [row["results"] for row in first["rows"]] == [row["results"] for row in again["rows"]]


def test_a_changed_expectation_is_judged_anew_and_nothing_is_asked(home: Path, evalspec: Evalspec) -> None:
    evalspec(*SUITE)
    write_lines(home / "cases.jsonl", [CASES[0], CASES[1] | {"key_points": ["7 days"]}, CASES[2]])
    done = evalspec(*SUITE, "--format", "json")
    assert "ES747" in codes_of(done)
    assert {row["id"]: row["passed"] for row in body_of(done)["report"]["rows"]}["ret-2"] is True


def test_fresh_asks_anew_and_throws_nothing_away(home: Path, evalspec: Evalspec) -> None:
    evalspec(*SUITE)
    done = evalspec(*SUITE, "--fresh", "--format", "json")
    assert "ES747" not in codes_of(done)
    assert sorted(path.name for path in (home / "eval/runs").glob("cases-*/trials*")) == [
        "trials.1.jsonl",
        "trials.jsonl",
    ]


def test_a_run_without_a_target_says_what_to_name(home: Path, evalspec: Evalspec) -> None:
    done = evalspec("bench", "cases.jsonl")
    assert (done.returncode, "error[ES740]" in done.stdout, "--target" in done.stdout) == (2, True, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("bench", "nowhere.jsonl", "--target", "python:bot:answer"),
        ("bench", "cases.jsonl", "--target", "nothing-like-it"),
        ("bench", "--module", "triage", "--target", "python:bot:answer"),
        ("bench", "cases.jsonl", "--module", "triage", "--eval-set", "tickets"),
        ("bench", "--module", "triage", "--eval-set", "nowhere"),
        ("bench", "cases.jsonl", "--target", "python:bot:answer", "--filter", "topic=nowhere"),
        ("bench", "cases.jsonl", "--nope"),
    ],
)
def test_what_cannot_be_run_exits_with_2_and_no_traceback(
    home: Path, evalspec: Evalspec, arguments: tuple[str, ...]
) -> None:
    assert home.is_dir()
    done = evalspec(*arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert "internal error" not in done.stderr


def test_a_target_that_fails_from_the_start_ends_the_run(home: Path, evalspec: Evalspec) -> None:
    write_lines(home / "cases.jsonl", [CASES[0] | {"id": f"c{number}"} for number in range(40)])
    done = evalspec("bench", "cases.jsonl", "--target", "python:bot:broken", "--format", "json")
    assert (done.returncode, codes_of(done)[-1], body_of(done)["report"]) == (2, "ES741", None)


def test_a_set_of_a_module_is_run_with_its_settings_and_gates_strictly(home: Path, evalspec: Evalspec) -> None:
    done = evalspec(*MODULE, "--ci", "--format", "json")
    body = body_of(done)
    report = body["report"]
    assert (done.returncode, report["gate"]["verdict"], report["draft"]) == (0, "green", [])
    head = [report[name] for name in ("set", "module", "prompt_version", "size")]
    assert head == ["tickets", "triage", "v3", 200]
    assert report["metrics"]["agreement"]["value"] == 0.95
    assert report["metrics"]["agreement"]["pass"] is True
    assert (home / body["files"][0]).parent == home / "eval/results/triage"


def test_a_missed_bar_is_red(home: Path, evalspec: Evalspec) -> None:
    contract = json.loads(json.dumps(CONTRACT).replace('"bar": 0.9', '"bar": 0.99'))
    (home / "eval/triage/contract.json").write_text(json.dumps(contract), encoding="utf-8")
    rows = [ticket(number) | {"scoring": {"metric": "agreement", "threshold": 0.99}} for number in range(200)]
    write_lines(home / "eval/triage/tickets.jsonl", rows)
    done = evalspec(*MODULE)
    assert (done.returncode, "RED" in done.stdout) == (1, True), done.stdout + done.stderr


def test_a_draft_runs_and_a_strict_run_refuses_it(home: Path, evalspec: Evalspec) -> None:
    write_lines(home / "eval/triage/tickets.jsonl", [ticket(number) for number in range(1, 20)])
    done = evalspec(*MODULE)
    assert (done.returncode, "DRAFT" in done.stdout) == (0, True), done.stdout + done.stderr
    strict = evalspec(*MODULE, "--ci")
    assert (strict.returncode, "error[ES742]" in strict.stdout) == (2, True)


def test_a_part_of_a_suite_is_a_draft(home: Path, evalspec: Evalspec) -> None:
    strict = evalspec(*MODULE, "--ci", "--max-cases", "10")
    assert (strict.returncode, "error[ES742]" in strict.stdout) == (2, True)


def test_a_strict_run_demands_the_settings_that_make_it_reproducible(home: Path, evalspec: Evalspec) -> None:
    text = SETTINGS.replace("seed = 42\n", "").replace("top_p = 1.0\n", "")
    (home / "evalspec.toml").write_text(text, encoding="utf-8")
    done = evalspec(*MODULE, "--ci")
    assert (done.returncode, "error[ES743]" in done.stdout, "seed, top_p are not set" in done.stdout) == (2, True, True)


@pytest.mark.parametrize(
    ("wrong", "line", "said"),
    [
        ("temprature = 0.1", 8, "did you mean temperature?"),
        ("runs = 0", 8, "bench.runs"),
        ("seed =", 8, "is not TOML"),
    ],
)
def test_a_wrong_setting_is_shown_at_its_line(home: Path, evalspec: Evalspec, wrong: str, line: int, said: str) -> None:
    text = SETTINGS.replace("concurrency = 4\n", f"concurrency = 4\n{wrong}\n")
    (home / "evalspec.toml").write_text(text, encoding="utf-8")
    done = evalspec(*MODULE)
    assert (done.returncode, "error[ES744]" in done.stdout) == (2, True)
    assert f"evalspec.toml:{line}:" in done.stdout
    assert said in done.stdout


@pytest.mark.parametrize(("form", "name"), [("junit", "r.xml"), ("md", "r.md"), ("html", "r.html"), ("json", "r.json")])
def test_a_report_is_written_in_the_form_that_was_asked_for(
    home: Path, evalspec: Evalspec, form: str, name: str
) -> None:
    done = evalspec(*SUITE, "--report-format", form, "--out", name)
    text = (home / name).read_text(encoding="utf-8")
    assert (done.returncode, f"report: {name}" in done.stdout) == (0, True)
    match form:
        case "junit":
            assert ET.fromstring(text) is not None
        case "json":
            assert json.loads(text)["set"] == "cases"
            assert not (home / "eval/results").exists()
        case "html":
            assert text.lstrip().lower().startswith("<!doctype html>")
        case _:
            assert "cases" in text


def test_the_ending_of_out_says_what_is_written(home: Path, evalspec: Evalspec) -> None:
    evalspec(*SUITE, "--out", "deep/r.xml")
    assert ET.fromstring((home / "deep/r.xml").read_text(encoding="utf-8")) is not None


def test_three_runs_are_three_epochs_of_the_same_cases(home: Path, evalspec: Evalspec) -> None:
    report = body_of(evalspec(*SUITE, "--runs", "3", "--format", "json"))["report"]
    assert (report["size"], len(report["rows"]), report["spread"]["flips"]) == (3, 9, [])
    assert home.is_dir()


def test_lint_asks_nothing_and_exits_by_what_it_finds(home: Path, evalspec: Evalspec) -> None:
    clean = evalspec("bench", "lint", "cases.jsonl")
    assert (clean.returncode, "3 cases" in clean.stdout) == (0, True)
    write_lines(home / "cases.jsonl", [CASES[0], CASES[0]])
    twice = evalspec("bench", "lint", "cases.jsonl", "--format", "json")
    assert (twice.returncode, codes_of(twice)[0]) == (1, "ES703")
    assert not (home / "eval/runs").exists()


def test_a_suite_or_a_command_that_is_nearly_named_is_suggested(home: Path, evalspec: Evalspec) -> None:
    assert "did you mean evalspec bench lint?" in evalspec("bench", "lnt").stdout
    missing = evalspec("bench", "case.jsonl", "--target", "recorded:answers.jsonl")
    assert (missing.returncode, "did you mean cases.jsonl?" in missing.stdout) == (2, True)
    assert home.is_dir()


def test_people_rate_answers_two_of_them_and_a_third_where_they_differ(home: Path, evalspec: Evalspec) -> None:
    check = {"rated_by_people": {"question": "Would it spare a ticket?"}}
    cases = [{"id": name, "input": name, "expected": {"answer": name}, "checks": [check]} for name in ("a", "b", "c")]
    (home / "people.yaml").write_text(json.dumps({"name": "people", "cases": cases}), encoding="utf-8")
    write_lines(home / "answers.jsonl", [{"case_id": name, "text": f"{name}!"} for name in ("a", "b", "c")])
    command = ("bench", "people.yaml", "--target", "recorded:answers.jsonl", "--out", "out.json", "--format", "json")

    def run(*more: str) -> tuple[str | None, list[str]]:
        body = body_of(evalspec(*command, *more))
        return body["for_people"], [row["outcome"] for row in body["report"]["rows"]]

    def rate(name: str, *ratings: tuple[int, ...]) -> None:
        rows = list(csv.DictReader((home / name).open(encoding="utf-8-sig", newline="")))
        for row, given in zip(rows, ratings, strict=True):
            row |= {f"rater_{number}": str(rating) for number, rating in enumerate(given, 1)}
        with (home / "rated.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    assert run() == ("out.for-people.csv", ["undecided"] * 3)
    rate("out.for-people.csv", (1, 1), (1, 0), (0, 0))
    assert run("--ratings", "rated.csv") == ("rated.csv", ["passed", "undecided", "failed"])
    rate("rated.csv", (1, 1), (1, 0, 1), (0, 0))
    assert run("--ratings", "rated.csv") == (None, ["passed", "passed", "failed"])
    write_lines(home / "answers.jsonl", [{"case_id": n, "text": t} for n, t in (("a", "a!"), ("b", "B!"), ("c", "c!"))])
    assert run("--ratings", "rated.csv") == ("out.for-people-2.csv", ["passed", "undecided", "failed"])
    new = list(csv.DictReader((home / "out.for-people-2.csv").open(encoding="utf-8-sig", newline="")))
    assert [(row["rater_1"], row["rater_2"], row["expected"]) for row in new] == [
        ("1", "1", '{\n "answer": "a"\n}'),
        ("", "", '{\n "answer": "b"\n}'),
        ("0", "0", '{\n "answer": "c"\n}'),
    ]


def test_two_reports_are_compared(home: Path, evalspec: Evalspec) -> None:
    evalspec(*MODULE, "--out", "base.json")
    write_lines(home / "answers.jsonl", [
        {"case_id": f"t-{number:03}", "output": {"category": "other", "priority": "P2"}} for number in range(200)
    ])  # fmt: skip
    evalspec(*MODULE, "--target", "recorded:answers.jsonl", "--out", "candidate.json")
    same = evalspec("bench", "compare", "base.json", "base.json", "--format", "json")
    assert (same.returncode, body_of(same)["comparison"]["verdict"]) == (0, "non-inferior")
    worse = evalspec("bench", "compare", "base.json", "candidate.json", "--out", "diff.html")
    assert (worse.returncode, "INFERIOR" in worse.stdout) == (1, True), worse.stdout + worse.stderr
    assert (home / "diff.html").is_file()
    unlike = evalspec("bench", "compare", "base.json", "bot.py")
    assert (unlike.returncode, "error[ES780]" in unlike.stdout) == (2, True)


def test_an_example_is_copied_and_runs(home: Path, evalspec: Evalspec) -> None:
    assert evalspec("bench", "example", "support", "shop").returncode == 0
    again = evalspec("bench", "example", "support", "shop")
    assert (again.returncode, "error[ES515]" in again.stdout) == (2, True)
    done = evalspec("bench", "shop/evals/dataset_v1.jsonl", "--max-cases", "5", "--format", "json")
    assert (done.returncode, len(body_of(done)["report"]["rows"])) == (0, 5)
    assert home.is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on POSIX")
def test_an_interrupted_run_goes_on_where_it_was(home: Path, evalspec: Evalspec) -> None:
    write_lines(home / "cases.jsonl", [CASES[0] | {"id": f"c{number}"} for number in range(30)])
    code = "import sys; sys.argv[0] = 'evalspec'; from evalspec.cli.main import main; main()"
    command = [sys.executable, "-c", code, "bench", "cases.jsonl", "--target", "python:bot:slow"]
    process = subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not any(
        path.stat().st_size for path in home.glob("eval/runs/*/trials.jsonl")
    ):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, b"Traceback" in err) == (130, False), (out, err)
    (journal,) = home.glob("eval/runs/*/trials.jsonl")
    kept = len(journal.read_bytes().splitlines())
    assert 1 <= kept < 30
    done = evalspec("bench", "cases.jsonl", "--target", "python:bot:slow", "--concurrency", "30", "--format", "json")
    assert (done.returncode, len(body_of(done)["report"]["rows"])) == (0, 30)
    assert len(journal.read_bytes().splitlines()) == 30


def test_what_data_say_does_nothing_to_the_terminal(home: Path, evalspec: Evalspec) -> None:
    text = json.dumps({"case_id": "a", "error": "\x1b[31mout\x07 of [/b] order"})
    (home / "answers.jsonl").write_text(text, encoding="utf-8")
    suite = home / "[" / "x].jsonl"
    suite.parent.mkdir()
    suite.write_text(json.dumps({"id": "a", "input": "q", "key_points": ["x"], "blocking": True}), encoding="utf-8")
    for arguments in ((), ("--format", "github")):
        done = evalspec("bench", suite, "--target", "recorded:answers.jsonl", *arguments)
        assert (done.returncode, "\x1b" in done.stdout + done.stderr) == (2, False), done.stdout
        assert "\\x1b[31mout\\x07 of [/b] order" in done.stdout
    linted = evalspec("bench", "lint", suite)
    assert (linted.returncode, linted.stdout.split(" ")[0]) == (0, "x]")


def test_a_full_disk_under_the_progress_and_a_width_that_is_none_change_no_verdict(home: Path) -> None:
    (home / "cases.jsonl").write_text(json.dumps({"id": "a", "input": "q", "key_points": ["x"]}), encoding="utf-8")
    (home / "answers.jsonl").write_text(json.dumps({"case_id": "a", "text": "x"}), encoding="utf-8")
    code = "import sys; sys.argv[0] = 'evalspec'; from evalspec.cli.main import main; main()"
    call = [sys.executable, "-c", code, "bench", "cases.jsonl", "--target", "recorded:answers.jsonl"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            call, cwd=home, env={**os.environ, "COLUMNS": "²"}, stdout=subprocess.PIPE, stderr=full, timeout=120
        )
    assert (done.returncode, b"GREEN" in done.stdout) == (0, True)


def test_ctrl_c_before_anything_is_asked_ends_the_command_at_once(home: Path) -> None:
    os.mkfifo(home / "held")
    code = """if True:
        import sys
        sys.argv[0] = 'evalspec'
        from evalspec.bench import preparing
        def prepare(wanted, folder):
            open('held', 'w').close()
            try:
                import time; time.sleep(60)
            except KeyboardInterrupt:
                time.sleep(60)  # one that is raised within an import can get lost
        preparing.prepare = prepare
        from evalspec.cli.main import main
        main()"""
    process = subprocess.Popen([sys.executable, "-c", code, "bench", "x.jsonl"], cwd=home, stderr=subprocess.PIPE)
    (home / "held").read_text()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, b"")
