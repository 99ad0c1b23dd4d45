"""A report as JUnit XML, which build servers read: a test case a trial, and what the gate says as properties."""

import re
from collections import Counter
from xml.etree import ElementTree as ET

from evalspec.bench.report import Report
from evalspec.bench.reports.words import figure, metric_line
from evalspec.bench.results import CheckResult, TrialScore

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST = 4000
"""Characters of one text: build servers show more as a wall, and some refuse it."""


def text(report: Report) -> str:
    """The report as XML; characters that XML cannot hold are replaced by U+FFFD.

    A failed check is a failure and a target without an answer an error. An undecided trial is skipped, or a failure
    where its case blocks: what was not judged is not green.
    """
    counts = Counter(_kind(row) for row in report.rows)
    totals = {
        "tests": str(len(report.rows)),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
        "skipped": str(counts["skipped"]),
        "time": f"{sum(row.latency_ms or 0.0 for row in report.rows) / 1000:.3f}",
    }
    root = ET.Element("testsuites", {"name": _xml(_name(report)), **totals})
    suite = ET.SubElement(root, "testsuite", {"name": _xml(_name(report)), "timestamp": _xml(report.at), **totals})
    listed = ET.SubElement(suite, "properties")
    for name, value in _properties(report):
        ET.SubElement(listed, "property", name=_xml(name), value=_xml(value))
    for row in report.rows:
        _add(suite, row, report)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _name(report: Report) -> str:
    return ".".join(filter(None, (report.module, report.set)))


def _kind(row: TrialScore) -> str:
    match row.outcome:
        case "failed":
            return "failure"
        case "undecided":
            return "failure" if row.blocking else "skipped"
        case "error":
            return "error"
    return "passed"


def _add(suite: ET.Element, row: TrialScore, report: Report) -> None:
    name = row.case_id + (f" [run {row.epoch}]" if report.settings.runs > 1 else "")
    classname = ".".join(filter(None, (report.module, row.set)))
    taken = {"time": f"{row.latency_ms / 1000:.3f}"} if row.latency_ms is not None else {}
    case = ET.SubElement(suite, "testcase", {"classname": _xml(classname), "name": _xml(name), **taken})
    kind = _kind(row)
    if kind == "passed":
        return
    if kind == "error":
        message = row.error or "the target gave no answer"
        ET.SubElement(case, kind, message=_xml(message), type="target-error").text = _xml(_answers(row))
        return
    found = [check for check in row.checks if check.verdict == ("fail" if row.outcome == "failed" else "unscored")]
    message = "; ".join(_said(check) for check in found) or row.outcome
    if kind == "skipped":
        ET.SubElement(case, kind, message=_xml(f"undecided: {message}"))
        return
    if row.outcome == "undecided":
        message = f"a blocking case is undecided: {message}"
    failure = ET.SubElement(case, kind, message=_xml(message), type="blocking" if row.blocking else row.severity)
    failure.text = _xml("\n".join([*(_said(check) for check in found), _answers(row)]))


def _said(check: CheckResult) -> str:
    turn = f" (turn {check.turn + 1})" if check.turn else ""
    return f"{check.check}{turn}: {check.reason}" if check.reason else f"{check.check}{turn}"


def _answers(row: TrialScore) -> str:
    return "\n".join(f"answer: {result.text}" for result in row.results if result.text)


def _properties(report: Report) -> list[tuple[str, str]]:
    chosen = report.settings
    out = [
        ("gate", report.gate.verdict),
        *(("gate.reason", reason) for reason in report.gate.reasons),
        *(("draft", reason) for reason in report.draft),
        ("model", report.model or ""),
        ("prompt_version", report.prompt_version or ""),
        ("target", str(report.target.get("kind", ""))),
        ("judge", str((report.judge or {}).get("model", ""))),
        *((f"settings.{name}", figure(value)) for name, value in chosen.model_dump(exclude={"filters"}).items()),
        *(("settings.filter", chosen_filter) for chosen_filter in chosen.filters),
        ("suite_digest", report.suite_digest),
        ("evalspec_version", report.evalspec_version),
        *((f"metric.{name}", metric_line(score)) for name, score in report.metrics.items()),
        ("latency_p95_ms", figure(report.latency_p95_ms)),
        ("validator_rejections", figure(report.validator_rejections)),
    ]
    return [(name, value) for name, value in out if value]


def _xml(said: str) -> str:
    cut = said if len(said) <= _LONGEST else f"{said[:_LONGEST]}… ({len(said) - _LONGEST:,} characters more)"
    return _NOT_XML.sub("\ufffd", cut)
