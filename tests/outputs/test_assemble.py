"""From plan and journal to a release: what stands in it, and when it is written."""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from evalspec.outputs import assemble as assembling
from evalspec.outputs import standing
from evalspec.outputs.assemble import AssembleOptions, assemble
from evalspec.outputs.checks import check
from evalspec.outputs.coverage import OpenCell
from evalspec.outputs.standing import Account, read_account
from evalspec.spec import journal, planfile
from evalspec.spec.config import Dataset, Dedup
from evalspec.spec.journal import AttemptLine, FellLine
from evalspec.spec.plan import Group

FINAL = AssembleOptions(final=True)


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "train.jsonl").read_text("utf-8").splitlines()]


def digests(folder: Path) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def test_every_slot_becomes_a_record_with_its_links(good: Path, plan: Any) -> None:
    rows = rows_of(good / "data/final")
    slots = {slot.record_id: slot for slot in plan.slots()}
    ids = {slot.slot_id: slot.record_id for slot in plan.slots()}
    assert sorted(slots) == sorted(row["id"] for row in rows)
    for row in rows:
        slot = slots[row["id"]]
        assert [ids[other] for other in slot.linked_slots] == row["linked_prompt_ids"]
        assert (slot.difficulty, slot.template_id, "1.0.0", "en") == (
            row["difficulty"],
            row["prompt_template_id"],
            row["version"],
            row["language"],
        )


def test_the_order_is_drawn_from_the_seed_and_does_not_move_when_records_come(
    tmp_path: Path, house: Any, plan: Any, good: Path
) -> None:
    whole = [row["id"] for row in rows_of(good / "data/final")]
    assert whole != [slot.record_id for slot in plan.slots()]
    house.fill(tmp_path, plan, skip=("H1-0001", "C2-0002"))
    assemble(plan, tmp_path, FINAL)
    part = [row["id"] for row in rows_of(tmp_path / "data/final")]
    assert [record for record in whole if record in set(part)] == part


def test_the_same_content_gives_the_same_bytes(tmp_path: Path, house: Any, plan: Any, good: Path) -> None:
    """Another order of attempts, another hour, a run that found nothing to do and a torn line change nothing."""
    lines = [house.attempt(group) for group in reversed(plan.groups)]
    lines.insert(5, lines[0].model_copy(update={"outcome": "invalid", "slots": ()}))
    idle = house.run("2031-07-07T00:00:00Z").model_copy(update={"evalspec_version": "9.9.9"})
    house.write(tmp_path, [house.run("2025-01-01T23:59:59Z"), *lines, idle])
    with (tmp_path / "data/generated/journal.jsonl").open("ab") as file:
        file.write(b'{"kind": "att')
    assemble(plan, tmp_path, FINAL)
    assert digests(good / "data/final") == digests(tmp_path / "data/final")


def test_a_journal_that_is_too_large_to_be_held_gives_the_same_bytes(
    tmp_path: Path, house: Any, plan: Any, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [house.attempt(group) for group in plan.groups]
    fell = FellLine(reason="rejected", groups=(plan.groups[0].group_id,))
    house.write(tmp_path, [house.run(), *lines[:9], fell, *lines[9:], lines[0]])
    monkeypatch.setattr(standing, "HELD", 4000)
    monkeypatch.setattr(assembling, "_BATCH", 7)
    account = read_account(plan, tmp_path)
    assert isinstance(account, Account)
    assert {attempt.slots is None for attempt in account.attempts.values()} == {True, False}
    assemble(plan, tmp_path, FINAL)
    assert digests(good / "data/final") == digests(tmp_path / "data/final")


def test_a_journal_that_is_gone_when_it_is_read_again_is_a_diagnostic(
    tmp_path: Path, house: Any, plan: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.fill(tmp_path, plan)
    monkeypatch.setattr(standing, "HELD", 0)

    def may_write(_records: int) -> bool:
        (tmp_path / "data/generated/journal.jsonl").unlink()
        return True

    done = assemble(plan, tmp_path, AssembleOptions(may_write=may_write))
    assert (done.records, [d.code for d in done.diagnostics]) == (0, ["ES511"])
    assert list((tmp_path / "data").iterdir()) == [tmp_path / "data/generated"]


def test_locale_and_path_change_nothing(tmp_path: Path, house: Any, plan: Any, good: Path) -> None:
    folder = tmp_path / "été [1] a b"
    house.fill(folder, plan)
    planfile.write(plan, folder / "plan.json")
    code = (
        "import sys; from pathlib import Path; from evalspec.outputs.assemble import AssembleOptions, assemble\n"
        "from evalspec.outputs.checks import check; from evalspec.spec import planfile\n"
        "folder = Path(sys.argv[1]); plan = planfile.read(folder / 'plan.json')\n"
        "done = assemble(plan, folder, AssembleOptions(final=True))\n"
        "report = check(done.release_dir, plan, folder=folder)\n"
        "print([d.message for d in report.diagnostics], report.passed)\n"
    )
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONHASHSEED": "9"}
    result = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, env=environment, check=False
    )
    assert result.stdout == "[] True\n", result.stderr
    assert digests(good / "data/final") == digests(folder / "data/final")


def test_a_group_that_repeats_another_falls_whole_and_nothing_is_written(tmp_path: Path, house: Any, plan: Any) -> None:
    first, later = plan.groups[0].slots[0], next(g for g in plan.groups if g.group_id == "H4-0003").slots[1]
    house.fill(tmp_path, plan, {later.slot_id: house.question(first)})
    done = assemble(plan, tmp_path)
    assert [("H4-0003", "H4-0003.2", first.slot_id)] == [(f.group_id, f.slot_id, f.of) for f in done.fallen]
    assert (done.records, done.release_dir) == (297, None)
    assert not (tmp_path / "data/final").exists()
    log = [json.loads(line) for line in (tmp_path / "data/generated/duplicates.jsonl").read_text().splitlines()]
    assert log == [
        {"slot": "H4-0003.2", "of": first.slot_id, "cosine": 1.0, "became": "fell"},
        {"pairs": 1, "fallen_groups": 1, "spared_pairs": 0},
    ]


def test_a_final_assembly_leaves_out_what_fell_and_names_the_cell(tmp_path: Path, house: Any, plan: Any) -> None:
    first, later = plan.groups[0].slots[0], plan.groups[1].slots[0]
    house.fill(tmp_path, plan, {later.slot_id: house.question(first)})
    done = assemble(plan, tmp_path, FINAL)
    assert len(rows_of(tmp_path / "data/final")) == 299
    (cell,) = done.open_cells
    assert (1, (later.slot_id,)) == (cell.missing, cell.slots)
    (diagnostic,) = done.diagnostics
    assert (diagnostic.code, diagnostic.place.path) == ("ES501", "subdimensions.closed_book")
    where = f"{cell.source_domain} / {cell.geography} / {cell.difficulty}"
    said = f"1 record is missing in {cell.subdimension}: 1 of {cell.planned} in {where} ({later.slot_id})"
    cause = f"; 1 fell as a duplicate of another record ({cell.subdimension} was written from 1 chunk of text)"
    assert said + cause == diagnostic.message
    assert diagnostic.hint.startswith("data/generated/duplicates.jsonl names the pairs")


def test_a_cell_short_for_another_reason_is_filled_by_a_further_run(tmp_path: Path, house: Any, plan: Any) -> None:
    house.write(tmp_path, [house.run(), *(house.attempt(group) for group in plan.groups[1:])])
    (diagnostic,) = [d for d in assemble(plan, tmp_path, FINAL).diagnostics if d.code == "ES501"]
    assert "fell" not in diagnostic.message
    assert diagnostic.hint.startswith("run again: it fills what is open and asks for nothing that is there; data/")


def test_a_cell_says_what_most_of_its_last_replies_were_refused_for(tmp_path: Path, house: Any, plan: Any) -> None:
    name = plan.groups[0].subdimension
    own = [group for group in plan.groups if group.subdimension == name]
    short, leaky = "members[{}].question: min length is 15", "members[0].answer: the prompt gives it away"

    def refused(group: Group, errors: tuple[str, ...]) -> AttemptLine:
        changes = {"outcome": "invalid", "slots": (), "errors": errors}
        return house.attempt(group).model_copy(update=changes)

    refusals = [
        refused(own[0], (leaky,)),
        refused(own[0], (short.format(0),)),
        refused(own[1], (short.format(1), leaky)),
        refused(own[2], (leaky,)),
        refused(own[3], (leaky,)),
    ]
    filled = [house.attempt(group) for group in plan.groups if group not in own[:3]]
    house.write(tmp_path, [house.run(), *refusals, *filled])
    (diagnostic,) = [d for d in assemble(plan, tmp_path, FINAL).diagnostics if d.code == "ES501"]
    assert diagnostic.message.endswith("; 2 of 3 last replies were refused: members[0].question: min length is 15")
    assert "mend what the template asks for (data/generated/validation_errors.jsonl)" in diagnostic.hint


def test_a_group_that_fell_in_an_earlier_round_and_stays_open_is_named_as_such(
    tmp_path: Path, house: Any, plan: Any
) -> None:
    fell = plan.groups[0].group_id
    mark = FellLine(reason="duplicate", groups=(fell,), details=("H1-0002.1 at cosine 1.0000",))
    house.write(tmp_path, [house.run(), *(house.attempt(group) for group in plan.groups), mark])
    (diagnostic,) = [d for d in assemble(plan, tmp_path, FINAL).diagnostics if d.code == "ES501"]
    assert "; 1 fell as a duplicate of another record" in diagnostic.message
    assert diagnostic.hint.startswith("data/generated/journal.jsonl names the pairs")


def test_rephrasings_within_a_group_are_kept(tmp_path: Path, house: Any, plan: Any) -> None:
    triple = next(group for group in plan.groups if len(group.slots) == 3)
    house.fill(tmp_path, plan, {slot.slot_id: "How is the premium of a policy set here?" for slot in triple.slots})
    assert assemble(plan, tmp_path, FINAL).fallen == ()


def test_a_dry_run_writes_no_release(tmp_path: Path, house: Any, plan: Any) -> None:
    house.fill(tmp_path, plan)
    done = assemble(plan, tmp_path, AssembleOptions(write=False, final=True))
    assert (done.records, done.release_dir) == (300, None)
    assert not (tmp_path / "data/final").exists()


def test_an_empty_journal_gives_no_records_and_every_cell(tmp_path: Path, plan: Any) -> None:
    done = assemble(plan, tmp_path, FINAL)
    assert (done.records, sum(cell.missing for cell in done.open_cells)) == (0, 300)
    assert isinstance(done.open_cells[0], OpenCell)
    assert not check(tmp_path / "data/final", plan).passed


def test_groups_that_fell_or_changed_are_no_records(tmp_path: Path, house: Any, plan: Any) -> None:
    lines = [house.attempt(group) for group in plan.groups]
    lines[0] = lines[0].model_copy(update={"fingerprint": "v1:other"})
    fell = journal.FellLine(reason="rejected", groups=(plan.groups[1].group_id,))
    house.write(tmp_path, [house.run(), *lines, fell])
    assert assemble(plan, tmp_path).records == 298


def test_attempts_of_the_embedded_provider_count_for_no_other(tmp_path: Path, house: Any, plan: Any) -> None:
    lines = [house.attempt(group, provider="embedded") for group in plan.groups]
    house.write(tmp_path, [house.run(), *lines])
    assert assemble(plan, tmp_path).records == 0


def test_a_corrupt_journal_is_a_diagnostic_with_its_line(tmp_path: Path, plan: Any) -> None:
    path = tmp_path / "data/generated/journal.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("{}\n{}\n")
    (diagnostic,) = assemble(plan, tmp_path).diagnostics
    assert (diagnostic.code, diagnostic.place.line) == ("ES511", 1)


@pytest.mark.parametrize("output_dir", [".", "data", "data/generated", ".."])
def test_an_output_folder_that_holds_the_work_is_refused(tmp_path: Path, house: Any, output_dir: str) -> None:
    folder = tmp_path / "spec"
    plan = house.plan(dataset=Dataset(target_total=300, output_dir=output_dir))
    house.fill(folder, plan)
    done = assemble(plan, folder, FINAL)
    assert [d.code for d in done.diagnostics] == ["ES515"]
    assert (folder / "data/generated/journal.jsonl").exists()


def test_an_unknown_embedder_is_a_diagnostic(tmp_path: Path, house: Any) -> None:
    plan = house.plan(dedup=Dedup(embedder="mystery"))
    house.fill(tmp_path, plan)
    assert assemble(plan, tmp_path).diagnostics[0].message == (
        "there is no embedder 'mystery'; there is: hashed, sentence-transformers:<model or folder>"
    )


def test_an_incremental_release_raises_the_patch_once_for_what_is_added(tmp_path: Path, house: Any) -> None:
    plan = house.plan(dataset=Dataset(target_total=300, seed=7, mode="incremental"))
    house.fill(tmp_path, plan, skip=("H1-0001",))
    versions = [assemble(plan, tmp_path, FINAL).version, assemble(plan, tmp_path, FINAL).version]
    house.fill(tmp_path, plan)
    versions += [assemble(plan, tmp_path, FINAL).version, assemble(plan, tmp_path, FINAL).version]
    assert versions == ["1.0.0", "1.0.0", "1.0.1", "1.0.1"]
    assert {"1.0.1"} == {row["version"] for row in rows_of(tmp_path / "data/final")}
    assert check(tmp_path / "data/final", plan, folder=tmp_path).passed


def test_what_was_released_before_comes_first_in_dedup(tmp_path: Path, house: Any) -> None:
    plan = house.plan(dataset=Dataset(target_total=300, seed=7, mode="incremental"))
    early, late = plan.groups[0], plan.groups[50]
    house.fill(tmp_path, plan, skip=(early.group_id,))
    assemble(plan, tmp_path, FINAL)
    house.fill(tmp_path, plan, {early.slots[0].slot_id: house.question(late.slots[0])})
    assert [early.group_id] == [fallen.group_id for fallen in assemble(plan, tmp_path).fallen]


def test_the_days_on_which_a_model_wrote_are_on_the_card(tmp_path: Path, house: Any, plan: Any) -> None:
    lines = [house.attempt(group) for group in plan.groups]
    house.write(tmp_path, [house.run(), *lines[:9], house.run("2025-02-03T04:05:06Z"), *lines[9:]])
    assemble(plan, tmp_path, FINAL)
    assert "- Written from 2025-01-01 to 2025-02-03 (UTC)\n" in (tmp_path / "data/final/README.md").read_text("utf-8")


def test_a_version_given_wins(tmp_path: Path, house: Any, plan: Any) -> None:
    house.fill(tmp_path, plan)
    assert assemble(plan, tmp_path, AssembleOptions(version="2.0.0")).version == "2.0.0"
