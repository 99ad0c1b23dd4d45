"""A judge against the labels of people: figures worked out by hand, labels with faults, and what is asked."""

import asyncio
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalspec.bench.calibrating import Calibration, calibrate
from evalspec.bench.judging import Judge, JudgeConfig, KeptHere, make_judge, read_judge
from evalspec.bench.judging.agreement import confusion, kappa_of, rate
from evalspec.bench.judging.config import JudgeModel
from evalspec.bench.judging.labels import read_labels
from evalspec.bench.judging.members import Ballot
from evalspec.bench.results import JudgeLine
from evalspec.bench.stats import kappa
from evalspec.runtime.providers import RefusedError, Reply, ReplyError
from evalspec.runtime.run_state import RunState
from evalspec.spec.diagnostic import Diagnostic
from evalspec.spec.journal import Usage
from evalspec.spec.source import Place

RUBRIC = {"scale": [1, 5], "min_passing_score": 4, "scoring_description": "5 = right; 1 = wrong"}


class Scripted:
    """A member of a panel that says what a table has for a case and an epoch."""

    def __init__(self, said: Any) -> None:
        self.said = said
        self.asked: list[tuple[str, int]] = []

    def shown(self) -> dict[str, Any]:
        return {"provider": "scripted"}

    def answered(self) -> None:
        pass

    async def reply(self, ballot: Ballot, _state: RunState | None = None) -> Reply:
        self.asked.append((ballot.case_id, ballot.epoch))
        said = self.said(ballot.case_id, ballot.epoch)
        if isinstance(said, Exception):
            raise said
        return Reply(said if isinstance(said, str) else json.dumps(said), Usage(), "stop", "scripted")

    async def close(self) -> None:
        pass


def judge_of(member: Scripted) -> Judge:
    config = JudgeConfig(
        (JudgeModel(provider="local", model="scripted"),), 1, "v1", Path(), Place("--judge"), (Place("--judge"),)
    )
    return Judge(config, (member,))


def policy_line(name: str, label: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "question": "May I?",
        "answer": f"Answer {name}.",
        "policy": "Be brief.",
        "label": label,
        **more,
    }


def write(folder: Path, *lines: dict[str, Any] | str) -> Path:
    path = folder / "labels.jsonl"
    path.write_text("".join(f"{x if isinstance(x, str) else json.dumps(x)}\n" for x in lines), encoding="utf-8")
    return path


def calibrated(path: Path, said: Any, repeats: int = 3, kept: KeptHere | None = None) -> Calibration:
    calibration, diagnostics = asyncio.run(calibrate(path, judge_of(Scripted(said)), kept or KeptHere(), repeats))
    assert diagnostics == ()
    assert calibration is not None
    return calibration


def by_name(name: str, _epoch: int) -> dict[str, Any]:
    """The verdict that a name ends with: `12-pass-fail` is labelled pass, and the judge says fail."""
    return {"rationale": f"on {name}", "pass": name.endswith("pass")}


def table(folder: Path, pass_pass: int, pass_fail: int, fail_pass: int, fail_fail: int) -> Path:
    counts = {"pass-pass": pass_pass, "pass-fail": pass_fail, "fail-pass": fail_pass, "fail-fail": fail_fail}
    return write(folder, *(policy_line(f"{n}-{k}", k.split("-")[0]) for k, c in counts.items() for n in range(c)))


def test_figures_of_a_table_that_was_worked_out_by_hand(tmp_path: Path) -> None:
    out = calibrated(table(tmp_path, 20, 5, 10, 15), by_name)
    assert (out.items, out.scored, out.unscored, out.unscored_repeats, out.repeats) == (50, 50, 0, 0, 3)
    assert (
        out.confusion.pass_pass,
        out.confusion.pass_fail,
        out.confusion.fail_pass,
        out.confusion.fail_fail,
    ) == (20, 5, 10, 15)
    # seen 35/50 = 0.7; by chance 0.5 x 0.6 + 0.5 x 0.4 = 0.5; kappa (0.7 - 0.5) / 0.5
    assert pytest.approx((out.kappa.value, out.agreement.value, out.tpr.value, out.tnr.value)) == (0.4, 0.7, 0.8, 0.6)
    assert (
        out.kappa.method,
        out.tpr.method,
        out.kappa.of,
        out.tpr.of,
        out.tnr.of,
    ) == ("asymptotic", "wilson", 50, 25, 25)
    # Wilson for 20/25 and 15/25
    assert pytest.approx((out.tpr.low, out.tpr.high), abs=1e-4) == (0.6087, 0.9114)
    assert pytest.approx((out.tnr.low, out.tnr.high), abs=1e-4) == (0.4074, 0.7660)
    assert (out.self_consistency.value, out.self_consistency.of) == (1.0, 50)


def test_disagreements_are_listed_with_the_judges_reason_and_the_line(tmp_path: Path) -> None:
    out = calibrated(table(tmp_path, 2, 1, 1, 2), by_name)
    assert [(one.id, one.line, one.label, one.verdict) for one in out.disagreements] == [
        ("0-pass-fail", 3, "pass", "fail"),
        ("0-fail-pass", 4, "fail", "pass"),
    ]
    assert (out.disagreements[0].reason, out.disagreements[0].votes) == ("on 0-pass-fail", ("fail", "fail", "fail"))


def test_a_judge_that_always_passes_has_a_kappa_of_nothing(tmp_path: Path) -> None:
    out = calibrated(table(tmp_path, 10, 0, 5, 0), by_name)
    assert (out.kappa.value, out.tpr.value, out.tnr.value) == (0.0, 1.0, 0.0)


def test_perfect_agreement_has_no_interval_of_kappa_and_says_so(tmp_path: Path) -> None:
    out = calibrated(table(tmp_path, 10, 0, 0, 10), by_name)
    assert (out.kappa.value, out.kappa.low) == (1.0, None)
    assert "no interval" in out.kappa.reason
    assert pytest.approx(out.tpr.low, abs=1e-4) == 0.7225


@pytest.mark.parametrize(("counts", "reason"), [((5, 2, 0, 0), "no label is fail"), ((0, 0, 1, 4), "no label is pass")])
def test_one_sided_labels_say_nothing_of_the_judge(
    tmp_path: Path, counts: tuple[int, int, int, int], reason: str
) -> None:
    judge = judge_of(Scripted(by_name))
    out, diagnostics = asyncio.run(calibrate(table(tmp_path, *counts), judge, KeptHere()))
    assert [diagnostic.code for diagnostic in diagnostics] == ["ES755"]
    assert out is not None
    for figure in (out.kappa, out.agreement, out.tpr, out.tnr):
        assert (None, reason) == (figure.value, figure.reason)
    assert out.self_consistency.value == 1.0


def test_repeats_are_never_counted_as_answers(tmp_path: Path) -> None:
    one, five = (calibrated(table(tmp_path, 6, 2, 1, 7), by_name, repeats) for repeats in (1, 5))
    assert (one.kappa, one.tpr, one.tnr) == (five.kappa, five.tpr, five.tnr)
    assert (one.self_consistency.value, one.self_consistency.reason) == (None, "each answer was judged once")


def test_self_consistency_is_the_share_with_one_verdict_in_all_repeats(tmp_path: Path) -> None:
    said = {"a": [1, 1, 1], "b": [1, 0, 1], "c": [0, 0, 0], "d": [0, 0, None], "e": [None, None, 1]}

    def answer(name: str, epoch: int) -> Any:
        value = said[name][epoch - 1]
        return "no idea" if value is None else {"pass": value == 1}

    path = write(tmp_path, *(policy_line(name, "pass" if name in "abe" else "fail") for name in said))
    out = calibrated(path, answer)
    assert (out.self_consistency.value, out.self_consistency.of) == (2 / 3, 3)
    assert (out.scored, out.unscored, out.unscored_repeats) == (4, 1, 3)
    assert [one.id for one in out.unscored_items] == ["e"]
    assert "not JSON" in out.unscored_items[0].reason


def test_an_answer_whose_repeats_are_tied_is_unscored(tmp_path: Path) -> None:
    path = write(tmp_path, policy_line("a", "pass"), policy_line("b", "fail"))
    out = calibrated(path, lambda name, epoch: {"pass": name == "a" and epoch == 1}, repeats=2)
    assert [(one.id, one.reason) for one in out.unscored_items] == [("a", "its repeats are tied: pass, fail")]
    assert out.kappa.reason == "no answer that is labelled pass was scored"


def test_a_judge_that_fails_on_all_answers_is_worth_nothing(tmp_path: Path) -> None:
    out = calibrated(table(tmp_path, 2, 0, 0, 2), lambda *_: ReplyError("HTTP 413"))
    assert (out.scored, out.unscored, out.unscored_repeats, out.kappa.value) == (0, 4, 12, None)
    assert out.kappa.reason == "no answer was scored"


def test_a_judge_that_refuses_for_good_ends_the_calibration_with_a_finding(tmp_path: Path) -> None:
    judge = judge_of(Scripted(lambda *_: RefusedError("HTTP 401: bad key")))
    out, diagnostics = asyncio.run(calibrate(table(tmp_path, 1, 0, 0, 1), judge, KeptHere()))
    assert (out, [diagnostic.code for diagnostic in diagnostics]) == (None, ["ES753"])


def test_replies_that_cannot_be_kept_are_asked_for_no_longer(tmp_path: Path) -> None:
    class Full(KeptHere):
        def put(self, line: JudgeLine) -> None:
            raise OSError(f"disk full at {line.case_id}")

    class Slow(Scripted):
        async def reply(self, ballot: Ballot, _state: RunState | None = None) -> Reply:
            if self.asked:
                await asyncio.sleep(30)
            return await super().reply(ballot)

    member = Slow(by_name)
    with pytest.raises(OSError, match="disk full"):
        asyncio.run(calibrate(table(tmp_path, 5, 0, 0, 5), judge_of(member), Full()))
    assert len(member.asked) == 1


def test_scores_are_compared_on_the_scale_as_well(tmp_path: Path) -> None:
    people = {"a": 5, "b": 4, "c": 2, "d": 1}
    judge = {"a": 5, "b": 3, "c": 4, "d": 1}
    lines = [
        {"id": n, "question": "Q?", "answer": f"A {n}", "rubric": RUBRIC, "expected_behavior": "E", "label": score}
        for n, score in people.items()
    ]
    out = calibrated(write(tmp_path, *lines), lambda name, _: {"score": judge[name]})
    assert out.scores is not None
    assert (
        out.scores.of,
        out.scores.same,
        out.scores.mean_difference,
        out.scores.mean_distance,
    ) == (4, 2, 0.25, 0.75)
    assert (
        out.confusion.pass_pass,
        out.confusion.pass_fail,
        out.confusion.fail_pass,
        out.confusion.fail_fail,
    ) == (1, 1, 1, 1)


def test_a_rubric_that_ships_is_named_and_its_hard_fails_are_asked_for(tmp_path: Path) -> None:
    lines = [
        {"question": "Q?", "answer": f"A {n}", "rubric": "faithfulness_1_5", "label": label}
        for n, label in enumerate(["pass", "fail"])
    ]
    out = calibrated(
        write(tmp_path, *lines), lambda name, _: {"score": 5, "hard_fail": ["H1"] if name == "line 2" else []}
    )
    assert (out.confusion.pass_pass, out.confusion.fail_fail, out.scores) == (1, 1, None)


def test_what_is_kept_is_not_asked_for_again_and_gives_the_same(tmp_path: Path) -> None:
    path, kept, member = table(tmp_path, 2, 1, 1, 2), KeptHere(), Scripted(by_name)
    first, second = (asyncio.run(calibrate(path, judge_of(member), kept))[0] for _ in range(2))
    assert first == second
    assert 18 == len(member.asked) == len(set(member.asked))


def test_a_recorded_judge_is_calibrated_from_files_alone(tmp_path: Path, snapshot: Any) -> None:
    path = table(tmp_path, 3, 1, 1, 3)
    names = [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]
    verdicts = "".join(json.dumps({"case_id": name, "reply": by_name(name, 1)}) + "\n" for name in names)
    (tmp_path / "v.jsonl").write_text(verdicts, encoding="utf-8")
    config, _ = read_judge("recorded:v.jsonl", tmp_path)
    assert config is not None
    out, _ = asyncio.run(calibrate(path, make_judge(config, {}, tmp_path), KeptHere()))
    assert out is not None
    assert out.model_dump_json(indent=1, exclude={"labels"}) == snapshot
    assert out == Calibration.model_validate_json(out.model_dump_json())


# -- labels


def shown(diagnostics: tuple[Diagnostic, ...]) -> str:
    return "\n".join(
        f"{d.code} {d.place.line}:{d.place.column} {d.message} | {d.hint}"
        + "".join(f" | {related.label}: line {related.place.line}" for related in d.related)
        for d in diagnostics
    )


FAULTY: dict[str, tuple[Any, ...]] = {
    "neither": ({"question": "q", "answer": "a", "label": "pass"},),
    "both": (policy_line("a", "pass", rubric=RUBRIC),),
    "a score by policy": (policy_line("a", "pass") | {"label": 3},),
    "a score off the scale": ({"question": "q", "answer": "a", "rubric": RUBRIC, "label": 6},),
    "a label that is neither": (policy_line("a", "passed"),),
    "a label that is true": (policy_line("a", "pass") | {"label": True},),
    "a rubric that there is not": ({"question": "q", "answer": "a", "rubric": "faithfulnes_1_5", "label": 4},),
    "a passing score off the scale": (
        {"question": "q", "answer": "a", "rubric": RUBRIC | {"min_passing_score": 9}, "label": 4},
    ),
    "a scale that falls": ({"question": "q", "answer": "a", "rubric": RUBRIC | {"scale": [5, 1]}, "label": 4},),
    "a misspelt key": (policy_line("a", "pass", polcy="x"),),
    "a key that is missing": ({"question": "q", "policy": "p", "label": "pass"},),
    "an id twice": (policy_line("a", "pass"), policy_line("b", "fail"), policy_line("a", "fail")),
    "an id that is a number": (policy_line("a", "pass") | {"id": 1},),
    "no labels": ("", ""),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_faulty_labels_are_found_with_their_places(tmp_path: Path, fault: str, snapshot: Any) -> None:
    path = write(tmp_path, *FAULTY[fault])
    labels, diagnostics = read_labels(path)
    assert labels is None
    assert shown(diagnostics).replace(path.as_posix(), "labels.jsonl") == snapshot


def test_labels_with_faults_are_all_named_and_the_judge_is_not_asked(tmp_path: Path) -> None:
    path = write(tmp_path, policy_line("a", "maybe"), policy_line("b", "pass"), policy_line("b", "pass"))
    member = Scripted(by_name)
    out, diagnostics = asyncio.run(calibrate(path, judge_of(member), KeptHere()))
    assert (out, [d.place.line for d in diagnostics], member.asked) == (None, [1, 3], [])


# -- figures


def test_the_error_of_kappa_is_that_of_resampling() -> None:
    pairs = [(True, True)] * 40 + [(True, False)] * 9 + [(False, True)] * 6 + [(False, False)] * 45
    figure = kappa_of(pairs)
    assert figure.low is not None
    assert figure.high is not None
    draws = random.Random(3)
    values = []
    for _ in range(2000):
        sample = draws.choices(pairs, k=len(pairs))
        values.append(kappa([a for a, _ in sample], [b for _, b in sample]) or 0.0)
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    assert spread == pytest.approx((figure.high - figure.low) / 2 / 1.96, rel=0.06)


COUNTS = st.integers(0, 30)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_kappa_lies_within_its_interval_and_that_within_its_range(a: int, b: int, c: int, d: int) -> None:
    pairs = [(True, True)] * a + [(True, False)] * b + [(False, True)] * c + [(False, False)] * d
    figure = kappa_of(pairs)
    assert (a, b, c, d) == tuple(confusion(pairs).model_dump().values())
    if figure.value is None:
        assert figure.reason
    elif figure.low is not None and figure.high is not None:
        assert -1 <= figure.low <= figure.value <= figure.high <= 1


def test_a_rate_of_nothing_says_why() -> None:
    assert (rate(0, 0, "nothing to count").value, rate(0, 0, "nothing to count").reason) == (None, "nothing to count")
