"""review.yaml: what is written is read again, by us and by any YAML reader, and says what it says of one reply only."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from evalspec.outputs.review import decisions, replies
from evalspec.outputs.review.decisions import Decision, ReviewError
from evalspec.spec import journal
from evalspec.spec.plan import Plan

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def _decision(plan: Plan, folder: Path, number: int, verdict: Any = "rejected", note: str = "") -> Decision:
    group = plan.groups[number]
    standing = replies.index(plan, folder).standing[group.group_id]
    return Decision(
        group=group.group_id,
        fingerprint=group.fingerprint,
        attempt=standing.attempt,
        reply=standing.digest,
        verdict=verdict,
        note=note,
        at="2025-01-01T00:00:00+00:00",
    )


def _add(folder: Path, *lines: journal.Line) -> None:
    with (folder / "data/generated" / journal.JOURNAL_NAME).open("ab") as file:
        file.writelines(journal.encode(line) for line in lines)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.builds(Decision, group=TEXTS.filter(bool), fingerprint=TEXTS, verdict=st.just("noted"), note=TEXTS)))
def test_what_is_written_is_read_again_by_any_reader(tmp_path: Path, written: list[Decision]) -> None:
    by_group = {decision.group: decision for decision in written}
    decisions.write(tmp_path, by_group.values())
    assert decisions.read(tmp_path) == by_group
    data = YAML(typ="safe", pure=True).load((tmp_path / decisions.NAME).read_text(encoding="utf-8"))
    assert [Decision.model_validate(item) for item in data["decisions"]] == list(by_group.values())


def test_a_missing_file_holds_no_decision(tmp_path: Path) -> None:
    assert decisions.read(tmp_path) == {}


def test_a_file_written_by_hand_is_read(tmp_path: Path) -> None:
    text = (
        "decisions:\n- group: A\n  fingerprint: v1\n  verdict: rejected\n  at: 2025-01-02\n"
        "- {group: A, fingerprint: v1, verdict: accepted}\n"
    )
    (tmp_path / decisions.NAME).write_text(text, encoding="utf-8")
    assert decisions.read(tmp_path) == {"A": Decision(group="A", fingerprint="v1", verdict="accepted")}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("- 1", "it is not a mapping"),
        ("decisions: {a: 1}", "it is not a mapping"),
        ("decisions: [{group: A, fingerprint: v1, verdict: maybe}]", "decision 1: verdict"),
        ("decisions: [{group: A, fingerprint: v1, verdict: noted, who: me}]", "decision 1: who"),
        ("decisions: [", "cannot be read"),
        ("decisions: ['\xff']", "not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / decisions.NAME).write_bytes(text.encode("latin-1"))
    with pytest.raises(ReviewError) as error:
        decisions.read(tmp_path)
    assert (error.value.diagnostic.code, reason in error.value.diagnostic.message) == ("ES521", True)


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    decisions.write(tmp_path, [Decision(group="A", fingerprint="v1", verdict="noted")])
    before = (tmp_path / decisions.NAME).read_bytes()
    (tmp_path / f".{decisions.NAME}.new").mkdir()
    with pytest.raises(ReviewError) as error:
        decisions.write(tmp_path, [])
    assert (error.value.diagnostic.code, (tmp_path / decisions.NAME).read_bytes()) == ("ES510", before)


def test_a_rejection_counts_until_its_reply_fell(folder: Path, plan: Plan) -> None:
    decided = {item.group: item for item in (_decision(plan, folder, 3), _decision(plan, folder, 5, "accepted"))}
    group = plan.groups[3]
    index = replies.index(plan, folder)
    assert [item.group for item in decisions.to_reopen(decided, plan, index)] == [group.group_id]
    _add(folder, journal.FellLine(reason="rejected", groups=(group.group_id,), details=("",)))
    fallen = replies.index(plan, folder)
    assert decisions.to_reopen(decided, plan, fallen) == []
    assert decisions.tally(decided, plan, fallen).rejected == 1


def test_a_reply_that_was_made_again_is_not_judged(folder: Path, plan: Plan, house: Any) -> None:
    group = plan.groups[3]
    decided = {group.group_id: _decision(plan, folder, 3)}
    _add(folder, journal.FellLine(reason="rejected", groups=(group.group_id,)), house.attempt(group, attempt=2))
    index = replies.index(plan, folder)
    assert decisions.states(decided, plan, index) == {group.group_id: "remade"}
    assert decisions.to_reopen(decided, plan, index) == []
    assert decisions.tally(decided, plan, index).unjudged == len(plan.groups)


def test_a_rejection_written_by_hand_counts_once(folder: Path, plan: Plan, house: Any) -> None:
    group = plan.groups[3]
    decided = {group.group_id: Decision(group=group.group_id, fingerprint=group.fingerprint, verdict="rejected")}
    assert len(decisions.to_reopen(decided, plan, replies.index(plan, folder))) == 1
    _add(folder, journal.FellLine(reason="rejected", groups=(group.group_id,)), house.attempt(group, attempt=2))
    assert decisions.to_reopen(decided, plan, replies.index(plan, folder)) == []


def test_a_decision_on_a_group_that_the_spec_changed_since_counts_no_more(folder: Path, plan: Plan) -> None:
    decision = _decision(plan, folder, 3).model_copy(update={"fingerprint": "v1:other"})
    index = replies.index(plan, folder)
    assert decisions.states({decision.group: decision}, plan, index) == {decision.group: "remade"}
    assert decisions.to_reopen({decision.group: decision}, plan, index) == []


def test_the_index_finds_each_reply_and_passes_over_a_torn_end(folder: Path, plan: Plan) -> None:
    path = folder / "data/generated" / journal.JOURNAL_NAME
    whole = replies.index(plan, folder)
    with path.open("ab") as file:
        file.write(b'{"kind":"fell","reason":"rej')
    assert replies.index(plan, folder).standing == whole.standing
    groups = {group.group_id for group in plan.groups}
    assert set(whole.standing) == groups
    assert {line["group"] for group in groups if (line := whole.line(group)) is not None} == groups
