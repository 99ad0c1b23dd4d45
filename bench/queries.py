"""The SQL files of the bench, by name."""

from functools import cache
from importlib.resources import files

from evalspec.outputs.queries import parse


@cache
def sql(name: str) -> str:
    """The statement of `sql/<name>.sql`."""
    text = files("evalspec.bench").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")
    return parse(name, text).sql
