"""Bounds are exact and inclusive; whole records and groups are given their room, and no more."""

from typing import Any

import pytest

from evalspec.outputs import database, queries
from evalspec.outputs.records import FIELDS, to_table
from evalspec.outputs.tables import plan_tables
from evalspec.outputs.targets import make_targets, percent, size_range
from evalspec.spec.config import Acceptance, Dataset, SizeRange
from evalspec.spec.plan import Filters


def bounds(plan: Any, total: int, axis: str) -> dict[str, tuple[int, int]]:
    return {t.name: (t.low, t.high) for t in make_targets(plan, total) if t.axis == axis}


def judged(plan: Any, code: str, rows: list[dict[str, Any]]) -> list[str]:
    """The messages of one criterion over rows of which only some fields matter."""
    import pyarrow as pa

    table = to_table([dict.fromkeys(FIELDS) | row for row in rows])
    numbered = table.append_column("row", pa.array(range(1, len(rows) + 1), pa.int64()))
    query = next(q for q in queries.folder("checks").values() if q.comment["code"] == code)
    with database.opened() as connection:
        database.put(connection, plan_tables(plan, len(rows)) | {"records": numbered})
        database.add_views(connection)
        found = database.rows(connection, query.parts["rows"])
        (summary,) = database.rows(connection, query.parts["summary"])
    assert summary["required"]
    return [row["message"] for row in found]


def of_domains(**counts: int) -> list[dict[str, Any]]:
    return [{"source_domain": name} for name, count in counts.items() for _ in range(count)]


@pytest.mark.parametrize(("records", "accepted"), [(2749, False), (2750, True), (3100, True), (3101, False)])
def test_size_bounds_belong_to_the_range(house: Any, records: int, accepted: bool) -> None:
    plan = house.plan(acceptance=Acceptance(size=SizeRange(min=2750, max=3100)))
    expected = [] if accepted else [f"the dataset has {records:,} records, 2,750 to 3,100 are required"]
    assert expected == judged(plan, "ES601", [{}] * records)


def test_five_per_cent_under_passes_and_a_record_less_fails(plan: Any) -> None:
    assert bounds(plan, 2000, "domain")["banking"] == (950, 1050)
    assert judged(plan, "ES603", of_domains(banking=950, insurance=630, tax=420)) == []
    found = judged(plan, "ES603", of_domains(banking=949, insurance=631, tax=420))
    assert found[0] == "domain banking has 949 records, -5.10 % from its target of 1,000 (within 5 %: 950 to 1,050)"


def test_shares_are_of_the_datasets_own_total_and_dimensions_of_their_counts(plan: Any) -> None:
    assert bounds(plan, 900, "domain")["banking"] == (428, 472)
    assert bounds(plan, 900, "dimension")["hallucination"] == (171, 189)


def test_shares_that_no_float_holds_are_exact(house: Any, plan: Any) -> None:
    """As floats, 10 % around 0.15 * 2000 would be 270.00000000000006 to 329.99999999999994."""
    assert bounds(house.plan(acceptance=Acceptance(geography_tolerance=0.1)), 2000, "geography")["general"] == (
        270,
        330,
    )


def test_a_target_that_is_no_whole_number_takes_the_numbers_beside_it(plan: Any) -> None:
    assert bounds(plan, 7, "domain") == {"banking": (3, 4), "insurance": (2, 3), "tax": (1, 2)}


def test_what_the_plan_itself_could_not_meet_in_whole_groups_is_accepted(house: Any) -> None:
    shapes = (("triples", "consistency", ("H4", "H4", "H4"), 5),)
    plan = house.plan(shapes=shapes)
    planned = {slot.source_domain for slot in plan.slots()}
    counts = {name: sum(slot.source_domain == name for slot in plan.slots()) for name in planned}
    limits = bounds(plan, 15, "domain")
    assert all(limits[name][0] <= count <= limits[name][1] for name, count in counts.items())
    assert bounds(plan, 16, "domain")["banking"] == (8, 8)


def test_a_partial_plan_is_judged_by_its_own_numbers(house: Any) -> None:
    plan = house.plan(shapes=(("pairs", "consistency", ("C2", "C2"), 30),), filters=Filters(dimension="consistency"))
    assert bounds(plan, 60, "dimension") == {"hallucination": (0, 0), "consistency": (57, 63)}
    assert SizeRange(min=57, max=63) == size_range(plan)


def test_without_a_size_five_per_cent_around_the_target_are_accepted(house: Any) -> None:
    plan = house.plan(acceptance=Acceptance(), dataset=Dataset(target_total=2910))
    assert SizeRange(min=2765, max=3055) == size_range(plan)


@pytest.mark.parametrize(("tolerance", "text"), [(0.05, "5 %"), (0.025, "2.5 %"), (0, "0 %"), (0.07, "7 %")])
def test_tolerances_read_as_written(tolerance: float, text: str) -> None:
    assert text == percent(tolerance)


@pytest.mark.parametrize(
    ("code", "field", "values", "message"),
    [
        ("ES602", "dimension", {"hallucination": 170, "consistency": 120}, "dimension hallucination has 170 records"),
        ("ES604", "difficulty", {"easy": 40, "medium": 60, "hard": 100}, "difficulty hard has 100 records"),
        ("ES617", "geography", {"canada": 50, "usa": 38, "general": 12}, "geography general has 12 records"),
    ],
)
def test_every_axis_has_its_criterion(plan: Any, code: str, field: str, values: dict[str, int], message: str) -> None:
    rows = [{field: name} for name, count in values.items() for _ in range(count)]
    assert message in "\n".join(judged(plan, code, rows))


@pytest.mark.parametrize(
    ("given", "planned", "mode", "accepted"),
    [
        ("1.0.0", "1.0.0", "full_refresh", True),
        ("1.0.1", "1.0.0", "full_refresh", False),
        ("1.0.12", "1.0.9", "incremental", True),
        ("1.0.8", "1.0.9", "incremental", False),
        ("1.1.9", "1.0.9", "incremental", False),
        ("one", "1.0.0", "incremental", False),
    ],
)
def test_only_an_incremental_release_may_have_a_later_patch(
    house: Any, given: str, planned: str, mode: str, accepted: bool
) -> None:
    plan = house.plan(dataset=Dataset(target_total=300, version=planned, mode=mode))
    assert accepted == (judged(plan, "ES625", [{"version": given}]) == [])


def test_templates_short_of_negative_examples_are_named(house: Any, plan: Any) -> None:
    poor = plan.templates["H1"].model_copy(update={"negative_examples": plan.templates["H1"].negative_examples[:1]})
    message = "template H1 has 1 negative examples, at least 2 are required"
    assert [message] == judged(house.plan(templates={**plan.templates, "H1": poor}), "ES627", [{}])
