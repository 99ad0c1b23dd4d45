"""What a reviewer looks at: filters, words searched for, page and group, as they stand in an address."""

from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

from evalspec.spec.dataclass import dataclass

AXES: dict[str, str] = {
    "verdict": "Verdict",
    "dimension": "Dimension",
    "subdimension": "Subdimension",
    "domain": "Domain",
    "difficulty": "Difficulty",
    "strategy": "Strategy",
    "geography": "Geography",
    "template": "Template",
}
"""What can be filtered by, and how it is headed."""

PAGE_SIZE = 40
_MOST_FIELDS = 40
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Filters:
    """`chosen` are axis and value; `words` are looked for in prompts and expected behaviors, or are an id."""

    chosen: tuple[tuple[str, str], ...] = ()
    words: str = ""
    page: int = 0
    group: str = ""

    def value(self, axis: str) -> str | None:
        """What an axis is filtered by."""
        return dict(self.chosen).get(axis)

    def toggled(self, axis: str, value: str) -> "Filters":
        """With the axis filtered by `value`, or no longer if it is; on the first page."""
        rest = tuple(pair for pair in self.chosen if pair[0] != axis)
        chosen = rest if self.value(axis) == value else (*rest, (axis, value))
        return Filters(tuple(sorted(chosen)), self.words)

    def at(self, group: str) -> "Filters":
        """On a group, and the page that it is on."""
        return replace(self, group=group, page=0)

    def on_page(self, page: int) -> "Filters":
        """On a page, and its first group."""
        return replace(self, group="", page=page)

    def without_words(self) -> "Filters":
        """With nothing searched for, on the first page."""
        return Filters(self.chosen)

    @property
    def query(self) -> str:
        """As the query of an address."""
        fields = [*self.chosen, ("q", self.words), ("page", str(self.page or "")), ("group", self.group)]
        return urlencode([(name, value) for name, value in fields if value])

    @property
    def url(self) -> str:
        """As an address on this server."""
        return f"/?{self.query}" if self.query else "/"

    def parameters(self) -> dict[str, object]:
        """What a query over records is given, words aside."""
        return {axis: self.value(axis) for axis in AXES}


def parse(query: str) -> Filters:
    """Read the query of an address; what it cannot hold is left out. Raises ValueError for far too many fields."""
    fields = {
        name: value.strip()[:_LONGEST]
        for name, value in parse_qsl(query, max_num_fields=_MOST_FIELDS, errors="replace")
    }
    chosen = tuple(sorted((name, value) for name, value in fields.items() if name in AXES and value))
    page = fields.get("page", "")
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 0
    return Filters(chosen, fields.get("q", ""), number, fields.get("group", ""))
