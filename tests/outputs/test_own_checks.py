"""A spec's own criteria: judged beside the shipped ones, and bounded."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from evalspec.outputs import checks, own_checks, queries
from evalspec.outputs.checks import check, explained
from evalspec.outputs.loading import Answer

TOP = "-- name: no-liens\n-- what: No prompt is on liens.\n-- why: They are out of scope.\n-- mend: Run again.\n"
SHAPE = "NULL AS origin, NULL AS slot, \"row\", 'a lien' AS found, 'none' AS required, 'row ' || \"row\" AS message"
SUMMARY = "--: summary\nSELECT 'no lien' AS required, count(*)::VARCHAR AS found, '' AS note FROM records\n"


class _NoReader:
    def answer(self, _job: Any) -> Answer:
        return Answer()


@pytest.fixture(autouse=True)
def without_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Criteria that `datasets` judges are tested apart."""

    @contextmanager
    def reader() -> Iterator[_NoReader]:
        yield _NoReader()

    monkeypatch.setattr(checks, "reader", reader)


@pytest.fixture
def spec(good: Path, tmp_path: Path) -> Path:
    folder = Path(copytree(good, tmp_path / "spec"))
    (folder / "checks").mkdir()
    return folder


def own(spec: Path, plan: Any, text: str | bytes, name: str = "mine.sql") -> tuple[Any, list[Any]]:
    """The verdict on one own criterion, and its findings."""
    data = text.encode() if isinstance(text, str) else text
    (spec / "checks" / name).write_bytes(data)
    report = check(spec / "data/final", plan, folder=spec)
    assert {row.verdict for row in report.rows if row.code < queries.OWN_CODE} == {"passed"}, "the shipped ones go on"
    return report.rows[-1], [d for d in report.diagnostics if d.code in (queries.OWN_CODE, own_checks.BROKEN)]


def criterion(where: str) -> str:
    return f"{TOP}-- needs: records\n--: rows\nSELECT {SHAPE}\nFROM placed\nWHERE {where}\n{SUMMARY}"


def test_a_criterion_that_is_met_passes(spec: Path, plan: Any) -> None:
    row, found = own(spec, plan, criterion("prompt = 'x'"))
    assert (row.code, row.name, row.verdict, row.found, found) == ("ES640", "no-liens", "passed", "300", [])


def test_rows_are_findings_with_their_message_and_hint(spec: Path, plan: Any) -> None:
    row, found = own(spec, plan, criterion('"row" IN (2, 5)'))
    assert (row.verdict, [d.message for d in found], found[0].hint) == ("failed", ["row 2", "row 5"], "Run again.")
    assert [d.place.line for d in found] == [2, 5]


def test_what_it_needs_is_respected(spec: Path, plan: Any) -> None:
    row, _ = own(spec, plan, criterion("true").replace("needs: records", "needs: records\n-- fields: colour"))
    assert row.verdict in ("failed", "not_judged")


BROKEN: dict[str, tuple[str | bytes, int, str]] = {
    "unknown column": (criterion("colour = 1"), 9, "colour"),
    "syntax": (criterion("prompt = = 'x'"), 9, "syntax error"),
    "no comment": (f"--: rows\nSELECT {SHAPE} FROM placed\n{SUMMARY}", 1, "no name, what, why, mend"),
    "no summary": (f"{TOP}--: rows\nSELECT {SHAPE} FROM placed\n", 1, "'--: summary'"),
    "not a select": (f"{TOP}--: rows\nDROP TABLE slots\n{SUMMARY}", 6, "one SELECT"),
    "two statements": (f"{TOP}--: rows\nSELECT 1; SELECT 2\n{SUMMARY}", 6, "one SELECT"),
    "another shape": (f"{TOP}--: rows\nSELECT 1 AS n\n{SUMMARY}", 6, "no column origin"),
    "summary of two rows": (
        f"{TOP}--: rows\nSELECT {SHAPE} FROM placed WHERE false\n"
        "--: summary\nSELECT '' AS required, '' AS found, '' AS note FROM range(2)\n",
        8,
        "2 rows",
    ),
    "reads a file": (f"{TOP}--: rows\nSELECT {SHAPE} FROM placed, read_text('/etc/passwd')\n{SUMMARY}", 6, "disabled"),
    "reads a csv by name": (f"{TOP}--: rows\nSELECT * FROM '/etc/passwd'\n{SUMMARY}", 6, ""),
    "writes a file": (f"{TOP}--: rows\nCOPY slots TO '/tmp/x.csv'\n{SUMMARY}", 6, "one SELECT"),
    "loads an extension": (f"{TOP}--: rows\nINSTALL httpfs\n{SUMMARY}", 6, "one SELECT"),
    "changes a setting": (f"{TOP}--: rows\nSET threads = 64\n{SUMMARY}", 6, "one SELECT"),
    "not UTF-8": (b"\xff\xfe-- name", 1, "not UTF-8"),
    "too large": ("-- " + "x" * own_checks.MOST_BYTES, 1, "bytes"),
    "empty": ("", 1, "no name"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_one_is_a_finding_at_its_line(name: str, spec: Path, plan: Any) -> None:
    text, line, said = BROKEN[name]
    row, (found,) = own(spec, plan, text)
    assert (row.code, row.verdict, found.code) == ("ES641", "failed", "ES641")
    assert (found.place.file, found.place.line) == (str(spec / "checks/mine.sql"), line)
    assert said in found.message


def test_one_that_takes_too_long_is_interrupted(spec: Path, plan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_checks, "TIMEOUT", 0.3)
    endless = "(SELECT sum(a.range * b.range % 7) FROM range(10000000) a, range(10000000) b) = 1"
    slow = criterion(endless)
    _, (found,) = own(spec, plan, slow)
    assert "took longer than 0.3 s" in found.message


def test_a_broken_one_keeps_no_other_from_being_judged(spec: Path, plan: Any) -> None:
    (spec / "checks/a.sql").write_text("x")
    row, found = own(spec, plan, criterion("false"), "b.sql")
    assert (row.verdict, [d.code for d in found]) == ("passed", ["ES641"])


def test_each_is_explained_by_name(spec: Path, plan: Any) -> None:
    (spec / "checks/mine.sql").write_text(criterion("false"))
    (spec / "checks/broken.sql").write_text("x")
    page = explained("no-liens", spec)
    assert page is not None
    assert page.startswith("# ES640 no-liens\n\nNo prompt is on liens.\n")
    assert explained("ES601") == explained("size")
    assert explained("nothing", spec) is None
    assert checks.names(spec)[-1] == "no-liens"


def test_the_example_of_the_docs_is_judged(spec: Path, plan: Any) -> None:
    text = (Path(__file__).resolve().parents[2] / "docs/checks.md").read_text(encoding="utf-8")
    row, found = own(spec, plan, text.split("```sql\n")[1].split("```")[0])
    assert (row.name, row.verdict, row.found, found) == ("no-product-names", "passed", "300 prompts", [])
