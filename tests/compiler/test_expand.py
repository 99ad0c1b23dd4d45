"""Expand: ids that stay, groups that are whole, and cells that keep their numbers where they can."""

import re
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalspec.compiler.cell import Cell
from evalspec.compiler.expand import Shape, Turn, in_turn, make_slots, spread_limit, turns
from evalspec.compiler.linkage import group_numbers, group_prefixes, member_templates
from evalspec.compiler.wishes import Wishes
from evalspec.spec.template import Template

WISHES = Wishes(
    {"insurance": 0.6, "banking": 0.4},
    {"easy": 0.2, "medium": 0.4, "hard": 0.4},
    {"canada": 0.5, "usa": 0.5},
    42,
    "s",
)
UUID4 = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")


def template(name: str, **more: object) -> Template:
    return Template.model_validate(
        {
            "id": name,
            "dimension": "d",
            "subdimension": "s",
            "description": "x",
            "user_message_template": "{question}",
            "generation_instruction": "x",
            **more,
        }
    )


TEMPLATES = {name: template(name) for name in ("P1", "P2", "H4")}
PAIR = Shape("pairs", "d", ("P1", "P2"), "P1", "subdimensions.pairs")


def cells(size: int) -> dict[Cell, int]:
    """About `size` groups in proportion to the shares, hard ones half and half over two strategies."""
    out = {}
    for domain, difficulty, geography in product(WISHES.domains, WISHES.difficulties, WISHES.geographies):
        share = WISHES.domains[domain] * WISHES.difficulties[difficulty] * WISHES.geographies[geography]
        count = round(size * share)
        if difficulty == "hard":
            out[Cell(domain, "hard", geography, "near")] = count // 2
            out[Cell(domain, "hard", geography, "false")] = count - count // 2
        else:
            out[Cell(domain, difficulty, geography)] = count
    return {cell: count for cell, count in out.items() if count}


class TestMembers:
    def test_one_template_is_repeated(self):
        assert member_templates(("H4",), 3) == ("H4", "H4", "H4")

    def test_several_make_one_member_each_in_order(self):
        assert member_templates(("P1", "P2"), 2) == ("P1", "P2")
        assert member_templates(("P1", "P2"), 4) == ("P1", "P2", "P1", "P2")

    def test_templates_that_do_not_make_up_the_group_are_refused(self):
        with pytest.raises(ValueError, match="2 templates do not make up groups of 3"):
            member_templates(("P1", "P2"), 3)


class TestNames:
    def test_the_second_subdimension_of_a_lead_gets_a_letter(self):
        assert group_prefixes([("repeat", "C1"), ("temperature", "C1"), ("other", "C2"), ("third", "C1")], []) == {
            "repeat": "C1",
            "temperature": "C1b",
            "other": "C2",
            "third": "C1c",
        }

    def test_a_letter_never_makes_another_templates_id(self):
        assert group_prefixes([("one", "P7"), ("two", "P7")], ["P7", "P7a", "P7b"]) == {"one": "P7", "two": "P7c"}

    def test_every_subdimension_of_one_lead_gets_a_name_of_its_own(self):
        names = group_prefixes([(f"s{i}", "A") for i in range(40)], ["A"])
        assert len(set(names.values())) == 40


class TestSlots:
    def test_a_group_is_one_thing(self):
        cell = Cell("insurance", "hard", "usa", "near")
        first, second = make_slots(PAIR, Turn(cell, 1, 7), TEMPLATES, 42)
        assert (first.slot_id, second.slot_id) == ("P1-00007.1", "P1-00007.2")
        assert (first.linked_slots, second.linked_slots) == (("P1-00007.2",), ("P1-00007.1",))
        assert (first.template_id, second.template_id) == ("P1", "P2")
        assert {(s.source_domain, s.difficulty, s.geography, s.adversarial_strategy) for s in (first, second)} == {
            ("insurance", "hard", "usa", "near")
        }

    def test_record_ids_are_uuid4_and_hang_on_seed_subdimension_cell_and_member(self):
        cell, other = Cell("insurance", "easy", "usa"), Cell("banking", "medium", "canada")

        def ids(turn, seed=42):
            return [slot.record_id for slot in make_slots(PAIR, turn, TEMPLATES, seed)]

        first = ids(Turn(cell, 1, 7))
        assert all(UUID4.match(name) for name in first)
        assert len(set(first)) == 2
        assert first == ids(Turn(cell, 1, 8))
        others = [ids(Turn(cell, 2, 7)), ids(Turn(other, 1, 7)), ids(Turn(cell, 1, 7), seed=43)]
        assert [set(first) & set(found) for found in others] == [set(), set(), set()]

    @pytest.mark.parametrize(
        ("declared", "difficulty", "expected"),
        [("hard", "hard", True), ("hard", "medium", False), (True, "easy", True), (False, "hard", False)],
    )
    def test_adversarial_is_what_the_template_says(self, declared, difficulty, expected):
        templates = {"H4": template("H4", is_adversarial=declared)}
        shape = Shape("s", "d", ("H4",), "H4", "subdimensions.s")
        (slot,) = make_slots(shape, Turn(Cell("insurance", difficulty, "usa"), 1, 1), templates, 42)
        assert slot.is_adversarial is expected


class TestTurns:
    def test_every_group_of_every_cell_has_a_number(self):
        given = cells(100)
        assert Counter(in_turn(given, WISHES)) == Counter(given)

    def test_the_first_numbers_are_a_fair_sample(self):
        first = in_turn(cells(300), WISHES)[:60]
        difficulties = Counter(cell.difficulty for cell in first)
        assert {name: abs(difficulties[name] - 60 * share) <= 6 for name, share in WISHES.difficulties.items()} == {
            "easy": True,
            "medium": True,
            "hard": True,
        }

    def test_a_group_that_stays_in_its_cell_keeps_its_number(self):
        before, after = ({(t.cell, t.nth): t.number for t in turns(cells(size), WISHES)} for size in (200, 230))
        both = before.keys() & after.keys()
        assert len(both) >= 190
        assert {key: before[key] for key in both} == {key: after[key] for key in both}

    def test_the_order_of_cells_does_not_matter(self):
        given = cells(80)
        assert in_turn(dict(reversed(given.items())), WISHES) == in_turn(given, WISHES)


class TestNumbers:
    @settings(max_examples=30, deadline=None)
    @given(
        st.sets(
            st.tuples(st.integers(1, 9), st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("xyz"))), min_size=1
        )
    )
    def test_each_key_has_a_number_of_its_own_whatever_their_order(self, keys):
        numbers = group_numbers(keys)
        assert len(set(numbers.values())) == len(keys)
        assert min(numbers.values()) > 0
        assert group_numbers(sorted(keys, reverse=True)) == numbers

    def test_more_keys_than_numbers_of_five_digits_get_longer_ones(self):
        keys = [(nth, ("a",)) for nth in range(1, 120_001)]
        numbers = group_numbers(keys)
        assert len(set(numbers.values())) == 120_000
        assert max(numbers.values()) >= 100_000

    def test_a_key_that_goes_leaves_the_others_theirs(self):
        keys = [(nth, (str(cell),)) for nth in (1, 2) for cell in range(100)]
        numbers = group_numbers(keys)
        for gone in keys[::20]:
            rest = group_numbers(key for key in keys if key != gone)
            assert rest == {key: number for key, number in numbers.items() if key != gone}


class TestWishes:
    @pytest.mark.parametrize("count", [10, 60, 200, 999])
    def test_any_stretch_from_the_start_is_a_fair_sample(self, count):
        wished = Counter(cell.domain for cell in WISHES.cells(count))
        assert abs(wished["insurance"] - 0.6 * count) <= 2

    def test_a_share_that_moves_a_little_moves_few_wishes(self):
        moved = replace(WISHES, domains={"insurance": 0.59, "banking": 0.41})
        kept = sum(one == other for one, other in zip(WISHES.cells(400), moved.cells(400), strict=True))
        assert kept >= 0.98 * 400

    def test_a_value_without_a_share_is_never_wished_for(self):
        none = replace(WISHES, geographies={"canada": 1.0, "usa": 0.0})
        assert {cell.geography for cell in none.cells(50)} == {"canada"}


def test_a_limit_takes_from_every_subdimension_in_proportion():
    assert spread_limit([("a", 60), ("b", 30), ("c", 10)], 10) == {"a": 6, "b": 3, "c": 1}
    assert spread_limit([("a", 2), ("b", 1)], 100) == {"a": 2, "b": 1}
