"""The pages of a review, rendered on the server; every value is escaped by the template engine."""

import json
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from evalspec.outputs.review.catalog import Row
from evalspec.outputs.review.charts import Bar, bars, counted, marked
from evalspec.outputs.review.desk import Desk
from evalspec.outputs.review.filters import AXES, PAGE_SIZE, Filters
from evalspec.spec.dataclass import dataclass

ASSETS: dict[str, str] = {"review.css": "text/css; charset=utf-8", "review.js": "text/javascript; charset=utf-8"}
"""What a page loads beside itself, with its type."""

STATES: dict[str, str] = {
    "open": "not judged",
    "accepted": "accepted",
    "rejected": "rejected",
    "noted": "noted",
    "remade": "made again",
}
"""What came of a group's review, and how it is written."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The list of groups beside the one that is shown."""

    groups: list[Row]
    group: str
    """The one that is shown; empty if there is none."""
    before: str
    after: str
    page: int
    pages: int
    total: int

    @property
    def at(self) -> int:
        """The number of the group that is shown, from 1; 0 where it is not under the filters."""
        return next((row["number"] + 1 for row in self.groups if row["group_id"] == self.group), 0)


def asset(name: str) -> bytes:
    """The bytes of a file of ASSETS."""
    return files("evalspec.outputs.review").joinpath("assets", name).read_bytes()


def page(desk: Desk, filters: Filters, token: str) -> str:
    """The page for what a reviewer looks at."""
    rows = desk.catalog.groups(filters)
    listed = _listed(rows, filters)
    members = desk.catalog.members(listed.group) if listed.group else []
    charts = desk.catalog.charts(filters)
    decision = desk.decisions.get(listed.group)
    text: str = _template().render(
        title=desk.plan.card.pretty_name if desk.plan else desk.release.resolve().name,
        desk=desk,
        token=token,
        filters=filters,
        axes=AXES,
        states=STATES,
        whole=desk.catalog.whole(),
        matched=next(row["records"] for row in charts if not row["axis"]),
        charts={axis: _chart(axis, charts, filters) for axis in AXES},
        listed=listed,
        members=members,
        shared=_shared(members),
        state=_state(desk, listed, rows) if decision else "open",
        decision=decision,
        behind=desk.behind(listed.group, members) if members else None,
    )
    return text


def _listed(rows: list[Row], filters: Filters) -> Listed:
    ids = [row["group_id"] for row in rows]
    group = filters.group or (ids[0] if ids else "")
    row = next((row for row in rows if row["group_id"] == group), None)
    total = rows[0]["total"] if rows else 0
    # a group that has left the list, as by the verdict on it, is followed by the first of those that are in it
    after = (row["after"] if row else ids[0] if ids else "") or ""
    before = (row["before"] if row else "") or ""
    number = rows[0]["page"] if rows else 0
    return Listed(rows, group, before, after, number, -(-total // PAGE_SIZE), total)


def _state(desk: Desk, listed: Listed, rows: list[Row]) -> str:
    from evalspec.outputs.review.decisions import state

    row = next((row for row in rows if row["group_id"] == listed.group), None)
    if row is not None:
        return str(row["state"])
    return state(desk.decisions[listed.group], desk.prints.get(listed.group), desk.replies)


def _chart(axis: str, rows: list[Row], filters: Filters) -> Markup:
    counts: dict[str, int] = {row["name"] or "": row["records"] for row in rows if row["axis"] == axis}
    chosen = filters.value(axis)
    if chosen is not None:
        counts.setdefault(chosen, 0)
    names = STATES if axis == "verdict" else {}
    shown = [Bar(value, names.get(value, value), records) for value, records in counts.items()]
    return bars(AXES[axis], shown, chosen, lambda value: filters.toggled(axis, value).url)


def _shared(members: list[Row]) -> set[str]:
    """The fields that are the same in all members of a group, and are then shown once."""
    names = ("reference_context", "expected_behavior", "expected_failure_modes", "pass_criteria")
    if len(members) < 2:
        return set()
    return {name for name in names if all(member[name] == members[0][name] for member in members)}


def indented(text: str | None) -> str:
    """A reply that is JSON, indented; any other as it is."""
    try:
        return json.dumps(json.loads(text or ""), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text or ""


def _lines(text: str) -> str:
    """A text with its placeholders' underscores as spaces, as for a heading."""
    return text.replace("_", " ")


@lru_cache(maxsize=1)
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("evalspec.outputs.review", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own: dict[str, Callable[..., Any]] = {"marked": marked, "counted": counted, "indented": indented, "spaced": _lines}
    environment.filters.update(own)
    return environment.get_template("page.html.j2")
