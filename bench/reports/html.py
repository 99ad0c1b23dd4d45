"""A report as one HTML page with all that it needs inside: charts, slices, a case browser, a diff of two runs."""

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from evalspec.bench.comparison import Comparison
from evalspec.bench.report import Rate, Report
from evalspec.bench.reports import cases, charts, compared, words
from evalspec.bench.reports.figures import figure_rows

_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def text(report: Report, base: Report | None = None, comparison: Comparison | None = None) -> str:
    """The page of a report; with `base`, also how each case came out beside that run, and with `comparison` what its
    statistics say of it.

    It asks nothing of a network: its policy allows its own style and script, known by their hashes, and no more.
    """
    moved = Counter(cases.changes(report, base).values()) if base else Counter()
    before = base.summary.by_check if base else None
    shown = {
        "report": report,
        "base": base,
        "gone": len(base.case_digests.keys() - report.case_digests.keys()) if base else 0,
        "moved": moved,
        "differences": _differences(report, base) if base else [],
        "came": _came(report),
        "metrics": [(name, score, charts.metric(name, score)) for name, score in report.metrics.items()],
        "checks": charts.rates("Checks", _worst(report.summary.by_check), _check_link, before),
        "slices": _slices(report, base),
        "latencies": charts.latencies(_taken(report), _marks(report)),
        "runs": charts.runs(report.spread.pass_rates, report.spread.mean) if report.spread else Markup(),
        "figures": figure_rows(report.extra),
        "run_with": list(_run_with(report)),
        "case_link": _case_link if base or not comparison else None,
        "comparison": comparison,
        **(compared.shown(comparison) if comparison else {}),
        "data": Markup(embedded(cases.plain(report, base))),
    }
    return _page("report.html.j2", shown, _asset("report.js"))


def comparison_text(comparison: Comparison) -> str:
    """The page of a comparison alone, without the cases."""
    shown = {"comparison": comparison, "case_link": None, **compared.shown(comparison)}
    return _page("compared.html.j2", shown, "")


def _page(name: str, shown: Mapping[str, Any], script: str) -> str:
    """A template as a page under its policy."""
    style = _asset("report.css")
    allowed = f"script-src '{_hash(script)}'; " if script else ""
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; {allowed}img-src data:; base-uri 'none'; form-action 'none'"
    )
    template = _templates().get_template(name)
    page: str = template.render(**shown, policy=policy, style=Markup(style), script=Markup(script))
    return page.encode("utf-8", "replace").decode("utf-8")


def embedded(data: Any) -> str:
    """Data as JSON that may stand inside a script element: nothing in it ends the element or begins a comment."""
    said = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", said)


def _hash(said: str) -> str:
    return "sha256-" + base64.b64encode(sha256(said.encode("utf-8")).digest()).decode("ascii")


def _came(report: Report) -> dict[str, int]:
    """Cases by what came of them."""
    found = Counter(cases.came(trials) for trials in cases.by_case(report).values())
    return {name: found[name] for name in ("failed", "error", "undecided", "passed")}


def _worst(found: dict[str, Rate]) -> dict[str, Rate]:
    return dict(sorted(found.items(), key=lambda item: (item[1].value is None, item[1].value or 0.0)))


def _slices(report: Report, base: Report | None) -> list[tuple[str, Markup]]:
    """A chart an axis; an axis with one value says nothing of its own and has none."""
    out = []
    for axis, found in report.summary.by_slice.items():
        if len(found) > 1:
            before = base.summary.by_slice.get(axis) if base else None
            out.append((axis, charts.rates(axis, found, _slice_link(axis), before)))
    return out


def _slice_link(axis: str) -> Any:
    return lambda value: f"#slice={_quoted(f'{axis}={value}')}"


def _check_link(name: str) -> str:
    return f"#check={_quoted(name)}"


def _case_link(name: str) -> str:
    return f"#case={_quoted(name)}"


def _quoted(said: str) -> str:
    return quote(said, safe="", errors="replace")


def _taken(report: Report) -> list[float]:
    return [row.latency_ms for row in report.rows if row.latency_ms is not None]


def _marks(report: Report) -> dict[str, float | None]:
    return {
        "p50": report.summary.p50_latency_ms,
        "p95": report.latency_p95_ms,
        "limit": report.latency_bar_ms,
    }


def _differences(report: Report, base: Report) -> list[tuple[str, str, str]]:
    """What is not the same in two runs besides their answers: name, base, this one."""
    told = {
        "model": (base.model, report.model),
        "prompt": (base.prompt_version, report.prompt_version),
        "suite": (base.suite_digest[:12], report.suite_digest[:12]),
        "target": (base.target.get("kind"), report.target.get("kind")),
        "judge": (_judge(base), _judge(report)),
        **{
            name: (getattr(base.settings, name), getattr(report.settings, name))
            for name in ("seed", "temperature", "top_p", "max_tokens", "runs", "max_cases", "filters")
        },
    }
    return [(name, _shown(a), _shown(b)) for name, (a, b) in told.items() if a != b]


def _run_with(report: Report) -> Iterator[tuple[str, str]]:
    """Settings, target and judge as they are shown."""
    for name, value in report.settings.model_dump().items():
        if value is not None and value != ():
            yield name.replace("_", " "), _shown(value)
    yield from _told("target", report.target)
    yield from ((name.replace("judge judge", "judge", 1), said) for name, said in _told("judge", report.judge))
    yield "suite", report.suite_digest[:16]
    yield "evalspec", report.evalspec_version


def _told(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """What a target or a judge says of itself, a line for each value that it holds; digests by their beginning."""
    match value:
        case None:
            return
        case dict():
            for key, inner in value.items():
                yield from _told(f"{name} {str(key).replace('_', ' ')}", inner)
        case [inner]:
            yield from _told(name.removesuffix("s"), inner)
        case list() if any(isinstance(item, dict | list) for item in value):
            for number, item in enumerate(value, 1):
                yield from _told(f"{name} {number}", item)
        case str() if name.endswith("digest"):
            yield name, value[:16]
        case _:
            yield name, _shown(tuple(value) if isinstance(value, list) else value)


def _judge(report: Report) -> str:
    return json.dumps(report.judge, sort_keys=True, default=str, ensure_ascii=False) if report.judge else ""


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return words.figure(value) or "none"


@lru_cache(maxsize=4)
def _asset(name: str) -> str:
    return files("evalspec.bench.reports").joinpath("assets", name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _templates() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("evalspec.bench.reports", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for named in (
        words.percent,
        words.interval,
        words.rate,
        words.counts,
        words.against,
        words.points,
        words.between,
        words.because,
    ):
        environment.filters[named.__name__] = named
    environment.filters |= {"ms": words.milliseconds}
    return environment
