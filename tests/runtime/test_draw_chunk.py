"""Which chunk serves which group."""

from collections import Counter
from collections.abc import Callable

from evalspec.runtime.chunks import Chunk, chunks_of
from evalspec.runtime.draw_chunk import ChunkDrawer
from evalspec.runtime.sources import Document
from evalspec.spec.plan import Plan

PlanOf = Callable[..., Plan]


def document(name: str, domains: tuple[str, ...] = (), geographies: tuple[str, ...] = ()) -> Document:
    return Document(name, name, f"{name} " * 120, "corpus", domains, geographies)


def chunks(*documents: Document) -> tuple[Chunk, ...]:
    return chunks_of(documents)


def test_the_chunks_of_a_cell_serve_within_one_of_even(plan_of: PlanOf) -> None:
    plan = plan_of({"CLOSED": 31, "OPEN": 17, "TRIPLE": 9})
    drawer = ChunkDrawer(plan, chunks(*(document(f"d{n}", ("banking",), ("canada",)) for n in range(4))))
    groups = [group for group in plan.groups if group.slots[0].source_domain == "banking"]
    for step in range(4):
        counts = Counter(drawer.draw(group, step).chunk.title for group in groups)  # type: ignore[union-attr]
        assert len(counts) == 4
        assert max(counts.values()) - min(counts.values()) <= 1
    for kind in ("CLOSED", "OPEN", "TRIPLE"):
        some = [group for group in groups if group.group_id.startswith(kind)]
        within = Counter(drawer.draw(group, 0).chunk.title for group in some)  # type: ignore[union-attr]
        assert max(within.values()) - min(within.values()) <= 1


def test_each_turn_of_a_group_gives_another_chunk_until_all_were_given(plan_of: PlanOf) -> None:
    plan = plan_of({"CLOSED": 1})
    drawer = ChunkDrawer(plan, chunks(*(document(f"d{n}") for n in range(5))))
    drawn = [drawer.draw(plan.groups[0], step) for step in range(6)]
    titles = [one.chunk.title for one in drawn if one]
    assert (5, titles[0]) == (len(set(titles[:5])), titles[5])


def test_what_is_nearest_comes_first(plan_of: PlanOf) -> None:
    plan = plan_of({"CLOSED": 1})
    assert plan.groups[0].slots[0].source_domain == "insurance"
    found = chunks(
        document("other", ("banking",), ("canada",)),
        document("abroad", ("insurance",), ("usa",)),
        document("general", ("insurance",), ("general",)),
        document("own", ("insurance",), ("canada",)),
        document("all"),
        document("domain-everywhere", ("insurance",)),
    )
    drawer = ChunkDrawer(plan, found)
    drawn = [drawer.draw(plan.groups[0], step) for step in range(6)]
    order = [(one.served, one.chunk.title) for one in drawn if one]
    assert sorted(title for _, title in order[:3]) == [("all"), ("domain-everywhere"), ("own")]
    assert {"cell"} == {served for served, _ in order[:3]}
    assert order[3:] == [("domain_general", "general"), ("domain", "abroad"), ("corpus", "other")]


def test_the_draw_does_not_depend_on_the_order_of_documents_that_serve_other_cells(plan_of: PlanOf) -> None:
    plan = plan_of({"CLOSED": 8})
    own = [document(f"d{n}", ("banking",), ("canada",)) for n in range(3)]
    other = [document("x", ("insurance",), ("usa",))]
    one, two = ChunkDrawer(plan, chunks(*own, *other)), ChunkDrawer(plan, chunks(*other, *own))
    banking = [group for group in plan.groups if group.slots[0].source_domain == "banking"]
    assert [one.draw(group, 0) for group in banking] == [two.draw(group, 0) for group in banking]


def test_the_number_counts_groups_of_a_kind_on_one_chunk(plan_of: PlanOf) -> None:
    plan = plan_of({"CLOSED": 12, "OPEN": 6})
    drawer = ChunkDrawer(plan, chunks(document("a"), document("b")))
    for kind in ("CLOSED", "OPEN"):
        by_chunk: dict[tuple[str, str], list[int]] = {}
        for group in plan.groups:
            drawn = drawer.draw(group, 0)
            if drawn and group.group_id.startswith(kind):
                by_chunk.setdefault((group.slots[0].source_domain, drawn.chunk.title), []).append(drawn.number)
        assert all(numbers == list(range(len(numbers))) for numbers in by_chunk.values())


def test_without_chunks_nothing_is_drawn(plan_of: PlanOf) -> None:
    plan = plan_of({"CLOSED": 1})
    assert None is ChunkDrawer(plan, ()).draw(plan.groups[0], 0)


def test_a_text_that_two_sources_hold_is_near_to_the_cells_of_both(plan_of: PlanOf) -> None:
    plan = plan_of({"CLOSED": 1})
    text = "held by two " * 120
    cells = ((("banking",), ("usa",)), (("insurance",), ("canada",)))
    found = chunks(*(Document(d[0], d[0], text, "web", d, g) for d, g in cells))
    drawn = ChunkDrawer(plan, found).draw(plan.groups[0], 0)
    assert drawn is not None
    assert (drawn.served, drawn.chunk.title, len(found)) == ("cell", "banking", 1)
