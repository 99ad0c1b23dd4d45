"""Worked cases on a fact: two steps to the answer, and the answer of a reader who took one of them wrong."""

import re
from calendar import monthrange
from datetime import date, timedelta

from evalspec.runtime.composer.figures import amount, unit_of
from evalspec.runtime.composer.phrasebook import Case, Phrasebook
from evalspec.spec.draw import draw, pick, shuffled
from evalspec.spec.language import render
from evalspec.spec.passage import Scenario

_INNER = str.maketrans({"“": "‘", "”": "’", "«": "“", "»": "”"})
_FIRST = date(2025, 1, 6)


def scenario_of(kind: str, values: dict[str, str], book: Phrasebook, seed: int) -> Scenario | None:
    """A case on a fact with the names `value`, `near`, `ask`, `subject` and `statement`.

    `kind` is `period` (a time that runs from an event), `span`, `share` or `any`; a kind that the figure or the
    language does not bear is taken as `any`.
    """
    key = values["statement"]
    found: dict[str, str] | None = None
    name = kind
    if kind == "period":
        name, found = _period(values, book, seed)
    elif kind == "span":
        found = _span(values, book, seed)
    elif kind == "share":
        found = _share(values, book)
    if found is None or name not in book.cases:
        name, found = "any", _any(values, book, seed)
    if name not in book.cases:
        return None
    return _told(book.cases[name], values | found, seed, key)


def _told(case: Case, values: dict[str, str], seed: int, key: str) -> Scenario | None:
    texts = {
        "setup": render(pick(case.setup, seed, "setup", key), values),
        "ask": render(pick(case.ask, seed, "case", key), values),
        "answer": values["answer"],
        "wrong": values["wrong"],
        "why": render(case.why, values),
    }
    if values["answer"] == values["wrong"] or max(map(len, texts.values())) > 600:
        return None
    return Scenario.model_validate(texts)


def _period(values: dict[str, str], book: Phrasebook, seed: int) -> tuple[str, dict[str, str] | None]:
    unit = unit_of(values["value"], book)
    count, other = amount(values["value"], book), amount(values["near"], book)
    if count is None or other is None or count != int(count) or not 0 < count <= 1000:
        return "any", None
    start = _FIRST + timedelta(days=draw(seed, "start", values["statement"]) % 400)
    if unit in book.days:
        name, ends = "days", (start + timedelta(days=int(count)), start + timedelta(days=int(other)))
    elif unit in book.month_words or unit in book.year_words:
        step = 12 if unit in book.year_words else 1
        start = start.replace(day=1 + start.day % 27)
        name, ends = "months", (_later(start, int(count) * step), _later(start, int(other) * step))
    else:
        return "any", None
    told = [_date(day, book) for day in (start, *ends)]
    return name, dict(zip(("start", "answer", "wrong"), told, strict=True))


def _later(start: date, months: int) -> date:
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return date(year, month + 1, min(start.day, monthrange(year, month + 1)[1]))


def _date(day: date, book: Phrasebook) -> str:
    return render(book.date, {"day": str(day.day), "month": book.months[day.month - 1], "year": str(day.year)})


def _span(values: dict[str, str], book: Phrasebook, seed: int) -> dict[str, str] | None:
    unit = unit_of(values["value"], book)
    count, other = amount(values["value"], book), amount(values["near"], book)
    if count is None or other is None or count != int(count) or other != int(other) or count < 2:
        return None
    off = 2 if count > 2 and draw(seed, "off", values["statement"]) % 2 else 1
    many = unit if unit.endswith(book.plural) else unit + book.plural
    answer, wrong = int(2 * count - off), int(2 * other - off)
    return {"off": str(off), "unit": many, "answer": f"{answer} {many}", "wrong": f"{wrong} {many}"}


def _share(values: dict[str, str], book: Phrasebook) -> dict[str, str] | None:
    count, other = amount(values["value"], book), amount(values["near"], book)
    if count is None or other is None:
        return None
    told = [_written(values[name], 2.5 * number, book) for name, number in (("value", count), ("near", other))]
    return None if None in told else {"answer": str(told[0]), "wrong": str(told[1])}


def _written(figure: str, number: float, book: Phrasebook) -> str | None:
    """A number in the form of a figure that is written in digits."""
    match = re.search(r"\d[\d,]*(?:\.\d+)?", figure)
    if match is None:
        return f"{number:,.10g} {unit_of(figure, book)}".strip()
    return f"{figure[: match.start()]}{number:,.10g}{figure[match.end() :]}"


def _any(values: dict[str, str], book: Phrasebook, seed: int) -> dict[str, str]:
    names = shuffled(book.people, seed, "people", values["statement"])
    return {"a": names[0], "b": names[1], "c": names[2], "answer": values["value"], "wrong": values["near"]} | {
        "ask": values["ask"].translate(_INNER)
    }
