"""The bench journal on disk: torn lines, keys, and what stands."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalspec.bench.checks import Check, ContainsAll
from evalspec.bench.journal import encode, opened, trial_key
from evalspec.bench.results import JudgeLine, TargetResult, ToolCall, TrialLine
from evalspec.bench.suite import Case, Turn
from evalspec.runtime.journaling import JournalError
from evalspec.spec.source import Place

CASE = Case("a", (Turn("hello", ()),), Place("f"), "f", tags=("x",), facts={"country": "AE"})


def line(key: str, text: str = "é \ud835 \u2028", error: str | None = None) -> TrialLine:
    result = TargetResult(
        text="" if error else text,
        output={"list": [1, {"a": None}]},
        tool_calls=(ToolCall(name="t", args={"x": [1, 2]}),),
        error=error,
    )
    return TrialLine(case_id="c", epoch=1, key=key, results=(result,))


def written(folder: Path, *lines: TrialLine | JudgeLine) -> bytes:
    with opened(folder) as journal:
        for item in lines:
            journal.add(item) if isinstance(item, TrialLine) else journal.put(item)
    return (folder / "trials.jsonl").read_bytes()


def test_lines_come_back_as_they_were(tmp_path: Path) -> None:
    verdict = JudgeLine(key="v", case_id="c", epoch=1, check="policy_judge", reply="GRADE: \udc00")
    written(tmp_path, line("A"), line("B", "plain"), verdict)
    with opened(tmp_path) as journal:
        assert (line("A"), line("B", "plain"), verdict) == (journal.trial("A"), journal.trial("B"), journal.get("v"))


@given(st.data())
def test_a_journal_cut_at_any_byte_loses_its_torn_line_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    whole = written(folder, line("A"), line("B"), line("C"))
    cut = data.draw(st.integers(0, len(whole)))
    (folder / "trials.jsonl").write_bytes(whole[:cut])
    good = whole[:cut].rfind(b"\n") + 1
    with opened(folder) as journal:
        torn = journal.torn
        journal.add(line("D"))
    assert whole[:good] + encode(line("D")) == (folder / "trials.jsonl").read_bytes()
    assert ("ES502" if cut > good else None) == (torn and torn.code)


def test_a_broken_line_inside_is_named_by_its_number(tmp_path: Path) -> None:
    whole = written(tmp_path, line("A"))
    (tmp_path / "trials.jsonl").write_bytes(whole + b"{broken\n" + whole)
    with pytest.raises(JournalError) as caught, opened(tmp_path):
        pass
    assert (caught.value.diagnostic.code, caught.value.diagnostic.place.line) == ("ES511", 2)


def test_a_trial_with_an_error_is_written_and_does_not_stand(tmp_path: Path) -> None:
    written(tmp_path, line("A", error="HTTP 500"))
    with opened(tmp_path) as journal:
        assert journal.trial("A") is None
        journal.add(line("A", "later"))
        assert journal.trial("A").results[0].text == "later"  # type: ignore[union-attr]


def test_the_first_answer_to_a_key_stands(tmp_path: Path) -> None:
    written(tmp_path, line("A", "first"), line("A", "second"))
    with opened(tmp_path) as journal:
        assert journal.trial("A").results[0].text == "first"  # type: ignore[union-attr]


def test_a_reply_that_never_came_is_asked_of_the_judge_again(tmp_path: Path) -> None:
    failed = JudgeLine(key="v", case_id="c", epoch=1, check="j", reply=None, error="busy")
    written(tmp_path, failed)
    with opened(tmp_path) as journal:
        assert journal.get("v") is None


def test_a_second_run_on_the_folder_is_refused(tmp_path: Path) -> None:
    import subprocess
    import sys

    program = (
        "import sys; from pathlib import Path; from evalspec.bench.journal import opened\n"
        "with opened(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"held"
        with pytest.raises(JournalError) as caught, opened(tmp_path):
            pass
        other.communicate(b"")
    assert caught.value.diagnostic.code == "ES503"


@pytest.mark.parametrize(
    "other",
    [
        replace(CASE, case_id="b"),
        replace(CASE, turns=(Turn("hallo", ()),)),
        replace(CASE, turns=(Turn("hello", ()), Turn("hello", ()))),
        replace(CASE, facts={"country": "GB"}),
        replace(CASE, tags=()),
    ],
)
def test_a_key_changes_with_what_is_asked(other: Case) -> None:
    assert trial_key(CASE, "d", 1) != trial_key(other, "d", 1)


def test_a_key_changes_with_the_target_and_the_epoch() -> None:
    keys = {trial_key(CASE, digest, epoch) for digest in ("d", "e") for epoch in (1, 2)}
    assert len(keys) == 4


@pytest.mark.parametrize(
    "other",
    [
        replace(CASE, turns=(Turn("hello", (Check("c", ContainsAll(("x",))),), 3.0),)),
        replace(CASE, severity="critical", blocking=True, place=Place("elsewhere", 9), set="g", links=("b",)),
    ],
)
def test_a_key_does_not_change_with_what_is_expected(other: Case) -> None:
    assert trial_key(CASE, "d", 1) == trial_key(other, "d", 1)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda v: st.lists(v) | st.dictionaries(st.text() | st.integers(), v),
        max_leaves=8,
    )
)
def test_any_input_has_a_key(value: object) -> None:
    one = replace(CASE, turns=(Turn(value, ()),), facts={"value": value})
    assert trial_key(one, "d", 1) == trial_key(replace(one), "d", 1)
