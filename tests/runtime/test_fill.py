"""The fill against a scripted endpoint: what is asked, asked again, given up, drained and resumed."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalspec.runtime.events import Accepted, FillResult, GivenUp, Rejected, SourceUse, Started, Stopped, Throttled
from evalspec.runtime.journaling import journal_path, mark_fallen
from evalspec.spec import journal
from evalspec.spec.journal import AttemptLine, standing

Run = Callable[..., FillResult]


def attempts(folder: Path, group: str | None = None) -> list[AttemptLine]:
    lines = journal.read(journal_path(folder)).lines
    return [item for item in lines if isinstance(item, AttemptLine) and group in (None, item.group)]


def accepted(plan: Any, folder: Path) -> dict[str, tuple[Any, ...]]:
    fingerprints = {group.group_id: group.fingerprint for group in plan.groups}
    found = journal.read(journal_path(folder))
    return {item.group: (item.attempt, item.chunk, item.slots) for item in standing(found, fingerprints, "custom")}


def codes(result: FillResult) -> list[str]:
    return [item.code for item in result.diagnostics]


def test_every_group_is_filled_with_one_call_each(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    plan = plan_of(url=llm.url)
    events: list[Any] = []
    result = run(plan, folder, events)
    assert (result.filled, result.open, result.calls, result.stopped) == (10, (), 10, None)
    assert (result.usage.input_tokens, result.usage.output_tokens) == (100, 50)
    assert Started(10, 10, {"truth": 4, "faith": 6}, "custom", "fake") in events
    assert sum(event.records for event in events if isinstance(event, Accepted)) == 4 + 4 + 3 * 2
    assert len({json.dumps(body) for body in llm.requests}) == 10


def test_a_request_asks_for_tokens_by_members_and_binds_the_schema(
    llm: Any, folder: Path, plan_of: Any, run: Run
) -> None:
    run(plan_of({"TRIPLE": 1}, url=llm.url, max_tokens=500), folder)
    body = llm.requests[0]
    assert (body["max_tokens"], body["response_format"]["json_schema"]["strict"]) == (1500, True)
    assert body["response_format"]["json_schema"]["schema"]["properties"]["members"]["maxItems"] == 3


def test_a_finished_run_does_nothing_and_needs_no_source(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    plan = plan_of(url=llm.url)
    run(plan, folder)
    before = journal_path(folder).read_bytes()
    result = run(plan, folder)
    assert (result.filled, result.calls, codes(result), len(llm.requests)) == (10, 0, ["ES514"], 10)
    assert before == journal_path(folder).read_bytes()


def test_groups_on_text_that_was_replaced_are_counted_even_where_nothing_is_open(
    llm: Any, folder: Path, plan_of: Any, run: Run
) -> None:
    plan = plan_of(url=llm.url)
    run(plan, folder, limit=4)
    for path in folder.rglob("*.md"):
        path.write_text(path.read_text("utf-8").replace("scheme", "plan"), encoding="utf-8")
    open_ones = run(plan, folder)
    (stale,) = [item for item in open_ones.diagnostics if item.code == "ES522"]
    assert stale.message == "4 groups stand on text that is no longer among the sources, of 10 filled"
    finished = run(plan, folder)
    assert (codes(finished), finished.calls) == (["ES522", "ES514"], 0)
    assert stale == finished.diagnostics[0]


@pytest.mark.parametrize("counts", [{}, {"CLOSED": 1}, {"CLOSED": 3}])
def test_fewer_groups_than_places_do_not_hang(
    llm: Any, folder: Path, plan_of: Any, run: Run, counts: dict[str, int]
) -> None:
    result = run(plan_of(counts, url=llm.url, concurrency=64), folder)
    assert (sum(counts.values()), ()) == (result.filled, result.open)


def test_a_limit_leaves_the_others_open_and_the_next_call_fills_them(
    llm: Any, folder: Path, plan_of: Any, run: Run
) -> None:
    plan = plan_of({"CLOSED": 5}, url=llm.url)
    first = run(plan, folder, limit=2)
    assert [(f"CLOSED-000{n}", "it was not tried in this call") for n in (3, 4, 5)] == [
        (left.group_id, left.reason) for left in first.open
    ]
    assert ((second := run(plan, folder)).filled, second.calls) == (5, 3)


def test_a_bad_reply_is_asked_again_with_its_errors_quoted(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    llm.script = lambda number, _body: answer(content='{"members": [{"question": 5}]}') if number == 0 else answer()
    events: list[Any] = []
    result = run(plan_of({"CLOSED": 1}, url=llm.url), folder, events)
    assert (result.filled, result.calls) == (1, 2)
    rejected = next(event for event in events if isinstance(event, Rejected))
    assert "members[0].question: must be of string type" in rejected.errors
    second = llm.requests[1]["messages"][1]["content"]
    assert all(f"- {error}" in second for error in rejected.errors)
    assert "was refused" not in llm.requests[0]["messages"][1]["content"]
    noted = json.loads((folder / "data/generated/validation_errors.jsonl").read_text("utf-8"))
    assert (noted["group"], noted["attempt"], noted["outcome"]) == ("CLOSED-0001", 1, "invalid")


def test_a_group_is_asked_thrice_on_three_chunks_and_then_given_up(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    llm.script = lambda _number, _body: answer(content="garbage")
    events: list[Any] = []
    result = run(plan_of({"CLOSED": 1}, url=llm.url), folder, events)
    lines = attempts(folder)
    assert list(range(1, 10)) == [item.attempt for item in lines]
    assert list(Counter(item.chunk for item in lines).values()) == [3, 3, 3]
    assert [item.served for item in lines] == ["cell"] * 6 + ["corpus"] * 3
    reason = "given up: the reply holds no complete JSON object"
    assert [("CLOSED-0001", reason)] == [(left.group_id, left.reason) for left in result.open]
    assert (result.filled, result.stopped) == (0, None)
    assert any(isinstance(event, GivenUp) for event in events)


def test_a_model_of_garbage_ends_the_run_by_itself_with_the_first_cause(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    llm.script = lambda _number, _body: answer(content="garbage")
    plan = plan_of({"CLOSED": 30}, url=llm.url, concurrency=2)
    result = run(plan, folder, hopeless_after=3, reasks=0, chunks=1)
    assert (result.filled, result.stopped, len(result.open)) == (0, None, 30)
    assert result.calls <= 3 + 8
    finding = next(item for item in result.diagnostics if item.code == "ES501")
    assert "none was accepted; the first was given up: the reply holds no complete JSON object" in finding.message


def test_one_template_that_never_fits_stops_no_other(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    llm.script = lambda number, _body: answer(content="garbage" if "CLOSED" in llm.group(number) else None)
    result = run(plan_of({"CLOSED": 6, "OPEN": 4}, url=llm.url), folder, hopeless_after=3, reasks=0, chunks=1)
    assert (4, {"CLOSED"}) == (result.filled, {left.group_id[:6] for left in result.open})


def test_groups_that_an_earlier_round_gave_up_do_not_end_a_later_one(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    plan = plan_of({"CLOSED": 8}, url=llm.url, concurrency=1)
    llm.script = lambda _number, _body: answer(content="garbage")
    assert run(plan, folder, limit=5, hopeless_after=99, reasks=0, chunks=1).filled == 0
    llm.script = lambda _number, _body: answer()
    later = run(plan, folder, hopeless_after=3, reasks=0, chunks=1, retry_given_up=False)
    assert (later.filled, later.calls, len(later.open)) == (3, 3, 5)
    assert "ES501" not in codes(later)


def test_a_reply_that_was_cut_off_is_asked_once_more_with_more_room(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any, good: Any
) -> None:
    llm.script = lambda number, _body: answer(finish="length" if number < 2 else "stop")
    run(plan_of({"CLOSED": 1}, url=llm.url, max_tokens=500), folder)
    assert [item.outcome for item in attempts(folder)] == ["cut_off", "cut_off", "accepted"]
    assert [body["max_tokens"] for body in llm.requests] == [500, 1000, 1000]
    chunks = [item.chunk for item in attempts(folder)]
    assert (chunks[0] == chunks[1], chunks[1] == chunks[2]) == (True, False)


def test_a_model_that_declines_is_asked_on_another_chunk(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    llm.script = lambda number, _body: answer(finish="content_filter" if number == 0 else "stop")
    result = run(plan_of({"CLOSED": 1}, url=llm.url), folder)
    assert (result.filled, [item.outcome for item in attempts(folder)]) == (1, ["refused", "accepted"])


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "Incorrect API key"),
        (403, "not allowed"),
        (429, "You exceeded your current quota: insufficient_quota"),
        (402, "pay"),
    ],
)
def test_a_refusal_for_good_stops_the_run_and_is_not_tried_again(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any, status: int, words: str
) -> None:
    llm.script = lambda number, _body: answer(status=status, content=words) if number >= 3 else answer()
    plan = plan_of({"CLOSED": 12}, url=llm.url, concurrency=1)
    events: list[Any] = []
    result = run(plan, folder, events)
    assert (result.filled, result.stopped.code) == (3, "ES504")  # type: ignore[union-attr]
    assert f"HTTP {status}: {words}" in result.stopped.message  # type: ignore[union-attr]
    assert (sum(isinstance(event, Stopped) for event in events), len(llm.requests)) == (1, 4)
    llm.script = lambda _number, _body: answer()
    again = run(plan, folder)
    assert (again.filled, again.calls) == (12, 9)


@pytest.mark.parametrize("header", ["0", "Wed, 21 Oct 2015 07:28:00 GMT", "soon"])
def test_a_busy_provider_loses_nothing(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any, header: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalspec.runtime.retry.FIRST_WAIT", 0.01)
    monkeypatch.setattr("evalspec.runtime.admission._LONGEST_HOLD", 0.01)
    busy = {"Retry-After": header}
    llm.script = lambda number, _body: (
        answer(status=(429, 500, 503)[number % 3], headers=busy) if number % 10 and number < 60 else answer()
    )
    plan = plan_of({"CLOSED": 12}, url=llm.url)
    events: list[Any] = []
    result = run(plan, folder, events)
    assert (result.filled, result.open, result.calls, result.stopped) == (12, (), 12, None)
    assert any(isinstance(event, Throttled) for event in events)
    assert {1} == {item.attempt for item in attempts(folder) if item.outcome == "accepted"}


def test_an_endpoint_that_is_not_there_ends_the_run_with_its_address(
    folder: Path, plan_of: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalspec.runtime.retry.FIRST_WAIT", 0.01)
    result = run(plan_of({"CLOSED": 3}, url="http://127.0.0.1:9/v1"), folder, patience=0.1)
    assert (result.filled, result.stopped.code, len(result.open)) == (0, "ES504", 3)  # type: ignore[union-attr]
    assert "no reply from custom" in result.stopped.message  # type: ignore[union-attr]


def test_a_port_where_nobody_listens_ends_the_run_within_seconds(folder: Path, plan_of: Any, run: Run) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        began = time.monotonic()
        result = run(plan_of({"CLOSED": 3}, url=f"http://127.0.0.1:{closed.getsockname()[1]}/v1"), folder)
    assert (result.filled, result.stopped.code, result.calls) == (0, "ES504", 0)  # type: ignore[union-attr]
    assert "nobody answers there" in result.stopped.message  # type: ignore[union-attr]
    assert 3.0 <= time.monotonic() - began < 10.0


def test_an_endpoint_that_restarts_is_waited_for(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalspec.runtime.retry.FIRST_WAIT", 0.05)
    monkeypatch.setattr("evalspec.runtime.patience.CLOSED", 0.2)
    monkeypatch.setattr("evalspec.runtime.patience.UNSEEN", 0.2)
    old = llm.server

    def restart() -> None:
        llm.close()
        time.sleep(0.8)
        llm.server = type(old)(old.server_address, old.RequestHandlerClass)
        llm.server.daemon_threads = True
        llm.server.serve_forever(poll_interval=0.02)

    def script(number: int, _body: Any) -> Any:
        if number == 2:
            threading.Thread(target=restart, daemon=True).start()
        return answer(headers={"Connection": "close"})

    llm.script = script
    events: list[Any] = []
    result = run(plan_of({"CLOSED": 12}, url=llm.url, concurrency=1), folder, events)
    assert (result.filled, result.calls, result.stopped) == (12, 12, None)
    assert any(isinstance(event, Throttled) for event in events)


def test_a_programming_error_is_raised_and_not_tried_again(
    llm: Any, folder: Path, plan_of: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("a defect")

    monkeypatch.setattr("evalspec.runtime.asking.judge", broken)
    with pytest.raises(KeyError, match="a defect"):
        run(plan_of({"CLOSED": 4}, url=llm.url, concurrency=1), folder)
    assert len(llm.requests) <= 4


def test_fallen_groups_are_made_again_on_another_chunk(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    plan = plan_of({"CLOSED": 4}, url=llm.url)
    run(plan, folder)
    before = accepted(plan, folder)
    mark_fallen(folder, "duplicate", ["CLOSED-0002", "CLOSED-0003"])
    result = run(plan, folder)
    after = accepted(plan, folder)
    assert (result.filled, result.calls) == (4, 2)
    assert before["CLOSED-0001"] == after["CLOSED-0001"]
    assert (after["CLOSED-0002"][0], before["CLOSED-0002"][1] != after["CLOSED-0002"][1]) == (2, True)


def test_a_reply_that_was_refused_is_judged_again_before_anything_is_asked(
    llm: Any, folder: Path, plan_of: Any, run: Run
) -> None:
    counts = {"OPEN": 2}
    short = run(plan_of(counts, url=llm.url, max_prompt_chars=100), folder, reasks=0, chunks=1)
    assert (short.filled, short.calls) == (0, 2)
    result = run(plan_of(counts, url=llm.url, max_prompt_chars=4000), folder)
    assert (result.filled, result.calls, len(llm.requests)) == (2, 0, 2)
    assert [item.attempt for item in attempts(folder) if item.outcome == "accepted"] == [2, 2]


def test_an_edited_template_redoes_its_own_groups_only(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    plan = plan_of({"CLOSED": 3, "OPEN": 3}, url=llm.url)
    run(plan, folder)
    edited = plan.templates["OPEN"].model_copy(update={"generation_instruction": "Write another.\n{scraped_content}"})
    result = run(plan_of({"CLOSED": 3, "OPEN": 3}, url=llm.url, templates={"OPEN": edited}), folder)
    assert (result.filled, result.calls) == (6, 3)
    assert {"OPEN"} == {llm.group(number)[:4] for number in range(6, 9)}


def test_groups_given_up_are_tried_again_in_the_next_call(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    plan = plan_of({"CLOSED": 1}, url=llm.url)
    llm.script = lambda _number, _body: answer(content="garbage")
    run(plan, folder)
    assert run(plan, folder, retry_given_up=False).calls == 0
    llm.script = lambda _number, _body: answer()
    assert (run(plan, folder).filled, attempts(folder)[-1].attempt) == (1, 10)


def test_the_content_of_a_group_does_not_depend_on_the_order_of_replies(
    llm: Any, tmp_path: Path, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    import shutil

    other = tmp_path / "other"
    shutil.copytree(folder, other)
    bad = {"CLOSED-0002", "OPEN-0001", "TRIPLE-0002"}

    def script(delays: bool) -> Any:
        seen: Counter[str] = Counter()

        def one(number: int, body: Any) -> Any:
            group = llm.group(number)
            seen[group] += 1
            wait = 0.03 * (number % 4) if delays else 0.0
            return answer(content="no", delay=wait) if group in bad and seen[group] < 5 else answer(delay=wait)

        return one

    plan = plan_of(url=llm.url)
    llm.script = script(delays=False)
    run(plan, folder, concurrency=1)
    one_by_one = accepted(plan, folder)
    llm.requests.clear()
    llm.script = script(delays=True)
    run(plan, other, concurrency=8)
    assert one_by_one == accepted(plan, other)


def test_ctrl_c_once_drains_and_saves_and_the_next_run_resumes(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any
) -> None:
    llm.script = lambda number, _body: answer(delay=0.1 if number else 0.0)
    plan = plan_of({"CLOSED": 12}, url=llm.url, concurrency=3)
    heard: list[Any] = []

    class Ear(list[Any]):
        def append(self, event: Any) -> None:
            heard.append(event)
            if isinstance(event, Accepted) and sum(isinstance(e, Accepted) for e in heard) == 1:
                os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    result = run(plan, folder, Ear())
    assert result.stopped == "interrupted"
    assert result.calls == len(llm.requests) == result.filled < 12
    assert {"the run stopped before it was filled"} == {left.reason for left in result.open}
    assert signal.getsignal(signal.SIGINT) is before
    assert (run(plan, folder).filled, len(llm.requests)) == (12, 12)


def test_ctrl_c_twice_stops_at_once(llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any) -> None:
    llm.script = lambda number, _body: answer(delay=3.0 if number else 0.0)
    plan = plan_of({"CLOSED": 12}, url=llm.url, concurrency=3)

    class Ear(list[Any]):
        def append(self, event: Any) -> None:
            if isinstance(event, Accepted | Stopped):
                os.kill(os.getpid(), signal.SIGINT)

    began = time.monotonic()
    result = run(plan, folder, Ear())
    assert (result.stopped, result.filled) == ("interrupted", 1)
    assert time.monotonic() - began < 2.5
    llm.script = lambda _number, _body: answer()
    assert run(plan, folder).filled == 12


def test_a_torn_journal_costs_what_was_in_flight(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    plan = plan_of({"CLOSED": 6}, url=llm.url)
    run(plan, folder, concurrency=1)
    whole = accepted(plan, folder)
    path = journal_path(folder)
    path.write_bytes(path.read_bytes()[:-40])
    result = run(plan, folder)
    assert (result.filled, result.calls, codes(result)) == (6, 1, ["ES502"])
    assert whole == accepted(plan, folder)


def test_a_folder_that_another_run_holds_is_refused(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    program = (
        "import sys; from pathlib import Path; from evalspec.runtime.journaling import held\n"
        "with held(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        result = run(plan_of({"CLOSED": 1}, url=llm.url), folder)
        other.kill()
    assert (result.stopped.code, result.calls) == ("ES503", 0)  # type: ignore[union-attr]


def test_without_any_text_every_group_is_named(llm: Any, tmp_path: Path, plan_of: Any, run: Run) -> None:
    result = run(plan_of({"CLOSED": 2}, url=llm.url), tmp_path)
    assert [(left.group_id, left.reason) for left in result.open] == [
        ("CLOSED-0001", "given up: no source gave any text"),
        ("CLOSED-0002", "given up: no source gave any text"),
    ]
    assert (codes(result), len(llm.requests)) == (["ES509"], 0)


def test_what_was_borrowed_is_said_by_cell(llm: Any, folder: Path, plan_of: Any, run: Run, passage_of: Any) -> None:
    for path in (folder / "corpus").glob("insurance-*.md"):
        path.write_text(passage_of(path.stem, "insurance", "general"), encoding="utf-8")
    plan = plan_of({"CLOSED": 4}, url=llm.url)
    where = "texts of their domain that hold in general"
    for limit in (3, None, None):  # what an earlier run, or an earlier round of one, was served counts too
        result = run(plan, folder, limit=limit)
        notes = [item.message for item in result.diagnostics if item.code == "ES512"]
    assert [f"2 slots were served from {where}, as no text of insurance in canada was left"] == notes


def test_how_often_each_source_was_used_is_said_over_all_runs(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    plan = plan_of({"CLOSED": 6}, url=llm.url)
    first = run(plan, folder, limit=2)
    assert [SourceUse("corpus", 4, 2)] == list(first.sources)
    second = run(plan, folder)
    assert [SourceUse("corpus", 4, 6)] == list(second.sources)
    for path in (folder / "corpus").glob("banking-*.md"):
        path.unlink()
    mark_fallen(folder, "duplicate", ["CLOSED-0001"])
    third = run(plan, folder)
    assert {use.source: use.chunks for use in third.sources} == {"corpus": 2, "no longer at hand": 0}
    assert sum(use.groups for use in third.sources) == 6


def test_without_a_key_what_is_filled_still_counts(llm: Any, folder: Path, plan_of: Any, run: Run) -> None:
    run(plan_of({"CLOSED": 3}, url=llm.url), folder, limit=2)
    result = run(plan_of({"CLOSED": 3}, url="https://llm.example/v1"), folder)
    assert (result.filled, len(result.open), result.stopped.code) == (2, 1, "ES505")  # type: ignore[union-attr]


@pytest.mark.parametrize("outcome", ["accepted", "invalid"])
def test_a_disk_that_fills_up_stops_the_run_and_leaves_a_sound_journal(
    llm: Any, folder: Path, plan_of: Any, run: Run, answer: Any, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno

    real = os.write
    left = [15_000]

    def write(handle: int, data: bytes) -> int:
        room = min(len(data), left[0])
        if not room and data:
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= room
        return real(handle, bytes(data[:room]))

    plan = plan_of({"CLOSED": 40}, url=llm.url)
    llm.script = lambda _number, _body: answer(content=None if outcome == "accepted" else "x" * 3000)
    monkeypatch.setattr("evalspec.runtime.journaling.os.write", write)
    result = run(plan, folder)
    monkeypatch.undo()
    assert result.stopped.code == "ES510"  # type: ignore[union-attr]
    assert journal.read(journal_path(folder)).torn_bytes == 0
    llm.script = lambda _number, _body: answer()
    assert run(plan, folder).filled == 40
