"""evalspec doctor, and what evalspec run says, asks and keeps to before it pays."""

import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from evalspec.spec import planfile
from evalspec.spec.journal import AttemptLine, Usage, encode

Evalspec = Callable[..., CompletedProcess[str]]
CANARY = "sk-canary-90d2e7"
ELSEWHERE = "127.0.0.2"
"""An address of this machine that is not taken for it, so that asking it counts as paid."""


class Endpoint:
    """A chat endpoint that gives the same reply to everything."""

    def __init__(self, host: str) -> None:
        self.asked: list[dict[str, Any]] = []
        self.reply = '{"word": "yes"}'
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                outer.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                message = {"role": "assistant", "content": outer.reply}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                usage = {"prompt_tokens": 1000, "completion_tokens": 100}
                data = json.dumps({"model": "m-1", "choices": [choice], "usage": usage}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("X-RateLimit-Limit-Requests", "60")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer((host, 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://{host}:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    if sys.platform != "linux":
        pytest.skip("only Linux has all of 127.0.0.0/8")
    made = Endpoint(ELSEWHERE)
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def paid(small: Path, endpoint: Endpoint, evalspec: Evalspec) -> Path:
    """The small spec, compiled for an endpoint that costs money, its key in .env."""
    config = small / "generation_config.yaml"
    text = config.read_text(encoding="utf-8")
    head, _, rest = text.partition("generation_model:\n")
    rest = rest.partition("\ndataset:")[2]
    section = (
        "generation_model:\n  provider: custom\n  model_name: m\n"
        f"  base_url: {endpoint.url}\n"
        "  max_tokens: 1500\n"
        "  prices: {input_per_million: 2.0, output_per_million: 10.0, as_of: 2026-01}\n"
    )
    config.write_text(f"{head}{section}\ndataset:{rest}", encoding="utf-8")
    (small / ".env").write_text(f"GENERATION_API_KEY={CANARY}\n", encoding="utf-8")
    done = evalspec("compile", small)
    assert done.returncode == 0, done.stdout
    return small


def test_the_doctor_asks_once_and_says_what_it_cost(paid: Path, endpoint: Endpoint, evalspec: Evalspec) -> None:
    done = evalspec("doctor", paid)
    assert (done.returncode, len(endpoint.asked)) == (0, 1), done.stdout
    assert "the call used 1,000 tokens in and 100 out, 0.003000 USD" in done.stdout
    assert "x-ratelimit-limit-requests: 60" in done.stdout
    assert CANARY not in done.stdout + done.stderr


def test_the_doctor_speaks_json_and_has_exit_codes(paid: Path, endpoint: Endpoint, evalspec: Evalspec) -> None:
    endpoint.reply = "Yes."
    done = evalspec("doctor", paid / "plan.json", "--format", "json")
    body = json.loads(done.stdout)
    assert (done.returncode, body["exit_code"], body["diagnostics"][0]["code"]) == (1, 1, "ES518")
    assert [check["name"] for check in body["checks"]][:4] == ["config", "key", "endpoint", "model"]
    (paid / ".env").unlink()
    assert evalspec("doctor", paid).returncode == 2
    assert evalspec("doctor", paid, "--provider", "nobody").returncode == 2


def test_a_key_of_two_lines_is_refused_and_shown_nowhere(paid: Path, endpoint: Endpoint, evalspec: Evalspec) -> None:
    (paid / ".env").write_text(f'GENERATION_API_KEY="{CANARY}\nsecond-line"\n', encoding="utf-8")
    for command in (["doctor", paid / "plan.json"], ["run", paid / "plan.json", "--yes"]):
        done = evalspec(*command)
        shown = done.stdout + done.stderr
        assert (done.returncode, "GENERATION_API_KEY holds no key: there is a line break in it" in shown) == (2, True)
        assert (CANARY in shown, "second-line" in shown) == (False, False)
    assert endpoint.asked == []
    kept = [path.read_text("utf-8") for path in (paid / "data").rglob("*") if path.is_file()]
    assert [text for text in kept if CANARY in text] == []


def test_without_a_terminal_a_paid_run_says_its_estimate_and_keeps_to_its_cap(
    paid: Path, endpoint: Endpoint, evalspec: Evalspec
) -> None:
    done = evalspec("run", paid / "plan.json", "--max-calls", "3")
    assert (done.returncode, len(endpoint.asked)) == (1, 3), done.stdout + done.stderr
    assert "error[ES516]" in done.stdout
    assert "calls to custom m, about" in done.stderr
    assert "at the config's prices of 2026-01: about" in done.stderr
    assert "usage: 3,000 tokens in, 300 out, 0.0090 USD at the prices of 2026-01" in done.stdout
    done = evalspec("run", paid / "plan.json", "--max-cost", "0.02", "--format", "json")
    body = json.loads(done.stdout)
    assert (done.returncode, body["calls"], body["cost"] <= 0.02) == (1, len(endpoint.asked) - 3, True)
    assert body["usage_in_all"]["output_tokens"] == 100 * len(endpoint.asked)
    groups = body["usage_by_group"]
    assert sum(group["calls"] for group in groups) == len(endpoint.asked)
    assert sum(group["output_tokens"] for group in groups) == 100 * len(endpoint.asked)
    assert sum(group["cost"] for group in groups) == pytest.approx(body["cost_in_all"])
    assert body["prices_as_of"] == "2026-01"


def test_a_cap_on_cost_without_prices_cannot_be_kept(paid: Path, endpoint: Endpoint, evalspec: Evalspec) -> None:
    config = paid / "generation_config.yaml"
    lines = [line for line in config.read_text(encoding="utf-8").splitlines() if "prices:" not in line]
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = evalspec("run", paid, "--max-cost", "1")
    assert (done.returncode, "error[ES515]" in done.stdout, endpoint.asked) == (2, True, [])


def test_a_change_that_invalidates_nothing_is_said_before_anything_is_paid(
    paid: Path, endpoint: Endpoint, evalspec: Evalspec
) -> None:
    evalspec("run", paid / "plan.json", "--max-calls", "1")
    config = paid / "generation_config.yaml"
    config.write_text(config.read_text(encoding="utf-8").replace("max_tokens: 1500", "max_tokens: 1600"), "utf-8")
    done = evalspec("run", paid, "--max-calls", "1")
    assert "the plan has changed since the last run, and nothing that was filled is invalidated by it" in done.stderr


def test_groups_of_another_model_are_kept_and_named(paid: Path, endpoint: Endpoint, evalspec: Evalspec) -> None:
    plan = planfile.read(paid / "plan.json")
    group = plan.groups[0]
    line = AttemptLine(
        group=group.group_id,
        attempt=1,
        fingerprint=group.fingerprint,
        provider="custom",
        model="old-model",
        chunk=None,
        request="",
        reply="{}",
        usage=Usage(),
        outcome="accepted",
        errors=(),
        slots=(),
    )
    (paid / "data/generated").mkdir(parents=True)
    (paid / "data/generated/journal.jsonl").write_bytes(encode(line))
    done = evalspec("run", paid / "plan.json", "--max-calls", "1")
    assert "note[ES517]" in done.stdout
    assert "groups that other models filled are kept: 1 by old-model; custom m fills what is open" in done.stdout


@pytest.mark.parametrize(("said", "code", "asked"), [("n", 2, 0), ("y", 1, 1), (None, 1, 1)])
def test_on_a_terminal_a_paid_run_asks_first_unless_told_not_to(
    paid: Path, endpoint: Endpoint, said: str | None, code: int, asked: int
) -> None:
    ours, theirs = pty.openpty()
    program = "import sys; sys.argv[0] = 'evalspec'; from evalspec.cli.main import main; main()"
    command = [sys.executable, "-c", program, "run", str(paid / "plan.json"), "--max-calls", "1"]
    process = subprocess.Popen(
        [*command, *(["--yes"] if said is None else [])],
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "NO_COLOR": "1"},
    )
    os.close(theirs)
    if said is not None:
        os.write(ours, f"{said}\n".encode())
    shown = b""
    try:
        while data := os.read(ours, 4096):
            shown += data
    except OSError:
        pass  # the other side is closed
    assert (process.wait(timeout=60), len(endpoint.asked)) == (code, asked)
    assert (b"Go on?" in shown) == (said is not None)
    os.close(ours)


def test_an_address_that_is_none_is_a_finding(paid: Path, evalspec: Evalspec) -> None:
    config = paid / "generation_config.yaml"
    lines = config.read_text(encoding="utf-8").splitlines()
    made = ['  base_url: "http://[::1/v1"' if "base_url:" in line else line for line in lines]
    config.write_text("\n".join(made) + "\n", encoding="utf-8")
    done = evalspec("compile", paid, "--format", "json")
    assert (done.returncode, [d["code"] for d in json.loads(done.stdout)["diagnostics"]]) == (1, ["ES406"])


def test_a_limit_says_what_the_groups_that_were_tried_failed_for(
    paid: Path, endpoint: Endpoint, evalspec: Evalspec
) -> None:
    done = evalspec("run", paid / "plan.json", "--limit", "1")
    assert (done.returncode, len(endpoint.asked) > 1) == (1, True)
    assert "groups are open, 1 of them tried; " in done.stdout
    assert " was given up: " in done.stdout
    assert "mend what the tried ones failed for" in done.stdout


def test_ctrl_c_within_the_first_imports_leaves_no_traceback(tmp_path: Path) -> None:
    code = """if True:
        import builtins, sys
        real = builtins.__import__
        def interrupted(name, *rest, **more):
            if name == "evalspec.cli.main":
                raise KeyboardInterrupt
            return real(name, *rest, **more)
        from evalspec.cli.start import main
        builtins.__import__ = interrupted
        main()"""
    done = subprocess.run([sys.executable, "-c", code, "compile"], capture_output=True, cwd=tmp_path, timeout=60)
    assert (done.returncode, done.stdout + done.stderr) == (130, b"")
