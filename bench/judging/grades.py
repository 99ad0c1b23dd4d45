"""Grades in plain text: a last line such as `GRADE: C`, and nothing that merely looks like one."""

import re
from collections.abc import Sequence

_QUOTED = 60
_LONGEST = 200
"""A longer line is no grade."""


def read_grade(text: str, grades: Sequence[str]) -> tuple[str | None, str]:
    """The grade on the last line of `text`, as `grades` writes it; None with the reason where there is none.

    The line holds `grade`, a colon and one of the grades, in any case and perhaps in asterisks or underscores, and
    nothing else. A grade elsewhere in the text does not count: it may be a quotation.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return None, "the reply is empty"
    last = lines[-1]
    choices = "|".join(re.escape(grade) for grade in sorted(grades, key=len, reverse=True))
    line = re.compile(rf"[ \t*_]*grade[ \t*_]*:[ \t*_]*({choices})[ \t*_]*\.?[ \t*_]*", re.ASCII | re.IGNORECASE)
    match = line.fullmatch(last) if choices and len(last) <= _LONGEST else None
    if match is None:
        cut = last.strip()
        cut = cut if len(cut) <= _QUOTED else cut[: _QUOTED - 3] + "..."
        return None, f"the last line is no grade such as GRADE: {grades[0] if grades else 'X'}, but {cut!r}"
    return next(grade for grade in grades if grade.lower() == match[1].lower()), ""
