"""The preview of a plan and the difference of two, as tables for people."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console

from evalspec.cli.render.text import table
from evalspec.compiler.preview import Cost, MarginRow, Preview

if TYPE_CHECKING:
    from evalspec.compiler.difference import Difference

SHOWN = 12
"""Slots of one kind that a difference lists."""


def print_preview(console: Console, shown: Preview) -> None:
    """All tables of a preview, then what a fill would cost."""
    rows = [(r.dimension, r.name, r.asked, r.planned, r.groups, r.group_size) for r in shown.subdimensions]
    console.print(table("Subdimensions", ("dimension", "subdimension", "asked", "planned", "groups", "of"), rows))
    if any(r.why for r in shown.subdimensions):
        console.print("Planned differs from asked where counts are scaled to the dimension's target, in whole groups.")
    for title, margin in (
        ("Dimensions", shown.dimensions),
        ("Domains", shown.domains),
        ("Difficulty", shown.difficulties),
        ("Geography", shown.geographies),
        ("Strategies (hard slots)", shown.strategies),
    ):
        console.print()
        console.print(table(title, ("name", "target", "planned", "off by"), _rows(margin)))
    console.print()
    console.print(_total(shown))


def _rows(margin: Iterable[MarginRow]) -> list[tuple[object, ...]]:
    return [(r.name, r.asked, r.planned, "" if r.deviation is None else f"{r.deviation:+.2%}") for r in margin]


def _total(shown: Preview) -> str:
    said = f"{shown.total:,} records{' (a part of the full plan)' if shown.partial else ''}; {_cost(shown.cost)}"
    return said if shown.proved else f"{said}\nThe allocation is good, and not proved to be the best."


def _cost(cost: Cost) -> str:
    said = f"{cost.calls:,} LLM calls, about {cost.input_tokens:,} tokens in and {cost.output_tokens:,} out"
    if cost.money is None:
        return f"{said} (no prices in the config)"
    return f"{said}, about {cost.money:,.2f} {cost.currency}" + (f" at prices of {cost.as_of}" if cost.as_of else "")


def print_difference(console: Console, found: "Difference") -> None:
    """What appears, vanishes and changes, and what would be made again and why."""
    if found.same:
        console.print(f"no difference: {found.kept:,} groups stand as they are")
        return
    for title, slots in (("Slots that appear", found.appear), ("Slots that vanish", found.vanish)):
        rows = [(s.slot_id, s.subdimension, s.source_domain, s.geography, s.difficulty) for s in slots[:SHOWN]]
        if rows:
            counted = f"{title}: {len(slots):,}"
            console.print(table(counted, ("slot", "subdimension", "domain", "geography", "difficulty"), rows))
            console.print()
    if found.change:
        rows2 = [
            (c.slot_id, ", ".join(f"{n}: {old} -> {new}" for n, old, new in c.fields)) for c in found.change[:SHOWN]
        ]
        console.print(table(f"Slots that change: {len(found.change):,}", ("slot", "what"), rows2))
        console.print()
    if found.reasons:
        console.print(table("To be made again, or for the first time", ("why", "groups", "records"), found.reasons))
        console.print()
    records = sum(r.records for r in found.rebuy)
    console.print(f"{len(found.rebuy):,} groups to make ({records:,} records), {found.kept:,} stand as they are")
