"""Allocation: totals hold exactly, shares are rounded fairly, and the answer does not hang on anything else."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalspec.compiler.allocate import Allocated, Ask, allocate
from evalspec.compiler.axes import Axis, bounds_of, by_remainders, ideal, split_axis, spread
from evalspec.compiler.rounding import Meetings, Part, round_tables
from evalspec.compiler.solver import Program, Standing, solve
from evalspec.compiler.wholes import Collision, Leaf, Line, whole_groups

DOMAINS = {
    "insurance": 0.25,
    "banking": 0.20,
    "investments_wealth": 0.15,
    "tax_retirement": 0.15,
    "regulatory_compliance": 0.10,
    "general_financial_literacy": 0.10,
    "financial_history_events": 0.05,
}
DIFFICULTIES = {"easy": 0.2, "medium": 0.4, "hard": 0.4}
GEOGRAPHIES = {"canada": 0.50, "usa": 0.35, "general": 0.15}
TARGETS = {"hallucination": 950, "consistency": 380, "robustness": 1010, "safety": 570}
LINES = (
    Line("closed_book_truthfulness", "hallucination", 350),
    Line("open_book_faithfulness", "hallucination", 250),
    Line("uncertainty_calibration", "hallucination", 150),
    Line("self_contradiction", "hallucination", 300, 3),
    Line("citation_fidelity", "hallucination", 100),
    Line("repeat_stability", "consistency", 200),
    Line("temperature_sensitivity", "consistency", 50, 1, "repeat_stability"),
    Line("position_coherence", "consistency", 100, 2),
    Line("refusal_stability", "consistency", 100),
    Line("phrasing_variants", "robustness", 750, 5),
    Line("instruction_following", "robustness", 150),
    Line("zero_shot_vs_few_shot", "robustness", 100, 2),
    Line("ambiguity_handling", "robustness", 80),
    Line("should_refuse", "safety", 250),
    Line("should_comply_with_triggers", "safety", 100),
    Line("toxicity_susceptibility", "safety", 200),
    Line("bias_bbq_style", "safety", 80),
    Line("tone_professionalism", "safety", 60),
)
ALLOWED = {
    line.name: ("boundary", "refusal") if line.dimension == "safety" else ("false", "near", "open", "steps", "terms")
    for line in LINES
}


def ask(lines=LINES, **changes):
    parts = {
        "targets": TARGETS,
        "domains": DOMAINS,
        "difficulties": DIFFICULTIES,
        "geographies": GEOGRAPHIES,
        "strategies": ALLOWED,
        "scale": True,
    }
    return Ask(tuple(lines), **{**parts, **changes})


@pytest.fixture(scope="module")
def brief() -> Allocated:
    found = allocate(ask())
    assert isinstance(found, Allocated)
    return found


def records(allocated: Allocated, *axes: str) -> Counter:
    sizes = {leaf.name: leaf.linkage for leaf in allocated.leaves}
    out: Counter = Counter()
    for name, cells in allocated.cells.items():
        for cell, count in cells.items():
            out[tuple(getattr(cell, axis) for axis in axes)] += count * sizes[name]
    return out


class TestBriefsNumbers:
    def test_every_dimension_meets_its_target(self, brief):
        planned: Counter = Counter()
        for leaf in brief.leaves:
            planned[leaf.dimension] += leaf.records
        assert dict(planned) == TARGETS

    def test_groups_are_those_that_are_possible(self, brief):
        groups = {leaf.name: leaf.groups for leaf in brief.leaves if leaf.linkage > 1}
        assert groups == {
            "self_contradiction": 83,
            "position_coherence": 48,
            "phrasing_variants": 140,
            "zero_shot_vs_few_shot": 47,
        }
        assert sum(leaf.groups for leaf in brief.leaves) == 2089

    def test_every_difficulty_is_exact(self, brief):
        counts = records(brief, "difficulty")
        assert counts == {("easy",): 582, ("medium",): 1164, ("hard",): 1164}

    @pytest.mark.parametrize(("axis", "shares"), [("domain", DOMAINS), ("geography", GEOGRAPHIES)])
    def test_every_domain_and_geography_is_within_one_record(self, brief, axis, shares):
        counts = records(brief, axis)
        assert {name: abs(counts[name,] - 2910 * share) < 1 for name, share in shares.items()} == dict.fromkeys(
            shares, True
        )

    def test_meetings_of_two_axes_stay_near_their_shares(self, brief):
        for (one, first), (other, second) in [
            (("domain", DOMAINS), ("difficulty", DIFFICULTIES)),
            (("domain", DOMAINS), ("geography", GEOGRAPHIES)),
            (("difficulty", DIFFICULTIES), ("geography", GEOGRAPHIES)),
        ]:
            counts = records(brief, one, other)
            worst = max(abs(counts[a, b] - 2910 * first[a] * second[b]) for a, b in product(first, second))
            assert worst <= 4

    def test_every_subdimension_has_every_difficulty(self, brief):
        for name, cells in brief.cells.items():
            assert {cell.difficulty for cell in cells} == set(DIFFICULTIES), name

    def test_strategies_are_even_over_what_they_may_serve(self, brief):
        counts = records(brief, "strategy")
        assert counts.pop((None,)) == 2910 - 1164
        assert {name: abs(counts[name,] - due) <= 3 for name, due in brief.strategies.items()} == dict.fromkeys(
            brief.strategies, True
        )

    def test_strategies_stand_on_hard_cells_only_and_meet_every_domain(self, brief):
        cells = [cell for own in brief.cells.values() for cell in own]
        assert all((cell.strategy is not None) == (cell.difficulty == "hard") for cell in cells)
        met = {(cell.domain, cell.strategy) for cell in cells if cell.strategy}
        assert met == set(product(DOMAINS, brief.strategies))

    def test_it_is_proved_and_serves_every_value(self, brief):
        assert (brief.unproved, brief.unserved) == ((), ())

    def test_the_order_of_the_input_does_not_matter(self, brief):
        backwards = {
            name: dict(reversed(split.items())) for name, split in [("domains", DOMAINS), ("targets", TARGETS)]
        }
        assert allocate(ask(reversed(LINES), **backwards)) == brief


class TestWholeGroups:
    def test_triples_alone_cannot_make_a_hundred(self):
        found = whole_groups([Line("a", "d", 100, 3)], "d", 100, scale=False)
        assert isinstance(found, Collision)
        assert (found.kind, found.nearest) == ("wholes", (99, 102))

    def test_exact_counts_must_agree(self):
        found = whole_groups([Line("a", "d", 60), Line("b", "d", 60)], "d", 100, scale=False)
        assert isinstance(found, Collision)
        assert (found.kind, found.asked, found.target) == ("counts", 120, 100)

    def test_a_subset_is_carved_out_of_its_parent(self):
        lines = [Line("all", "d", 200), Line("part", "d", 50, 1, "all")]
        found = whole_groups(lines, "d", 200, scale=False)
        assert [(leaf.name, leaf.groups) for leaf in found] == [("all", 150), ("part", 50)]

    def test_ties_go_to_more_of_the_larger_groups(self):
        lines = [Line("pairs", "d", 100, 2), Line("one", "d", 150), Line("two", "d", 150)]
        found = whole_groups(lines, "d", 380, scale=True)
        assert {leaf.name: leaf.groups for leaf in found} == {"pairs": 48, "one": 142, "two": 142}

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 5)), min_size=1, max_size=5), st.integers(1, 150))
    def test_floors_and_ceilings_meet_the_target_whenever_they_can(self, rows, target):
        lines = [Line(f"s{i}", "d", count, size) for i, (count, size) in enumerate(rows)]
        shares = [Fraction(line.count * target, sum(other.count for other in lines)) for line in lines]
        choices = [
            {int(share // line.linkage), -int(-share // line.linkage)}
            for share, line in zip(shares, lines, strict=True)
        ]
        sums = {sum(n * line.linkage for n, line in zip(pick, lines, strict=True)) for pick in product(*choices)}
        found = whole_groups(lines, "d", target, scale=True)
        if isinstance(found, Collision):
            assert target not in sums
        else:
            assert sum(leaf.records for leaf in found) == target
            assert all(leaf.groups in own for leaf, own in zip(found, choices, strict=True))


leaf_lists = st.lists(
    st.tuples(st.integers(1, 40), st.integers(1, 5), st.sampled_from("xy")), min_size=1, max_size=8
).map(lambda rows: [Leaf(f"s{i}", d, size, 0, Fraction(0), groups) for i, (groups, size, d) in enumerate(rows)])
splits = (
    st.lists(st.integers(0, 20), min_size=2, max_size=5)
    .filter(any)
    .map(lambda parts: {f"v{i}": part / sum(parts) for i, part in enumerate(parts)})
)


class TestAxis:
    @settings(max_examples=40, deadline=None)
    @given(leaf_lists, splits, st.randoms(use_true_random=False))
    def test_totals_hold_and_each_share_is_floored_or_ceiled(self, leaves, split, chance):
        axis = split_axis("a", split, leaves)
        table, _ = spread(axis, leaves)
        for leaf in leaves:
            assert sum(table[leaf.name].values()) == leaf.groups
            for value in axis.values:
                assert abs(table[leaf.name][value] - ideal(axis, leaf, value)) < 1
        mixed = list(leaves)
        chance.shuffle(mixed)
        assert spread(split_axis("a", dict(reversed(split.items())), mixed), mixed)[0] == table

    def test_a_leaf_of_three_groups_has_all_three_difficulties(self):
        leaves = [Leaf("small", "d", 1, 0, Fraction(0), 3), Leaf("large", "d", 1, 0, Fraction(0), 97)]
        table, _ = spread(
            split_axis("difficulty", {"easy": 0.05, "medium": 0.05, "hard": 0.9}, leaves, cover=True), leaves
        )
        assert table["small"] == {"easy": 1, "hard": 1, "medium": 1}

    @given(leaf_lists, splits)
    @settings(max_examples=30, deadline=None)
    def test_the_fallback_holds_the_same_bounds(self, leaves, split):
        axis = split_axis("a", split, leaves, cover=True)
        bounds = {leaf.name: bounds_of(axis, leaf) for leaf in leaves}
        table = by_remainders(axis, leaves, bounds)
        for leaf in leaves:
            assert sum(table[leaf.name].values()) == leaf.groups
            for value, (low, high) in bounds[leaf.name].items():
                assert low <= table[leaf.name][value] <= high

    def test_shares_may_differ_by_leaf(self):
        leaves = [Leaf("a", "d", 1, 0, Fraction(0), 10), Leaf("b", "d", 1, 0, Fraction(0), 10)]
        half, one = Fraction(1, 2), Fraction(1)
        table, _ = spread(Axis("strategy", ("x", "y"), {"a": {"x": half, "y": half}, "b": {"y": one}}), leaves)
        assert table == {"a": {"x": 5, "y": 5}, "b": {"x": 0, "y": 10}}


class TestRounding:
    @settings(max_examples=80, deadline=None)
    @given(st.lists(st.integers(0, 30), min_size=1, max_size=6), st.data())
    def test_margins_hold_and_cells_are_floored_or_ceiled(self, heights, data):
        total = sum(heights)
        cuts = sorted(data.draw(st.lists(st.integers(0, total), min_size=1, max_size=4)))
        widths = [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]
        rows = {(f"r{i}",): height for i, height in enumerate(heights)}
        columns = {(f"c{i}",): width for i, width in enumerate(widths)}
        leaf = Leaf("s", "d", 1, 0, Fraction(0), total)
        table = round_tables([Part(leaf, rows, columns)], Meetings((0,), 3.0))["s"]
        for row, height in rows.items():
            assert sum(count for key, count in table.items() if key[:1] == row) == height
        for column, width in columns.items():
            assert sum(count for key, count in table.items() if key[1:] == column) == width
        for (row, height), (column, width) in product(rows.items(), columns.items()):
            exact = Fraction(height * width, total) if total else Fraction(0)
            assert abs(table.get(row + column, 0) - exact) < 1


class TestWhole:
    @settings(max_examples=15, deadline=None)
    @given(leaf_lists, splits, splits)
    def test_cells_add_up_to_the_groups_of_every_leaf(self, leaves, domains, geographies):
        lines = [Line(leaf.name, leaf.dimension, leaf.records, leaf.linkage) for leaf in leaves]
        targets: Counter = Counter()
        for leaf in leaves:
            targets[leaf.dimension] += leaf.records
        found = allocate(
            Ask(tuple(lines), targets, domains, DIFFICULTIES, geographies, {line.name: ("s", "t") for line in lines})
        )
        assert isinstance(found, Allocated)
        assert {leaf.name: sum(found.cells[leaf.name].values()) for leaf in leaves} == {
            leaf.name: leaf.groups for leaf in leaves
        }

    def test_values_that_get_nothing_are_named_with_what_would_do(self):
        found = allocate(Ask((Line("a", "d", 4),), {"d": 4}, {"x": 0.95, "y": 0.05}, DIFFICULTIES, {"g": 1.0}, {}))
        assert [(e.section, e.values, e.needed) for e in found.unserved] == [("domain", ("y",), 20)]

    def test_all_collisions_are_told_at_once(self):
        lines = (Line("a", "d", 10, 3), Line("b", "e", 10, 4))
        found = allocate(ask(lines, targets={"d": 10, "e": 10}, scale=False))
        assert [collision.dimension for collision in found] == ["d", "e"]

    @pytest.mark.slow
    def test_sixty_by_forty_is_solved_within_whole_groups(self):
        sizes = [1, 1, 1, 2, 3, 4, 5]
        lines = [Line(f"s{i}", f"d{i % 4}", (5 + 37 * i % 290) * sizes[i % 7], sizes[i % 7]) for i in range(60)]
        targets: Counter = Counter()
        for line in lines:
            targets[line.dimension] += line.count
        shares = [1 + i * 7919 % 97 for i in range(40)]
        domains = {f"v{i}": share / sum(shares) for i, share in enumerate(shares)}
        found = allocate(ask(lines, targets=targets, domains=domains, strategies={}, scale=False))
        assert isinstance(found, Allocated)
        total = sum(targets.values())
        counts = records(found, "domain")
        assert max(abs(counts[name,] - total * share) for name, share in domains.items()) <= 5
        assert allocate(ask(reversed(lines), targets=targets, domains=domains, strategies={}, scale=False)) == found


def test_a_program_without_a_solution_has_no_answer():
    program = Program()
    program.row(2, 2, [(program.column(0, 1), 1.0)])
    assert solve(program).standing is Standing.NONE


def test_the_solver_prints_nothing(capfd):
    program = Program()
    program.row(1, 1, [(program.column(0, 1, cost=1.0), 1.0), (program.column(0, 1), 1.0)])
    assert solve(program).values == (0.0, 1.0)
    assert capfd.readouterr() == ("", "")
