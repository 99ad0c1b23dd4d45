"""What ends the process that people see and kill loses no reply that was on its way, and leaves nobody waiting."""

import json
import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from evalspec.runtime.event_loop import SAME_SIGNAL
from evalspec.runtime.guard import guard, guard_gone, outlived, worker_identity

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no guard stands before the worker")
Evalspec = Callable[..., CompletedProcess[str]]
COMMAND = [sys.executable, "-c", "import sys; sys.argv[0] = 'evalspec'; from evalspec.cli.start import main; main()"]
LONG = 60.0


class Silent(ThreadingHTTPServer):
    """Says nothing of clients that are gone."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


class Gated:
    """An endpoint that answers its first request, and the others once its gate is open."""

    def __init__(self, reply: Callable[[Any], Any]) -> None:
        self.asked: list[str] = []
        self.gate = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                outer.asked.append(body)
                if len(outer.asked) > 1:
                    outer.gate.wait(LONG)
                data = json.dumps(reply(json.loads(body))).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = Silent(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def wait_for(self, requests: int) -> None:
        until(lambda: len(self.asked) >= requests)

    def close(self) -> None:
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def model() -> Iterator[Gated]:
    """A model whose replies do not fit: each is journalled, and the next try quotes what was wrong with it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": '{"word": "yes"}'}, "finish_reason": "stop"}
    server = Gated(lambda _: {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 9}})
    yield server
    server.close()


@pytest.fixture
def bot() -> Iterator[Gated]:
    server = Gated(lambda body: {"text": f"heard {body['input']}"})
    yield server
    server.close()


@pytest.fixture
def plan(small: Path, model: Gated, evalspec: Evalspec) -> Path:
    """A plan that the model fills."""
    config = small / "generation_config.yaml"
    text = config.read_text(encoding="utf-8")
    where = f"  provider: custom\n  base_url: {model.url}/v1\n  model_name: m"
    begun, _, rest = text.partition("  provider: ")
    rest = "\n".join(line for line in rest.splitlines()[1:] if not line.startswith("  model_name:"))
    config.write_text(f"{begun}{where}\n{rest}\n", encoding="utf-8")
    assert evalspec("compile", small).returncode == 0
    return small / "plan.json"


def started(*arguments: object, folder: Path, before: str = "") -> subprocess.Popen[str]:
    """The command in a session of its own; `before` is what a shell does before it becomes the command."""
    command = shlex.join([*COMMAND, *map(str, arguments)])
    return subprocess.Popen(
        ["bash", "-c", f"{before} exec {command}"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,  # of this session: a shell that controls jobs starts its commands so
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "160"},
    )


def filling(plan: Path, *more: object, before: str = "") -> subprocess.Popen[str]:
    given = ("run", plan, "--provider", "custom", "--no-scrape", "--concurrency", 4, *more)
    return started(*given, folder=plan.parent, before=before)


def said(run: subprocess.Popen[str], words: str) -> None:
    """Read on until a line has the words."""
    assert run.stderr is not None
    patience = threading.Timer(LONG, run.kill)
    patience.start()
    try:
        assert any(words in line for line in run.stderr)
    finally:
        patience.cancel()


def replies(plan: Path) -> list[str]:
    lines = (plan.parent / "data/generated/journal.jsonl").read_text(encoding="utf-8").splitlines()
    return [line["request"] for line in map(json.loads, lines) if line["kind"] == "attempt" and line["reply"]]


def holder(plan: Path) -> dict[str, Any]:
    """What the worker wrote of itself into the folder that it holds."""
    found: dict[str, Any] = json.loads((plan.parent / "data/holder.json").read_text())
    return found


def ended(plan: Path) -> bool:
    """Whether the worker that holds the folder is gone."""
    return not Path(f"/proc/{holder(plan)['pid']}").exists()


@pytest.mark.parametrize("kill", [os.kill, os.killpg])
def test_a_killed_run_journals_the_replies_that_were_on_their_way(
    plan: Path, model: Gated, kill: Callable[[int, int], None]
) -> None:
    run = filling(plan)
    model.wait_for(5)
    kill(run.pid, signal.SIGKILL)
    run.communicate(timeout=LONG / 2)  # whoever reads its output waits for nothing more
    assert run.returncode == -signal.SIGKILL
    model.gate.set()
    until(lambda: ended(plan))
    assert len(model.asked) == len(replies(plan)) == 5


def test_the_next_run_waits_for_a_killed_one_and_asks_nothing_twice(plan: Path, model: Gated) -> None:
    killed = filling(plan)
    model.wait_for(5)
    killed.kill()
    killed.communicate(timeout=LONG)
    following = filling(plan, "--max-calls", 6)
    said(following, "waiting for it")
    assert len(model.asked) == 5
    model.gate.set()
    following.communicate(timeout=LONG)
    assert len(model.asked) == len(set(model.asked)) == len(replies(plan)) == 11


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_drains_the_run(plan: Path, model: Gated, number: signal.Signals) -> None:
    run = filling(plan)
    model.wait_for(5)
    run.send_signal(number)
    said(run, "interrupted")
    model.gate.set()
    out, _ = run.communicate(timeout=LONG)
    assert (run.returncode, "stopped: what was filled is in the journal" in out) == (130, True)
    assert len(model.asked) == len(replies(plan)) == 5


def test_a_second_ctrl_c_waits_for_nothing(plan: Path, model: Gated) -> None:
    run = filling(plan)
    model.wait_for(5)
    run.send_signal(signal.SIGINT)
    said(run, "interrupted")
    time.sleep(1.1 * SAME_SIGNAL)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=LONG / 2)
    assert (run.returncode, len(replies(plan))) == (130, 1)


def test_a_suspended_run_goes_on_when_it_is_continued(plan: Path, model: Gated) -> None:
    run = filling(plan, "--max-calls", 5)
    model.wait_for(5)
    worker = holder(plan)["pid"]

    def state(pid: int) -> str:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]

    run.send_signal(signal.SIGTSTP)
    until(lambda: state(worker) == state(run.pid) == "T")
    run.send_signal(signal.SIGCONT)
    until(lambda: "T" not in (state(worker), state(run.pid)))
    model.gate.set()
    run.communicate(timeout=LONG)
    assert len(replies(plan)) == 5


def test_a_killed_bench_keeps_the_answers_that_were_on_their_way(tmp_path: Path, bot: Gated) -> None:
    rows = [{"id": f"c{number}", "input": f"q{number}", "key_points": ["heard"]} for number in range(12)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = ("bench", "cases.jsonl", "--target", bot.url, "--concurrency", "4", "--out", "report.json")
    run = started(*command, folder=tmp_path)
    bot.wait_for(4)
    run.kill()
    run.communicate(timeout=LONG)
    following = started(*command, folder=tmp_path)
    said(following, "waiting for it")
    bot.gate.set()
    following.communicate(timeout=LONG)
    assert (following.returncode, len(json.loads((tmp_path / "report.json").read_text())["rows"])) == (0, 12)
    assert len(bot.asked) == len(set(bot.asked)) == 12


def test_one_ctrl_c_that_reaches_guard_and_worker_is_one(plan: Path, model: Gated) -> None:
    run = filling(plan)
    model.wait_for(5)
    for process in (run.pid, holder(plan)["pid"]):
        os.kill(process, signal.SIGINT)
    said(run, "interrupted")
    model.gate.set()
    run.communicate(timeout=LONG)
    assert (run.returncode, len(replies(plan))) == (130, 5)


def test_a_worker_that_was_suspended_with_a_killed_guard_goes_on_to_its_end(plan: Path, model: Gated) -> None:
    run = filling(plan)
    model.wait_for(5)
    os.kill(holder(plan)["pid"], signal.SIGSTOP)
    run.kill()
    run.communicate(timeout=LONG / 2)
    model.gate.set()
    until(lambda: ended(plan))
    assert len(model.asked) == len(replies(plan)) >= 5  # continued, it may read a reply before it knows


def test_signals_that_were_ignored_at_the_start_do_not_keep_an_orphan_going(plan: Path, model: Gated) -> None:
    run = filling(plan, "--max-calls", 50, before="trap '' TERM INT;")
    model.wait_for(1)
    run.kill()
    run.communicate(timeout=LONG / 2)
    model.gate.set()
    until(lambda: ended(plan))
    assert len(model.asked) == len(replies(plan)) < 50


def test_a_run_whose_parent_ignores_the_end_of_children_keeps_its_code(tmp_path: Path) -> None:
    run = started("run", "nowhere.json", folder=tmp_path, before="trap '' CHLD;")
    _, said_of_it = run.communicate(timeout=LONG)
    assert (run.returncode, said_of_it) == (2, "")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGABRT])
def test_a_guard_dies_of_what_its_worker_died_of(plan: Path, model: Gated, number: signal.Signals) -> None:
    run = filling(plan)
    model.wait_for(5)
    os.kill(holder(plan)["pid"], number)
    run.communicate(timeout=LONG)
    assert run.returncode == -number


@pytest.mark.parametrize("change", [{"space": "elsewhere"}, {"started": 1}, {"pid": 1e400}, {"pid": 2**22 + 1}])
def test_a_folder_that_another_process_holds_is_not_waited_for(
    plan: Path, model: Gated, evalspec: Evalspec, change: dict[str, Any]
) -> None:
    killed = filling(plan)
    model.wait_for(5)
    killed.kill()
    killed.communicate(timeout=LONG)
    path = plan.parent / "data/holder.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    done = evalspec("run", plan, "--provider", "custom", "--no-scrape")
    assert (done.returncode, "error[ES503]" in done.stdout) == (2, True)


def read_until(terminal: int, words: bytes) -> bytes:
    """What a terminal shows, up to and with some words."""
    shown, deadline = b"", time.monotonic() + LONG
    while words not in shown:
        assert select.select([terminal], [], [], deadline - time.monotonic())[0], shown
        shown += os.read(terminal, 4096)
    return shown


def test_a_run_in_the_background_leaves_the_terminal_to_the_shell(plan: Path, model: Gated) -> None:
    """A shell that controls jobs starts the run in the background; the run would ask whether to pay."""
    config = plan.parent / "generation_config.yaml"
    config.write_text(config.read_text(encoding="utf-8").replace("127.0.0.1", "127.0.0.2"), encoding="utf-8")
    (plan.parent / ".env").write_text("GENERATION_API_KEY=sk-0123456789\n", encoding="utf-8")
    command = shlex.join([*COMMAND, "run", str(plan.parent), "--no-scrape"])
    child, terminal = pty.fork()
    if not child:
        os.chdir(plan.parent)
        os.execvp("bash", ["bash", "--norc", "-i", "-m"])
    try:
        os.write(terminal, f"{command} & sleep 0.1; wait\n".encode())
        assert b"Go on?" not in read_until(terminal, b"Stopped")
        os.write(terminal, b"fg\n")
        read_until(terminal, b"Go on?")
        os.write(terminal, b"n\n")
        os.write(terminal, b"echo code is $?\n")
        read_until(terminal, b"code is 2")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)
    assert model.asked == []


def test_a_run_that_cannot_begin_ends_with_its_own_code(tmp_path: Path) -> None:
    run = started("run", "nowhere.json", folder=tmp_path)
    run.communicate(timeout=LONG)
    assert run.returncode == 2


def test_a_process_that_was_not_forked_has_no_guard() -> None:
    assert (guard(), guard_gone(), worker_identity()) == (None, False, {})
    assert not outlived({"pid": os.getpid()})
