"""Difference: what a change of the spec makes appear, vanish, change and be made again."""

from collections import Counter

import pytest

from evalspec.compiler.compile import Options, compile_spec
from evalspec.compiler.difference import diff


@pytest.fixture
def edit(french_folder):
    """Compile, change one file, compile again; gives both plans."""

    def change(name, *edits):
        before = compile_spec(french_folder).plan
        path = french_folder / name
        for old, new in zip(edits[::2], edits[1::2], strict=True):
            text = path.read_text(encoding="utf-8")
            assert old in text
            path.write_text(text.replace(old, new), encoding="utf-8")
        after = compile_spec(french_folder).plan
        assert before is not None
        assert after is not None
        return before, after

    return change


def test_a_plan_does_not_differ_from_itself(french_folder):
    plan = compile_spec(french_folder).plan
    found = diff(plan, plan)
    assert (found.same, found.kept, found.rebuy) == (True, 39, ())


def test_an_edited_template_redoes_its_own_groups(edit):
    before, after = edit("templates/F2.yaml", "posez-la de quatre façons", "tournez-la de quatre façons")
    found = diff(before, after)
    assert (found.appear, found.vanish, found.change) == ((), (), ())
    own = {group.group_id for group in after.groups if group.slots[0].template_id == "F2"}
    assert (len(own), {rebuy.group_id for rebuy in found.rebuy}) == (4, own)
    assert found.reasons == (("generation_instruction of template F2 changed", 4, 16),)
    assert found.kept == 35


def test_a_description_or_a_token_limit_redoes_nothing(edit):
    found = diff(*edit("templates/F2.yaml", "description: Une même question", "description: La même question"))
    assert found.same


def test_a_strategys_definition_redoes_the_groups_that_apply_it(edit):
    before, after = edit("generation_config.yaml", "La question a l'air d'appeler", "La question semble appeler")
    found = diff(before, after)
    hard = {g.group_id for g in after.groups if g.slots[0].adversarial_strategy == "question_sans_reponse"}
    assert {rebuy.group_id for rebuy in found.rebuy} == hard
    assert {reason for reason, _, _ in found.reasons} == {"strategy question_sans_reponse changed"}


def test_a_label_redoes_its_domain(edit):
    before, after = edit("generation_config.yaml", "  fleurs: les fleurs", "  fleurs: les massifs de fleurs")
    found = diff(before, after)
    assert {g.group_id for g in after.groups if g.slots[0].source_domain == "fleurs"} == {
        r.group_id for r in found.rebuy
    }
    assert [reason for reason, _, _ in found.reasons] == ["the label of fleurs changed"]


def test_more_groups_appear_and_fewer_vanish(edit):
    counts = (
        "target_total: 60",
        "target_total: 62",
        "exactitude: 36",
        "exactitude: 38",
        "{target_count: 20",
        "{target_count: 22",
    )
    before, after = edit("generation_config.yaml", *counts)
    found, back = diff(before, after), diff(after, before)
    assert len(found.appear) - len(found.vanish) == 2
    assert (found.appear, found.vanish) == (back.vanish, back.appear)
    assert {row.subdimension for row in found.appear} == {"faits_de_memoire"}
    assert {rebuy.group_id for rebuy in found.rebuy} == {row.slot_id.partition(".")[0] for row in found.appear}
    assert all(rebuy.new for rebuy in found.rebuy)


def test_a_share_that_moves_drops_groups_here_and_makes_them_there(edit):
    found = diff(*edit("generation_config.yaml", "potager: 0.40\n  verger: 0.35", "potager: 0.35\n  verger: 0.40"))
    gone, come = (Counter(row.source_domain for row in rows) for rows in (found.vanish, found.appear))
    assert sum(gone.values()) == sum(come.values())
    assert (gone["potager"] - come["potager"], come["verger"] - gone["verger"]) == (4, 4)  # one group of four
    assert found.change == ()
    assert {row.slot_id.partition(".")[0] for row in found.appear} == {r.group_id for r in found.rebuy}


def test_another_seed_makes_other_records(edit):
    found = diff(*edit("generation_config.yaml", "seed: 7", "seed: 8"))
    assert (len(found.appear), len(found.vanish), found.kept) == (60, 60, 0)
    assert all("the seed or the members" in rebuy.reasons[0] for rebuy in found.rebuy)


def test_a_filtered_plan_only_lacks_slots(french_folder):
    full, part = (compile_spec(french_folder, Options(limit=limit)).plan for limit in (None, 10))
    found = diff(full, part)
    assert (found.appear, found.change, found.rebuy, found.kept) == ((), (), (), 10)
    assert len(found.vanish) == 60 - len(part.slots())
