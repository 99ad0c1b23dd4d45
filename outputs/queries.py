"""SQL files: each has a comment on top that says what it is, and one or two statements under it.

The comment is made of `-- key: text` lines; a line without a key goes on with the one above. A criterion's file holds
two statements, `--: rows` (the offending rows) and `--: summary` (what the table of verdicts shows).
"""

import re
from functools import lru_cache
from importlib.resources import files

from evalspec.spec.dataclass import dataclass

OWN_CODE = "ES640"
"""The code of every criterion of a spec's own, whatever its name."""
_KEY = re.compile(r"--\s*([a-z]+):\s*(.*)")
_PART = re.compile(r"^--:\s*([a-z]+)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Query:
    """One SQL file: its comment by key, and its statements by name (`rows` and `summary`, or `sql`)."""

    file: str
    comment: dict[str, str]
    parts: dict[str, str]

    @property
    def sql(self) -> str:
        """The only statement of a file that is no criterion."""
        return self.parts["sql"]

    def words(self, key: str) -> tuple[str, ...]:
        """A line of the comment, as words; empty where it is not there."""
        return tuple(self.comment.get(key, "").split())


def parse(file: str, text: str) -> Query:
    """Read one SQL file."""
    comment: dict[str, str] = {}
    key = ""
    lines = text.splitlines()
    for line in lines:
        if not line.startswith("--") or line.startswith("--:"):
            break
        if match := _KEY.match(line):
            key = match[1]
            comment[key] = match[2].strip()
        else:
            comment[key] = f"{comment.get(key, '')} {line.lstrip('-').strip()}".strip()
    split = _PART.split(text)
    parts = {split[i]: split[i + 1].strip().rstrip(";") for i in range(1, len(split) - 1, 2)}
    return Query(file, comment, parts or {"sql": text.strip().rstrip(";")})


@lru_cache(maxsize=8)
def folder(name: str) -> dict[str, Query]:
    """The queries of `sql/<name>/` by file name without its ending, in the order of their codes and names."""
    found = [
        parse(entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8"))
        for entry in files("evalspec.outputs").joinpath("sql", name).iterdir()
        if entry.name.endswith(".sql")
    ]
    return {query.file: query for query in sorted(found, key=lambda q: (q.comment.get("code", ""), q.file))}
