"""Criteria as a JUnit report, which build servers read."""

import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """One test case: `skipped` holds the reason where it was not judged, `findings` what failed."""

    name: str
    code: str
    skipped: str
    findings: Sequence[Diagnostic]


def report(suite: str, cases: Iterable[JUnitCase]) -> str:
    """The report as XML text; characters that XML cannot hold are replaced."""
    listed = list(cases)
    failed = sum(bool(case.findings) for case in listed)
    root = ET.Element("testsuites")
    element = ET.SubElement(
        root,
        "testsuite",
        name=_xml(suite),
        tests=str(len(listed)),
        failures=str(failed),
        errors="0",
        skipped=str(sum(bool(case.skipped) for case in listed)),
    )
    for case in listed:
        node = ET.SubElement(element, "testcase", classname=_xml(f"{suite}.{case.code}"), name=_xml(case.name))
        if case.skipped:
            ET.SubElement(node, "skipped", message=_xml(case.skipped))
        for finding in case.findings:
            failure = ET.SubElement(node, "failure", message=_xml(finding.message), type=finding.code)
            failure.text = _xml(f"{finding.place.file}:{finding.place.line}:{finding.place.column}\n{finding.hint}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
