"""How long a run waits for an HTTP endpoint that fails at some cases and answers others; and what is kept of one."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from evalspec.bench.benching import Benched, bench
from evalspec.bench.events import BenchEvent
from evalspec.bench.journal import opened
from evalspec.bench.preparing import Wanted, prepare
from evalspec.bench.running import run_trials
from evalspec.bench.suite import Case, Suite
from evalspec.bench.trials import RunOptions, Trials
from evalspec.runtime.events import Throttled
from evalspec.spec.diagnostic import Severity
from evalspec.spec.source import Place

Make = Callable[..., Any]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits of hundredths of a second where a user would wait for seconds."""
    monkeypatch.setattr("evalspec.runtime.retry.FIRST_WAIT", 0.01)
    monkeypatch.setattr("evalspec.bench.running.LONGEST_PAUSE", 0.02)


def saying(status: int, about: str) -> Callable[[int, Any], Any]:
    """A bot that answers `status` to what is asked about `about`, and a text to all else."""

    def script(_number: int, request: Any) -> Any:
        if about in request["body"]["question"]:
            return web.json_response({"error": "boom"}, status=status)
        return {"text": "Within 7 days."}

    return script


def run(folder: Path, made: Any, cases: list[Case], **options: Any) -> tuple[Trials, list[BenchEvent]]:
    heard: list[BenchEvent] = []
    suite = Suite("cases", None, "native", tuple(cases), "0" * 64, Place("cases.jsonl"))

    async def go(journal: Any) -> Trials:
        try:
            return await run_trials(suite, made, journal, RunOptions(**options), heard.append)
        finally:
            await made.close()

    with opened(folder / "work") as journal:
        return asyncio.run(go(journal)), heard


def test_a_fault_at_one_case_is_its_error_after_three_tries_and_costs_no_patience(
    bot: Any, tmp_path: Path, target: Make, case: Make
) -> None:
    bot.script = saying(500, "broken")
    cases = [case("fine", case_id="a"), case("broken", "fine", case_id="b"), case("fine", case_id="c")]
    began = time.monotonic()
    trials, heard = run(tmp_path, target(f"{bot.url}/chat"), cases)
    assert [[result.error for result in line.results] for line in trials.lines] == [
        [None], ["HTTP 500: boom", None], [None],
    ]  # fmt: skip
    assert [request["body"]["question"] for request in bot.requests].count("broken") == 3
    assert [event.message for event in heard if isinstance(event, Throttled)] == ["HTTP 500: boom"] * 2
    assert (trials.stopped, time.monotonic() - began < 5) == (None, True)
    assert b"HTTP 500: boom" in (tmp_path / "work" / "trials.jsonl").read_bytes()


def test_a_fault_of_a_model_at_one_case_is_its_error_too(bot: Any, tmp_path: Path, target: Make, case: Make) -> None:
    def script(_number: int, request: Any) -> Any:
        if "broken" in request["body"]["messages"][-1]["content"]:
            return web.json_response({"error": {"message": "boom"}}, status=500)
        return {"choices": [{"message": {"content": "Within 7 days."}, "finish_reason": "stop"}]}

    bot.script = script
    cases = [case("fine", case_id="a"), case("broken", "fine", case_id="b")]
    trials, _ = run(tmp_path, target(f"custom:m@{bot.url}/v1"), cases)
    assert [[result.error for result in line.results] for line in trials.lines] == [[None], ["HTTP 500: boom", None]]
    assert len(bot.requests) == 5


def test_a_fault_at_the_first_case_waits_until_another_was_answered(
    bot: Any, tmp_path: Path, target: Make, case: Make
) -> None:
    bot.script = saying(500, "broken")
    trials, _ = run(tmp_path, target(f"{bot.url}/chat"), [case("broken", case_id="a"), case("fine", case_id="b")])
    assert [line.results[0].error for line in trials.lines] == ["HTTP 500: boom", None]
    assert [request["body"]["question"] for request in bot.requests] == ["broken"] * 3 + ["fine", "broken"]


def test_an_endpoint_that_fails_at_everything_ends_the_run(bot: Any, tmp_path: Path, target: Make, case: Make) -> None:
    bot.script = saying(500, "")
    trials, _ = run(
        tmp_path, target(f"{bot.url}/chat"), [case("x", case_id=name) for name in "ab"], unseen_patience=0.1
    )
    assert (getattr(trials.stopped, "code", None), trials.lines) == ("ES741", ())
    assert "HTTP 500: boom" in getattr(trials.stopped, "message", "")


@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_busy_answer_is_put_off_for_a_time_where_others_are_answered(
    bot: Any, tmp_path: Path, target: Make, case: Make, status: int
) -> None:
    bot.script = saying(status, "busy")
    cases = [case("fine", case_id="a"), case("busy", case_id="b"), case("fine", case_id="c")]
    trials, heard = run(tmp_path, target(f"{bot.url}/chat"), cases, lone_patience=0.2)
    assert (trials.stopped, trials.open) == (None, 0)
    error = trials.lines[1].results[0].error or ""
    assert (f"HTTP {status}: boom" in error, error.startswith("the target was busy")) == (True, True)
    assert len([request for request in bot.requests if request["body"]["question"] == "busy"]) > 3
    assert {event.message for event in heard if isinstance(event, Throttled)} == {f"HTTP {status}: boom"}


def test_cases_that_fail_again_beside_many_that_are_kept_do_not_end_the_run(
    bot: Any, tmp_path: Path, target: Make, case: Make
) -> None:
    bot.script = saying(500, "broken")
    cases = [case(f"{'broken' if n % 4 == 0 else 'fine'} {n}", case_id=f"c{n}") for n in range(48)]
    first, _ = run(tmp_path, target(f"{bot.url}/chat"), cases)
    began = time.monotonic()
    second, _ = run(tmp_path, target(f"{bot.url}/chat"), cases)
    assert time.monotonic() - began < 10
    for trials in (first, second):
        assert (trials.stopped, [line.results[0].error for line in trials.lines].count("HTTP 500: boom")) == (None, 12)
    assert second.kept == 36


# -- a run whole, from its files


def started(folder: Path, given: str, cases: list[dict[str, Any]], **wanted: Any) -> Benched:
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    made, said = prepare(Wanted(suite=Path("cases.jsonl"), target=given, **wanted), folder)
    assert made is not None, said
    return bench(made, lambda _: None)


def asked(number: int, **more: Any) -> dict[str, Any]:
    base = {"id": f"r-{number}", "input": f"question {number}", "country": "AE", "topic": "returns", "source": "golden"}
    return {**base, "key_points": ["7 days"], **more}


def said(benched: Benched, code: str) -> list[str]:
    return [item.message for item in benched.diagnostics if item.code == code]


def test_answers_of_an_earlier_run_beside_new_ones_are_said_and_counted(bot: Any, tmp_path: Path) -> None:
    bot.script = saying(200, "nothing")
    first = started(tmp_path, f"{bot.url}/chat", [asked(n) for n in range(8)])
    assert first.report is not None
    assert (first.report.kept, said(first, "ES748")) == (0, [])
    more = started(tmp_path, f"{bot.url}/chat", [asked(n) for n in range(9)])
    assert more.report is not None
    (message,) = said(more, "ES748")
    assert (more.report.kept, message.startswith("8 of 9 answers are from an earlier run")) == (8, True)
    (note,) = [item for item in more.diagnostics if item.code == "ES748"]
    assert (note.severity, "--fresh asks anew" in (note.hint or "")) == (Severity.NOTE, True)
    again = started(tmp_path, f"{bot.url}/chat", [asked(n) for n in range(9)])
    assert (len(said(again, "ES747")), said(again, "ES748")) == (1, [])


def test_a_recording_that_lacks_answers_is_red_and_told_how_a_line_looks(tmp_path: Path) -> None:
    lines = [json.dumps({"case_id": f"r-{n}", "text": "7 days"}) + "\n" for n in range(5)]
    (tmp_path / "answers.jsonl").write_text("".join(lines), encoding="utf-8")
    benched = started(tmp_path, "recorded:answers.jsonl", [asked(n) for n in range(20)])
    assert benched.report is not None
    (found,) = [item for item in benched.diagnostics if item.code == "ES745"]
    assert '{"case_id": "r-5", "text": "..."}' in (found.hint or "")
    said = "cases that met an error, over 5 % of all: 15 (r-5, r-6, r-7, r-8, r-9 and 10 more)"
    assert (benched.report.gate.verdict, benched.report.gate.reasons) == ("red", (said,))


MAPPED = "kind: http\nurl: {url}/chat\nmap: {{text: reply.txt, tool_calls: steps}}\n"


@pytest.mark.parametrize(
    ("answers", "warned"),
    [
        ([{"reply": {"text": "7 days"}, "steps": ["find"]}], True),
        ([{"reply": {"text": "7 days"}, "steps": ["find"]}, {"reply": {"txt": "7 days"}, "steps": ["find"]}], False),
    ],
)
def test_a_mapped_text_that_no_answer_has_is_found(
    bot: Any, tmp_path: Path, answers: list[dict[str, Any]], warned: bool
) -> None:
    bot.script = lambda number, _request: answers[number % len(answers)]
    (tmp_path / "bot.yaml").write_text(MAPPED.format(url=bot.url), encoding="utf-8")
    benched = started(tmp_path, "bot.yaml", [asked(n) for n in range(4)])
    found = [item for item in benched.diagnostics if item.code == "ES736"]
    assert [(item.place.line, "at reply.txt" in item.message) for item in found] == ([(3, True)] if warned else [])


@pytest.mark.parametrize("cases", [1, 40])
def test_a_judge_that_is_not_there_is_an_error_after_a_few_cases_and_answers_are_kept(
    bot: Any, tmp_path: Path, cases: int
) -> None:
    tried = 0

    def judge(_number: int, request: Any) -> Any:
        nonlocal tried
        if not request["path"].startswith("/v1"):
            return {"text": "Within 7 days."}
        tried += 1
        return web.json_response({"error": {"message": "no model is loaded"}}, status=500)

    bot.script = judge
    (tmp_path / "policies.json").write_text(json.dumps({"AE": {"returns": "Within 7 days."}}), encoding="utf-8")
    (tmp_path / "judge.yaml").write_text(
        f"provider: custom\nmodel: m\nbase_url: {bot.url}/v1\nlimits: {{max_concurrency: 8}}\n", encoding="utf-8"
    )
    suite = [asked(n, judge_policy=True) for n in range(cases)]
    wanted = {"judge": "judge.yaml", "policies": Path("policies.json")}
    benched = started(tmp_path, f"{bot.url}/chat", suite, **wanted)
    assert (benched.report, getattr(benched.stopped, "code", None)) == (None, "ES756")
    (found,) = [item for item in benched.diagnostics if item.code == "ES756"]
    assert (found.severity, "HTTP 500: no model is loaded" in found.message) == (Severity.ERROR, True)
    assert tried == 3 * min(cases, 3)
    bot.script = lambda _number, _request: {
        "choices": [{"message": {"content": '{"rationale": "", "pass": true}'}, "finish_reason": "stop"}]
    }
    asked_before = len(bot.requests)
    mended = started(tmp_path, f"{bot.url}/chat", suite, **wanted)
    assert mended.report is not None
    assert (mended.report.gate.verdict, mended.report.kept) == ("green", cases)
    assert {request["path"].split("/")[1] for request in bot.requests[asked_before:]} == {"v1"}


def test_a_judge_at_a_closed_port_is_named_with_the_cause(bot: Any, tmp_path: Path) -> None:
    bot.script = saying(200, "nothing")
    (tmp_path / "policies.json").write_text(json.dumps({"AE": {"returns": "Within 7 days."}}), encoding="utf-8")
    suite = [asked(n, judge_policy=True) for n in range(6)]
    benched = started(
        tmp_path, f"{bot.url}/chat", suite, judge="custom:m@http://127.0.0.1:9/v1", policies=Path("policies.json")
    )
    assert (getattr(benched.stopped, "code", None), len(said(benched, "ES756"))) == ("ES756", 1)
    assert "127.0.0.1:9" in said(benched, "ES756")[0]
