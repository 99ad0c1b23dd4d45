"""A release of the shipped spec through `bench`: recorded answers, and a judge behind the OpenAI protocol."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Evalspec = Callable[..., CompletedProcess[str]]
LOW = "I have no idea."


class Judge(BaseHTTPRequestHandler):
    """Gives the highest score to any answer but one, by the schema that it is asked for."""

    protocol_version = "HTTP/1.1"
    asked = 0

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Judge.asked += 1
        schema = body["response_format"]["json_schema"]["schema"]["properties"]
        worst = LOW in body["messages"][-1]["content"]
        verdict: dict[str, Any] = {"rationale": "as it is", "score": schema["score"]["minimum" if worst else "maximum"]}
        verdict |= {"hard_fail": []} if "hard_fail" in schema else {}
        choice = {"message": {"role": "assistant", "content": json.dumps(verdict)}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 1}
        data = json.dumps({"choices": [choice], "usage": usage, "model": "judge"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def judge() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Judge)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_release_of_the_shipped_spec_is_judged_by_its_rubrics_and_asked_once(
    tmp_path: Path, evalspec: Evalspec, judge: str
) -> None:
    home = tmp_path / "home"
    assert evalspec("init", "my-eval").returncode == 0
    evalspec("run", "my-eval", "--provider", "embedded", "--limit", "30")
    records = [
        json.loads(line) for line in (home / "my-eval/data/final/train.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    answers = [{"case_id": record["id"], "text": LOW if at == 0 else "So it is."} for at, record in enumerate(records)]
    (home / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers), encoding="utf-8")
    (home / "judge.yaml").write_text(f"provider: custom\nmodel: judge\nbase_url: {judge}\n", encoding="utf-8")
    command = ("bench", "my-eval", "--target", "recorded:answers.jsonl", "--judge", "judge.yaml", "--format", "json")
    done = evalspec(*command)
    report = json.loads(done.stdout)["report"]
    assert (done.returncode, len(records), Judge.asked) == (0, 30, 30)
    assert {row["id"]: row["outcome"] for row in report["rows"]} == {
        record["id"]: "failed" if at == 0 else "passed" for at, record in enumerate(records)
    }
    dimensions = {record["dimension"] for record in records}
    assert dimensions == set(report["summary"]["by_slice_detail"]["dimension"])
    again = json.loads(evalspec(*command).stdout)["report"]
    assert (again["summary"], Judge.asked) == (report["summary"], 30)
