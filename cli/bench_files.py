"""Where the reports of a bench run go, and writing them."""

from pathlib import Path
from typing import TYPE_CHECKING

from evalspec.cli.shared import fail, usage
from evalspec.spec.diagnostic import Diagnostic

if TYPE_CHECKING:
    from evalspec.bench.benching import Benched
    from evalspec.bench.preparing import Prepared
    from evalspec.bench.report import Report

SUFFIXES = {"json": ".json", "junit": ".xml", "md": ".md", "html": ".html"}
FORMS = {".json": "json", ".xml": "junit", ".md": "md", ".html": "html", ".htm": "html"}


def refuse_ending(command: str, out: Path | None, report_form: str | None, form: str, without: str = "") -> None:
    """End the command where neither --report-format nor the ending of --out says what is to be written.

    A name without an ending is written as JSON; `without` is a form that the command does not write.
    """
    if out is None or report_form is not None or not out.suffix or FORMS.get(out.suffix.lower(), without) != without:
        return
    endings = [ending for ending, kind in FORMS.items() if kind != without]
    kinds = dict.fromkeys(FORMS[ending] for ending in endings)
    hint = f"end it with {', '.join(endings)}, or add --report-format {'|'.join(kinds)}"
    fail(command, [usage(f"the ending of --out {out} does not say what is to be written", "--out", hint)], form)


def write_reports(
    report: "Report", prepared: "Prepared", form: str | None, out: Path | None
) -> list[Path] | Diagnostic:
    """Write the report in the form that was asked for, and as JSON in any case: `compare` reads it. The files.

    Where --report-format is not given, the ending of --out says what is written.
    """
    from evalspec.bench.reports import write
    from evalspec.runtime.journaling import not_writable

    form = form or FORMS.get(out.suffix.lower() if out else "", "json")
    usual = usual_path(report, prepared.home / prepared.file.settings.root / "results")
    files = [(form, out or usual.with_suffix(SUFFIXES[form]))]
    if form != "json":
        files.insert(0, ("json", usual))
    for kind, path in files:
        try:
            write(report, kind, path)  # type: ignore[arg-type]
        except OSError as error:
            return not_writable(path, error)
    return [path for _, path in files]


def write_for_people(prepared: "Prepared", benched: "Benched", beside: Path) -> Path | Diagnostic | None:
    """The list of answers that wait for people, written beside the report where it must be; None without any."""
    from evalspec.bench.benching import for_people
    from evalspec.runtime.journaling import not_writable

    path = beside.with_name(f"{beside.stem}.for-people.csv")
    try:
        return for_people(prepared, benched.trials, path) if benched.trials else None
    except OSError as error:
        return not_writable(path, error)


def usual_path(report: "Report", results: Path) -> Path:
    """results/<module>/<set>.<timestamp>.json, with a number where two runs ended in one second."""
    folder = results / _part(report.module) if report.module else results
    stamp = report.at.replace("+00:00", "Z").replace("-", "").replace(":", "")
    path = folder / f"{_part(report.set)}.{stamp}.json"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{_part(report.set)}.{stamp}-{number}.json"
    return path


def _part(name: str) -> str:
    """A name as a part of a path."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip(".")[:80] or "suite"
