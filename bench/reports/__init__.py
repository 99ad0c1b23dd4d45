"""Reports in the forms that people and programs read: JSON, JUnit, Markdown and one HTML page."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from evalspec.bench.report import Report
from evalspec.bench.reports import json
from evalspec.bench.reports.json import ReportError

if TYPE_CHECKING:
    from evalspec.bench.comparison import Comparison

__all__ = ["ComparisonForm", "Form", "ReportError", "read_report", "render", "render_comparison", "write"]

Form = Literal["json", "junit", "md", "html"]
ComparisonForm = Literal["json", "md", "html"]


def render(report: Report, form: Form, other: Report | None = None) -> str:
    """A report as text. `other` is the run that it is compared with, as the base; only the page shows it."""
    match form:
        case "json":
            return json.text(report)
        case "junit":
            from evalspec.bench.reports import junit

            return junit.text(report)
        case "md":
            from evalspec.bench.reports import markdown

            return markdown.text(report)
        case "html":
            from evalspec.bench.reports import html

            return html.text(report, other)


def render_comparison(
    comparison: "Comparison", form: ComparisonForm, reports: tuple[Report, Report] | None = None
) -> str:
    """A comparison as text. With the two `reports`, base and candidate, the page has their cases side by side, too."""
    from evalspec.bench.reports import compared, html

    match form:
        case "json":
            return compared.json_text(comparison)
        case "md":
            return compared.markdown(comparison)
        case "html":
            return html.text(reports[1], reports[0], comparison) if reports else html.comparison_text(comparison)


def read_report(path: Path) -> Report:
    """The report that a JSON report is. Raises ReportError, whose `diagnostic` says why not."""
    return json.read(path)


def write(report: Report, form: Form, path: Path, other: Report | None = None) -> None:
    """Render to a temporary name beside `path`, then rename; its folder is made. Raises OSError."""
    from evalspec.spec.writing import write_atomically

    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, render(report, form, other).encode("utf-8"))
