"""Compile: a spec folder to a plan that is whole, canonical and says where everything came from."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from evalspec.compiler.allocate import Allocated
from evalspec.compiler.collisions import remarks
from evalspec.compiler.compile import Compiled, Options, compile_spec
from evalspec.compiler.front import read_spec
from evalspec.spec import planfile
from evalspec.spec.config import SizeRange
from evalspec.spec.plan import Filters, Plan


def plan_of(folder: Path, **options: object) -> Plan:
    compiled = compile_spec(folder, Options(**options))
    assert compiled.plan is not None, compiled.diagnostics
    return compiled.plan


def said(compiled: Compiled) -> list[tuple[str, str, str]]:
    return [(d.code, d.severity.value, d.place.path) for d in compiled.diagnostics]


@pytest.fixture(scope="module")
def brief(brief_folder) -> Plan:
    return plan_of(brief_folder)


class TestFrench:
    def test_the_compiled_plan_is_the_one_on_record(self, french_folder, snapshot):
        data = json.loads(planfile.encode(plan_of(french_folder)))
        for template in data["templates"].values():
            template["compose"] = f"{len(template['compose']['forms'])} forms"
        assert json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) == snapshot

    def test_it_compiles_without_a_finding(self, french_folder):
        assert compile_spec(french_folder).diagnostics == []

    def test_its_groups_of_four_are_whole(self, french_folder):
        sizes = Counter((group.subdimension, len(group.slots)) for group in plan_of(french_folder).groups)
        assert sizes == {
            ("faits_de_memoire", 1): 20,
            ("reformulations", 4): 4,
            ("lecture_d_extrait", 1): 12,
            ("registres", 4): 3,
        }

    def test_templates_without_forms_get_those_of_the_language(self, french_folder):
        forms = plan_of(french_folder).templates["F1"].compose.forms
        assert forms[0].expected_behavior[0].startswith("La réponse donne")


class TestBytes:
    RUN = (
        "import sys; from pathlib import Path; from evalspec.spec import planfile;"
        "from evalspec.compiler.compile import compile_spec;"
        "sys.stdout.buffer.write(planfile.encode(compile_spec(Path(sys.argv[1])).plan))"
    )

    @pytest.mark.parametrize("name", ["jardin", "un autre dossier é"])
    @pytest.mark.parametrize(("seed", "locale"), [("0", "C"), ("1", "C.UTF-8"), ("4711", "de_DE.UTF-8")])
    def test_seed_locale_and_folder_name_change_nothing(self, french_folder, tmp_path, name, seed, locale):
        expected = planfile.encode(plan_of(french_folder))
        folder = tmp_path / "elsewhere" / name
        shutil.copytree(french_folder, folder)
        made = subprocess.run(
            [sys.executable, "-c", self.RUN, str(folder)],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale},
            stdout=subprocess.PIPE,
            check=True,
        )
        assert made.stdout == expected

    def test_no_path_of_this_machine_is_in_it(self, french_folder):
        text = planfile.encode(plan_of(french_folder)).decode("utf-8")
        assert str(french_folder.parent) not in text
        assert "\\\\" not in text

    def test_it_is_read_back_as_it_was(self, french_folder):
        plan = plan_of(french_folder)
        planfile.write(plan, french_folder / "plan.json")
        assert planfile.read(french_folder / "plan.json") == plan


class TestBriefsNumbers:
    def test_totals_and_calls(self, brief):
        assert (brief.allocation.total, brief.allocation.calls, len(brief.slots())) == (2910, 2089, 2910)
        assert {q.name: q.planned for q in brief.allocation.dimensions} == {
            "hallucination": 950,
            "consistency": 380,
            "robustness": 1010,
            "safety": 570,
        }

    def test_what_was_scaled_says_why(self, brief):
        rows = {q.name: (q.asked, q.planned, q.groups, q.why) for q in brief.allocation.subdimensions}
        assert rows["self_contradiction"] == (
            300,
            249,
            83,
            "scaled from 1,150 to the 950 of hallucination: 247.83, in whole groups of 3",
        )
        assert rows["repeat_stability"][:3] == (150, 142, 142)
        assert rows["temperature_sensitivity"][:3] == (50, 47, 47)

    def test_ids_are_unique_and_every_link_is_returned(self, brief):
        slots = {slot.slot_id: slot for slot in brief.slots()}
        assert len({slot.record_id for slot in slots.values()}) == len(slots) == 2910
        assert all(name in slots[other].linked_slots for name, slot in slots.items() for other in slot.linked_slots)

    def test_members_share_everything_but_their_template(self, brief):
        for group in brief.groups:
            assert len({(s.source_domain, s.geography, s.difficulty, s.adversarial_strategy) for s in group.slots}) == 1

    def test_two_subdimensions_of_one_template_have_names_of_their_own(self, brief):
        names = {
            (g.subdimension, g.group_id.rpartition("-")[0])
            for g in brief.groups
            if g.subdimension in ("repeat_stability", "temperature_sensitivity")
        }
        assert names == {("repeat_stability", "C1"), ("temperature_sensitivity", "C1b")}

    def test_every_origin_is_there(self, brief):
        wanted = {slot.origin for slot in brief.slots()}
        table = brief.allocation
        for quotas in (table.dimensions, table.subdimensions, table.domains, table.difficulties, table.geographies):
            wanted |= {quota.origin for quota in quotas}
        wanted |= {quota.origin for quota in table.strategies} | {"acceptance", "dataset", "template:H1"}
        assert wanted <= brief.origins.keys()
        assert brief.origins["subdimensions.self_contradiction"].text.strip().startswith("self_contradiction:")

    def test_size_is_accepted_within_five_per_cent(self, brief):
        assert brief.acceptance.size == SizeRange(min=2765, max=3055)


class TestFilters:
    def test_a_filter_keeps_ids_and_fingerprints(self, brief, brief_folder):
        full = {group.group_id: group for group in brief.groups}
        part = plan_of(brief_folder, domain="insurance", dimension="consistency")
        assert part.groups
        assert all(full[group.group_id] == group for group in part.groups)
        assert {(s.source_domain, s.dimension) for s in part.slots()} == {("insurance", "consistency")}

    def test_its_targets_are_its_own(self, brief_folder):
        part = plan_of(brief_folder, dimension="safety", limit=40)
        assert part.filters == Filters(dimension="safety", limit=40)
        assert (part.allocation.total, part.allocation.calls) == (40, 40)
        assert [(q.name, q.asked, q.planned) for q in part.allocation.dimensions] == [("safety", 40.0, 40)]
        assert part.acceptance.size == SizeRange(min=38, max=42)
        assert set(part.templates) == {"S1", "S2", "S3", "S4", "S5"}

    def test_a_limit_shows_every_subdimension(self, brief_folder):
        part = plan_of(brief_folder, limit=60)
        assert len(part.groups) == 60
        assert {group.subdimension for group in part.groups} >= {
            "self_contradiction",
            "phrasing_variants",
            "should_refuse",
        }

    @pytest.mark.parametrize(
        ("options", "hint"),
        [
            ({"domain": "bankng"}, "did you mean banking?"),
            ({"dimension": "safty"}, "did you mean safety?"),
            ({"version": "1.0"}, "three numbers, such as 1.0.0"),
            ({"mode": "again"}, "full_refresh or incremental"),
            ({"limit": 0}, ""),
        ],
    )
    def test_an_option_that_cannot_be_is_told(self, brief_folder, options, hint):
        compiled = compile_spec(brief_folder, Options(**options))
        assert compiled.plan is None
        assert [(d.code, d.hint) for d in compiled.diagnostics if d.severity == "error"] == [("ES515", hint)]

    def test_version_and_mode_override_the_config(self, french_folder):
        plan = plan_of(french_folder, version="2.3.4", mode="incremental")
        assert (plan.dataset.version, plan.dataset.mode) == ("2.3.4", "incremental")


class TestCannotBeMet:
    def test_triples_alone_in_a_dimension_of_a_hundred(self, make_spec):
        folder = make_spec(
            {"hallucination": [("triples", 100, "A", "linkage: 3")]}, {"hallucination": 100}, allocation="scale"
        )
        compiled = compile_spec(folder)
        (error,) = [d for d in compiled.diagnostics if d.severity == "error"]
        assert (error.code, error.place.path) == ("ES204", "dimension_split.hallucination")
        assert "99 or 102" in error.hint
        assert error.related

    def test_shares_that_whole_groups_cannot_round_to(self, make_spec):
        """Sixes and tens make 46, but not with each at the floor or ceiling of its half."""
        lines = {"hallucination": [("sixes", 50, "A", "linkage: 6"), ("tens", 50, "B", "linkage: 10")]}
        compiled = compile_spec(make_spec(lines, {"hallucination": 46}, allocation="scale"))
        (error,) = [d for d in compiled.diagnostics if d.severity == "error"]
        assert (error.code, error.place.path) == ("ES204", "dimension_split.hallucination")
        assert error.hint == "44 or 50 would work as the target"
        assert [r.label for r in error.related] == [
            "sixes: 50 records in groups of 6",
            "tens: 50 records in groups of 10",
        ]

    def test_counts_that_disagree_name_both_numbers(self, make_spec):
        compiled = compile_spec(
            make_spec({"hallucination": [("a", 60, "A", ""), ("b", 60, "B", "")]}, {"hallucination": 100})
        )
        (error,) = [d for d in compiled.diagnostics if d.severity == "error"]
        assert (error.code, error.place.path) == ("ES203", "dimension_split.hallucination")
        assert "120" in error.message
        assert "100" in error.message

    def test_seven_domains_over_three_groups(self, make_spec):
        domains = "{a: 0.25, b: 0.20, c: 0.15, d: 0.15, e: 0.10, f: 0.10, g: 0.05}"
        compiled = compile_spec(
            make_spec({"hallucination": [("s", 3, "A", "")]}, {"hallucination": 3}, domains=domains)
        )
        (error,) = [d for d in compiled.diagnostics if d.severity == "error"]
        assert (error.code, error.place.path) == ("ES204", "domain_split")

    def test_a_domain_too_small_for_its_share_is_a_warning(self, make_spec):
        folder = make_spec(
            {"hallucination": [("s", 8, "A", "")]}, {"hallucination": 8}, domains="{banking: 0.97, insurance: 0.03}"
        )
        compiled = compile_spec(folder)
        assert compiled.plan is not None
        assert ("ES204", "warning", "domain_split.insurance") in said(compiled)
        assert compile_spec(folder, Options(strict=True)).plan is None


def test_a_group_count_that_grows_leaves_the_ids_of_others(make_spec, tmp_path):
    lines = {"hallucination": [("a", 30, "A", ""), ("b", 30, "B", "linkage: 2")]}
    before = plan_of(make_spec(lines, {"hallucination": 60}))
    shutil.rmtree(tmp_path / "spec")
    lines["hallucination"][0] = ("a", 40, "A", "")
    after = plan_of(make_spec(lines, {"hallucination": 70}))
    assert {s.slot_id: s.record_id for s in before.slots()}.items() <= {
        s.slot_id: s.record_id for s in after.slots()
    }.items()
    kept = {g.group_id: g.fingerprint for g in before.groups}.items() & {
        g.group_id: g.fingerprint for g in after.groups
    }.items()
    assert len(kept) >= 0.7 * len(before.groups)


def test_subdimensions_that_were_left_out_point_to_their_templates(make_spec):
    folder = make_spec({"hallucination": [("s", 10, "A", "")]}, {"hallucination": 10})
    config = folder / "generation_config.yaml"
    config.write_text(config.read_text(encoding="utf-8").partition("subdimensions:")[0], encoding="utf-8")
    plan = plan_of(folder)
    assert (plan.origins["subdimensions.s"].file, plan.origins["subdimensions.s"].path) == (
        "templates/A.yaml",
        "subdimension",
    )


def test_a_folder_that_is_no_spec_gives_diagnostics(tmp_path):
    compiled = compile_spec(tmp_path / "nothing")
    assert compiled.plan is None
    assert {d.code for d in compiled.diagnostics} == {"ES009"}


def test_an_allocation_that_is_not_proved_is_noted(french_folder):
    spec = read_spec(french_folder).spec
    assert spec is not None
    notes = list(remarks(spec, Allocated((), {}, {}, ("domain", "strategy"))))
    assert [(d.code, d.severity.value, d.place.path) for d in notes] == [("ES209", "note", "dimension_split")]
    assert "by domain, strategy" in notes[0].message


def test_a_language_without_forms_is_noted_and_composed_in_english(french_folder):
    config = french_folder / "generation_config.yaml"
    config.write_text(config.read_text(encoding="utf-8").replace("language: fr", "language: fi"), encoding="utf-8")
    compiled = compile_spec(french_folder)
    assert [(d.code, d.severity.value) for d in compiled.diagnostics] == [("ES322", "note")]
    assert compiled.plan is not None
    assert compiled.plan.templates["F1"].compose.forms[0].expected_behavior[0].startswith("The response states")


def test_a_split_that_the_gate_would_not_accept_is_a_warning(french_folder):
    config = french_folder / "generation_config.yaml"
    text = (
        config.read_text(encoding="utf-8").replace("hard: 0.35", "hard: 0.001").replace("medium: 0.40", "medium: 0.749")
    )
    config.write_text(text, encoding="utf-8")
    compiled = compile_spec(french_folder)
    assert said(compiled) == [("ES204", "warning", "difficulty_split.medium")]
    assert "hard gets 10 records for a share of 0.06" in compiled.diagnostics[0].message
    assert compile_spec(french_folder, Options(limit=3)).diagnostics == []
