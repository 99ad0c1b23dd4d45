"""What a run has before it, and whether somebody may have to pay for it. Nothing is asked."""

import asyncio
import json
from pathlib import Path

import pytest

from evalspec.bench.journal import opened, trial_key
from evalspec.bench.outlook import Ahead, look_ahead
from evalspec.bench.preparing import Prepared, Wanted, prepare
from evalspec.bench.results import TargetResult, TrialLine

CASES = [
    {"id": "a", "input": "x" * 40, "country": "AE", "topic": "returns", "source": "golden", "judge_policy": True},
    {"id": "b", "input": "y" * 80, "country": "AE", "topic": "returns", "source": "golden", "key_points": ["7 days"]},
]
JUDGE = "provider: custom\nmodel: m\nbase_url: {url}\nvotes: 3\n"


def prepared(folder: Path, target: str, judge: str, runs: int = 1) -> Prepared:
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES), encoding="utf-8")
    (folder / "policies.json").write_text(json.dumps({"AE": {"returns": "7 days."}}), encoding="utf-8")
    (folder / "judge.yaml").write_text(JUDGE.format(url=judge), encoding="utf-8")
    (folder / "answers.jsonl").write_text('{"case_id": "a", "text": "yes"}\n', encoding="utf-8")
    wanted = Wanted(suite=Path("cases.jsonl"), target=target, judge="judge.yaml", runs=runs)
    made, said = prepare(wanted, folder)
    assert made is not None, said
    return made


def ahead_of(made: Prepared, kept: tuple[str, ...] = ()) -> Ahead:
    with opened(made.work) as journal:
        for case in made.suite.cases:
            if case.case_id in kept:
                key = trial_key(case, made.target.digest, 1)
                result = TargetResult(text="yes")
                journal.add(TrialLine(case_id=case.case_id, epoch=1, key=key, results=(result,)))
        out = look_ahead(made, journal)
    asyncio.run(made.target.close())
    return out


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_API_KEY", "none")


def test_requests_tokens_and_votes_of_all_epochs_are_counted(tmp_path: Path) -> None:
    made = prepared(tmp_path, "http://bot.example/answer", "http://127.0.0.1:9/v1", runs=2)
    assert ahead_of(made) == Ahead(4, 4, 4, 60, 6, ("the target http://bot.example/answer",))


def test_what_is_kept_is_not_counted(tmp_path: Path) -> None:
    made = prepared(tmp_path, "http://bot.example/answer", "https://judge.example/v1")
    assert ahead_of(made, ("a",)) == Ahead(2, 1, 1, 20, 0, ("the target http://bot.example/answer",))
    assert ahead_of(made, ("b",)).paid == ()


@pytest.mark.parametrize(
    "target", ["http://localhost:9/answer", "recorded:answers.jsonl", "custom:m@http://127.0.0.1:9"]
)
def test_what_is_on_this_machine_costs_nothing(tmp_path: Path, target: str) -> None:
    made = prepared(tmp_path, target, "https://judge.example/v1")
    assert ahead_of(made).paid == ("the judge m",)
