"""A list that people have rated, read back: CSV of any spreadsheet, or JSONL."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalspec.bench.bounded import read_bounded
from evalspec.bench.people import FORMULA, Key, Rated, Ratings
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

NEEDED = ("case_id", "epoch", "turn", "check", "answer_id")
MAX_BYTES = 64 * 1024 * 1024
MOST_FAULTS = 50
_KEPT = "a line keeps what bench wrote into it; only the raters' columns are for people"
_VALUES = {"0": 0, "1": 1, "0.0": 0, "1.0": 1}


def read_ratings(path: Path) -> tuple[Ratings, tuple[Diagnostic, ...]]:
    """Read a list that was rated; what cannot be used is left out and named.

    Blank ratings are none. Columns that begin with `rater` hold ratings, however many there are. Raises nothing.
    """
    file = path.as_posix()
    try:
        text = read_bounded(path, MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        return Ratings(), (_unfit(file, f"cannot read {file}: {error.strerror or error}"),)
    except UnicodeDecodeError as error:
        hint = "save it as CSV UTF-8"
        return Ratings(), (_unfit(file, f"{file} is not UTF-8 text: byte {error.start} does not fit", hint),)
    rated: dict[Key, Rated] = {}
    faults: list[Diagnostic] = []
    for place, row in _json_rows(file, text) if path.suffix == ".jsonl" else _csv_rows(file, text):
        one = row if isinstance(row, Diagnostic) else _rated(place, row)
        if isinstance(one, Diagnostic):
            faults.append(one)
        elif one[0] in rated:
            key = one[0]
            message = f"{key[0]}, run {key[1]}, turn {key[2] + 1}, {key[3]}, stands here a second time"
            faults.append(found("ES792", message, place, hint="keep one line; the first one counts"))
        else:
            rated[one[0]] = one[1]
        if len(faults) >= MOST_FAULTS:
            break
    return Ratings(rated), tuple(faults)


def _uncell(text: str) -> str:
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(FORMULA) else text


def _csv_rows(file: str, text: str) -> Iterator[tuple[Place, dict[str, Any] | Diagnostic]]:
    first, _, _ = text.partition("\n")
    delimiter = max(",;\t", key=first.count)
    csv.field_size_limit(MAX_BYTES)  # csv's own is shorter than a long answer
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    head: list[str] = []
    line = 1
    while True:
        line = reader.line_num + 1
        place = Place(file, line, 1, line, 1, "", "")
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            yield place, found("ES791", f"the row is not CSV: {error}", place, hint="save the list as CSV again")
            return
        if not head:
            head = [cell.strip() for cell in cells]
            if missing := [name for name in NEEDED if name not in head]:
                hint = "the columns of the list that bench wrote must stay"
                yield place, found("ES790", f"the list has no column {', '.join(missing)}", place, hint=hint)
                return
            continue
        if any(cell.strip() for cell in cells):
            place = Place(file, line, 1, line, 1, "", delimiter.join(cells)[:200])
            yield place, {name: _uncell(cell) for name, cell in zip(head, cells, strict=False)}
    if not head:
        yield place, _unfit(file, f"{file} is empty")


def _json_rows(file: str, text: str) -> Iterator[tuple[Place, dict[str, Any] | Diagnostic]]:
    if not text.strip():
        yield Place(file), _unfit(file, f"{file} is empty")
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = Place(file, number, 1, number, len(line) + 1, "", line[:200])
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield place, found("ES791", f"the line is not JSON: {error}", place, hint="one JSON object a line")
            continue
        if isinstance(row, dict):
            yield place, row
        else:
            yield place, found("ES791", "the line is not a JSON object", place, hint="one JSON object a line")


def _rated(place: Place, row: dict[str, Any]) -> tuple[Key, Rated] | Diagnostic:
    if missing := [name for name in NEEDED if row.get(name) in (None, "")]:
        return found("ES791", f"the line has no {', '.join(missing)}", place, hint=_KEPT)
    numbers = [str(row[name]) for name in ("epoch", "turn")]
    if not all(number.isascii() and number.isdigit() and len(number) < 10 for number in numbers):
        return found("ES791", f"epoch and turn are numbers, not {' and '.join(numbers)[:80]!r}", place, hint=_KEPT)
    values = []
    for name, value in row.items():
        if not name.startswith("rater") or value is None or str(value).strip() == "":
            continue
        rating = None if isinstance(value, bool) else _VALUES.get(str(value).strip())
        if rating is None:
            hint = "a rating is 1 or 0, or blank"
            return found("ES793", f"{name} of {row['case_id']} is {str(value)[:40]!r}", place, hint=hint)
        values.append(rating)
    key = (str(row["case_id"]), int(numbers[0]), int(numbers[1]), str(row["check"]))
    return key, Rated(tuple(values), str(row["answer_id"]))


def _unfit(
    file: str, message: str, hint: str = "give the list that bench wrote, with its raters' columns filled in"
) -> Diagnostic:
    return found("ES790", message, Place(file), hint=hint)
