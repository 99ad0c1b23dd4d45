"""A report as JSON: the keys of documents 3 and 4 as plain numbers, the counts and intervals beside them.

What is plain is made from what is counted on writing, and dropped on reading: `read(text(report)) == report`.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_json

from evalspec.bench.bounded import read_bounded
from evalspec.bench.report import FORMAT, BarVerdict, Report
from evalspec.bench.results import CheckResult, Outcome
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

HEAD = (
    "set",
    "module",
    "model",
    "prompt_version",
    "size",
    "metrics",
    "latency_p95_ms",
    "validator_rejections",
    "tags",
)
"""The keys of document 4, which stand first and in its order."""
FACTS = ("country", "topic")
"""The facts of a case that stand in its row by themselves, too."""
SLICE = "country/topic"
"""The axis whose values are the keys of `by_slice`; `by_slice_detail` has all axes."""

MAX_BYTES = 1 << 30
"""Of a report that is read."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_HINT = "give the JSON report that `evalspec bench` wrote"
_PASS: dict[BarVerdict | None, bool | None] = {"met": True, "missed": False, "undecided": None, None: None}
_PASSED: dict[Outcome, bool | None] = {"passed": True, "failed": False, "error": False, "undecided": None}


class ReportError(Exception):
    """A report cannot be used; `diagnostic` (ES780) says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def text(report: Report) -> str:
    """The report as JSON: two spaces of indent, a line a row, and a newline at the end.

    What JSON or UTF-8 cannot hold is replaced: numbers that are not finite by null, lone surrogates by U+FFFD.
    """
    document = plain(report)
    rows = document.pop("rows")
    head = dumped(document, indent=2)[:-2]
    listed = ",\n    ".join(dumped(row) for row in rows)
    return f'{head},\n  "rows": [\n    {listed}\n  ]\n}}\n' if rows else f'{head},\n  "rows": []\n}}\n'


def plain(report: Report) -> dict[str, Any]:
    """The document as plain data."""
    data = report.model_dump()
    head = {name: data.pop(name) for name in HEAD}
    head["metrics"] = {name: _metric(score) for name, score in head["metrics"].items()}
    summary = data.pop("summary")
    rows = data.pop("rows")
    listed = [_row(row, score.checks) for row, score in zip(rows, report.rows, strict=True)]
    return {**head, "config": _config(report), **data, "summary": _summary(summary), "rows": listed}


def _config(report: Report) -> dict[str, Any]:
    """Document 3's `config`: what was run, in the words of its command line."""
    return {"model": report.model, "prompt": report.prompt_version, "dataset": report.set}


def read(path: Path) -> Report:
    """The report of a file. Raises ReportError."""
    try:
        found_text = read_bounded(path, MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise ReportError(_unreadable(path, f"cannot read {path}: {error.strerror}")) from None
    except UnicodeDecodeError:
        raise ReportError(_unreadable(path, f"{path} is not UTF-8 text")) from None
    return parsed(found_text, path)


def parsed(said: str, path: Path) -> Report:
    """The report that a text is; `path` is where findings point. Raises ReportError."""
    try:
        data = json.loads(said)
    except json.JSONDecodeError as error:
        place = Place(str(path), error.lineno, error.colno, error.lineno, error.colno + 1)
        raise ReportError(found("ES780", f"{path} is not JSON: {error.msg}", place, hint=_HINT)) from None
    except (RecursionError, ValueError) as error:
        raise ReportError(_unreadable(path, f"{path} cannot be read as JSON: {error}")) from None
    if not isinstance(data, dict) or not {"set", "rows", "summary"} <= data.keys():
        raise ReportError(_unreadable(path, f"{path} is not a report of `evalspec bench`"))
    if data.get("format") != FORMAT:
        version = f"{path} has report format {data.get('format')!r}, this evalspec reads {FORMAT}"
        raise ReportError(_unreadable(path, version))
    try:
        return Report.model_validate_json(json.dumps(_counted(data)))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ReportError(_unreadable(path, f"{path} is not a report at {where}: {first['msg']}")) from None


def _unreadable(path: Path, message: str) -> Diagnostic:
    return found("ES780", message, Place(str(path)), hint=_HINT)


def _metric(score: Mapping[str, Any]) -> dict[str, Any]:
    """A metric with document 4's three keys first; `pass` is null where it is undecided or has no bar."""
    own = {"value": score["value"], "bar": score["bar"], "pass": _PASS[score["verdict"]]}
    return own | {name: value for name, value in score.items() if name not in own}


def _summary(summary: dict[str, Any]) -> dict[str, Any]:
    """The summary with document 3's keys first."""
    checks, slices, passed = (summary.pop(name) for name in ("by_check", "by_slice", "passed"))
    own = {
        "n": summary.pop("n"),
        "pass_rate": passed["value"],
        "by_check": {name: rate["value"] for name, rate in checks.items()},
        "by_slice": {name: rate["value"] for name, rate in slices.get(SLICE, {}).items()},
        **{name: summary.pop(name) for name in ("blocking_failures", "errors", "p95_latency_ms", "mean_tokens")},
    }
    return {**own, "passed": passed, "by_check_detail": checks, "by_slice_detail": slices, **summary}


def _row(row: dict[str, Any], checks: Iterable[CheckResult]) -> dict[str, Any]:
    """A row with document 3's `id`, `country` and `topic` (where it has them), `passed` and `checks` first."""
    about = {name: row["facts"][name] for name in FACTS if name in row["facts"]}
    own = {"id": row["case_id"], **about, "passed": _PASSED[row["outcome"]], "checks": _by_name(checks)}
    details = row.pop("checks")
    return {**own, **row, "check_results": details}


def _by_name(checks: Iterable[CheckResult]) -> dict[str, bool | None]:
    """Whether each check held in all turns: false where one failed, null where none did and one was not scored."""
    out: dict[str, bool | None] = {}
    for check in checks:
        verdict = {"pass": True, "fail": False, "unscored": None}[check.verdict]
        before = out.get(check.check, True)
        out[check.check] = False if before is False or verdict is False else (before and verdict)
    return out


def _counted(data: Mapping[str, Any]) -> dict[str, Any]:
    """The document without what is made from the rest of it: what the model reads."""
    metrics, summary, rows = data.get("metrics"), data["summary"], data["rows"]
    return {
        **_without(data, "config"),
        "metrics": {k: _without(v, "pass") for k, v in metrics.items()} if isinstance(metrics, dict) else metrics,
        "summary": _renamed(summary, ("pass_rate",), {"by_check": "by_check_detail", "by_slice": "by_slice_detail"}),
        "rows": [_renamed(row, ("id", *FACTS, "passed"), {"checks": "check_results"}) for row in rows]
        if isinstance(rows, list)
        else rows,
    }


def _without(value: Any, *names: str) -> Any:
    return {k: v for k, v in value.items() if k not in names} if isinstance(value, dict) else value


def _renamed(value: Any, drop: tuple[str, ...], names: Mapping[str, str]) -> Any:
    """An object without `drop`, the values of `names` under its keys."""
    if not isinstance(value, dict):
        return value
    kept = _without(value, *drop, *names, *names.values())
    return kept | {name: value[under] for name, under in names.items() if under in value}


def dumped(value: Any, indent: int | None = None) -> str:
    """A value as JSON; what JSON or UTF-8 cannot hold is replaced, as `text` says."""
    try:
        return to_json(value, indent=indent, inf_nan_mode="null", fallback=str).decode("utf-8")
    except ValueError:
        out = json.dumps(_finite(value), ensure_ascii=False, indent=indent, allow_nan=False, default=str)
    return _SURROGATE.sub("\ufffd", out)


def _finite(value: Any) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {name: _finite(item) for name, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
    return value
