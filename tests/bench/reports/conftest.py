"""Reports made by hand: sixty cases of a support bot in three runs, and a contract set with bars."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from evalspec.bench.report import Gate, Interval, MetricScore, Rate, Report, Settings, Spread, Summary
from evalspec.bench.results import CheckResult, TargetResult, ToolCall, TrialScore

COUNTRIES = ("AE", "GB", "PK", "SA")
TOPICS = ("returns", "delivery", "privacy")
ANSWERS = {
    "returns": "You can send it back within {n} days of delivery, unworn and with its tags.",
    "delivery": "Delivery to {country} takes {n} working days. کل تک آ جائے گا، order {n} is on its way.",
    "privacy": "I can only speak about an order with the person who placed it.",
}


def rate(outcomes: Sequence[bool | None], errored: int = 0) -> Rate:
    scored = [outcome for outcome in outcomes if outcome is not None]
    n, k = len(scored), sum(scored)
    if not n:
        return Rate(value=None, attempted=len(outcomes), scored=0, unscored=len(outcomes) - errored, errored=errored)
    p, z = k / n, 1.959964
    middle, half = (p + z * z / 2 / n), z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    interval = Interval(low=max(0.0, low), high=min(1.0, high), method="wilson")
    unscored = len(outcomes) - n - errored
    return Rate(value=p, attempted=len(outcomes), scored=n, unscored=unscored, errored=errored, interval=interval)


def check(name: str, verdict: Any, reason: str = "", **more: Any) -> CheckResult:
    return CheckResult(check=name, verdict=verdict, reason=reason, **more)


def trial(case_id: str, checks: Iterable[CheckResult] = (), **changed: Any) -> TrialScore:
    """A trial of one turn whose outcome follows from its checks and its error."""
    found = tuple(checks)
    verdicts = {result.verdict for result in found}
    error = changed.get("error")
    outcome = (
        "error" if error else "failed" if "fail" in verdicts else "undecided" if "unscored" in verdicts else "passed"
    )
    given: dict[str, Any] = {
        "case_id": case_id,
        "epoch": 1,
        "set": "support",
        "outcome": outcome,
        "checks": found,
        "results": (TargetResult(error=error) if error else TargetResult(text="Yes."),),
        "severity": "major",
        "blocking": False,
        "tags": (),
        "facts": {},
        "links": (),
        "inputs": ("May I?",),
        "latency_ms": None if error else 400.0,
        "tokens": None if error else 120,
    }
    return TrialScore(**{**given, **changed})


def build(rows: Sequence[TrialScore], **changed: Any) -> Report:
    """A report over trials, with its figures counted by case."""
    cases: dict[str, list[TrialScore]] = defaultdict(list)
    for row in rows:
        cases[row.case_id].append(row)
    came = {name: _came(trials) for name, trials in cases.items()}
    worst = {name: ("failed" if came[name] is False else "undecided") for name in cases if came[name] is not True}
    latencies = sorted(row.latency_ms for row in rows if row.latency_ms is not None)
    runs = max((row.epoch for row in rows), default=1)
    by_check: dict[str, list[bool | None]] = defaultdict(list)
    by_slice: dict[str, dict[str, list[bool | None]]] = defaultdict(lambda: defaultdict(list))
    for name, trials in cases.items():
        first = trials[0]
        for result in first.checks:
            by_check[result.check].append({"pass": True, "fail": False, "unscored": None}[result.verdict])
        for axis, value in _slices(first):
            by_slice[axis][value].append(came[name])
    blocking = tuple(name for name, trials in cases.items() if trials[0].blocking and worst.get(name) == "failed")
    given: dict[str, Any] = {
        "set": "support",
        "module": None,
        "model": "small-bot",
        "prompt_version": "v13",
        "size": len(cases),
        "metrics": {},
        "latency_p95_ms": latencies[int(0.95 * (len(latencies) - 1))] if latencies else None,
        "latency_bar_ms": None,
        "validator_rejections": sum(row.validator_rejected for row in rows),
        "tags": {tag: rate(values).value for tag, values in by_slice["tag"].items()},
        "draft": (),
        "gate": Gate(verdict="red" if blocking else "green", reasons=(), ci=False),
        "settings": Settings(seed=42, temperature=0.0, top_p=1.0, max_tokens=1024, runs=runs, concurrency=4),
        "suite_digest": "5" * 64,
        "case_digests": {name: f"{at:064x}" for at, name in enumerate(cases)},
        "target": {"kind": "http", "name": "small-bot", "url": "http://127.0.0.1:8080/answer"},
        "judge": {"provider": "custom", "model": "judge-1", "prompt": "ab12"},
        "evalspec_version": "0.1.0",
        "at": "2026-11-30T09:00:00Z",
        "spread": _spread(cases, runs),
        "summary": Summary(
            n=len(cases),
            passed=rate(list(came.values()), sum(trials[0].error is not None for trials in cases.values())),
            by_check={name: rate(values) for name, values in by_check.items()},
            by_slice={axis: {v: rate(o) for v, o in sorted(of.items())} for axis, of in by_slice.items()},
            blocking_failures=blocking,
            blocking_undecided=tuple(n for n, t in cases.items() if t[0].blocking and worst.get(n) == "undecided"),
            critical_failures=tuple(n for n in worst if cases[n][0].severity == "critical"),
            major_failures=tuple(n for n in worst if cases[n][0].severity == "major" and worst[n] == "failed"),
            errors=tuple(name for name, trials in cases.items() if any(row.error for row in trials)),
            p50_latency_ms=latencies[len(latencies) // 2] if latencies else None,
            p95_latency_ms=latencies[int(0.95 * (len(latencies) - 1))] if latencies else None,
            mean_tokens=120.0 if latencies else None,
            total_tokens=sum(row.tokens or 0 for row in rows),
        ),
        "rows": tuple(rows),
    }
    return Report(**{**given, **changed})


def _came(trials: Sequence[TrialScore]) -> bool | None:
    outcomes = {row.outcome for row in trials}
    if outcomes & {"failed", "error"}:
        return False
    return None if "undecided" in outcomes else True


def _slices(row: TrialScore) -> Iterable[tuple[str, str]]:
    if {"country", "topic"} <= row.facts.keys():
        yield "country/topic", f"{row.facts['country']}/{row.facts['topic']}"
    yield "severity", row.severity
    for tag in row.tags:
        yield "tag", tag


def _spread(cases: dict[str, list[TrialScore]], runs: int) -> Spread | None:
    if runs == 1:
        return None
    rates = [rate([t[at].outcome == "passed" for t in cases.values()]).value or 0.0 for at in range(runs)]
    mean = sum(rates) / runs
    deviation = math.sqrt(sum((r - mean) ** 2 for r in rates) / (runs - 1))
    flips = tuple(n for n, t in cases.items() if len({row.outcome == "passed" for row in t}) == 2)
    return Spread(
        pass_rates=tuple(rates),
        mean=mean,
        standard_deviation=deviation,
        flips=flips,
        pass_at={f"pass@{runs}": 0.95, f"pass^{runs}": 0.8},
    )


def support_rows(runs: int = 3, size: int = 60, worse: bool = False) -> list[TrialScore]:
    """Trials of a support bot: some fail, one judge was silent, one target hung, some come out both ways."""
    return [_support(at, epoch, worse) for at in range(size) for epoch in range(1, runs + 1)]


def _support(at: int, epoch: int, worse: bool) -> TrialScore:
    country, topic = COUNTRIES[at % 4], TOPICS[(at // 4) % 3]
    facts = {"country": country, "topic": topic, "verified": at % 5 == 0, "source": "golden"}
    case_id = f"{topic[:3]}-{country.lower()}-{at:02d}"
    bad = at % 11 == 3 or (at % 7 == 2 and epoch == 2) or (worse and at % 13 == 1)
    checks = [
        check("key_points", "fail" if bad else "pass", f"not in the answer: '{at % 9} days'" if bad else ""),
        check("no_pii", "pass"),
        check(
            "policy_judge",
            "unscored" if at == 20 else "pass",
            "no verdict in the reply" if at == 20 else "",
            judged=True,
        ),
    ]
    if topic == "privacy":
        verdict, why = ("fail", "lookup_order was called") if at == 8 else ("pass", "")
        checks.append(check("tool_rule", verdict, why))
    text = ANSWERS[topic].format(n=at % 9 + (3 if bad else 0), country=country)
    called = (ToolCall(name="lookup_order", args={"order_id": f"A-{at}"}),) if at % 8 == 0 else ()
    result = TargetResult(
        text=text, tool_calls=called, retrieved_ids=(f"{topic}-{country}",), input_tokens=90, output_tokens=30,
        latency_ms=300.0 + 37 * (at % 17) + 11 * epoch, abstained=False, confidence="HIGH",
    )  # fmt: skip
    error = "HTTP 503 after 4 tries" if at == 31 and epoch == 1 else None
    return trial(
        case_id,
        [] if error else checks,
        epoch=epoch,
        facts=facts,
        tags=("code-switched",) if at % 6 == 1 else ("plain",),
        severity=("critical", "major", "minor")[at % 3],
        blocking=topic == "privacy",
        inputs=(f"Question {at} about {topic} from {country}?",),
        results=(TargetResult(error=error),) if error else (result,),
        error=error,
        latency_ms=None if error else result.latency_ms,
    )


@pytest.fixture(scope="session")
def support() -> Report:
    """Three runs of sixty cases: red, with a blocking failure."""
    rows = support_rows()
    made = build(rows)
    reasons = (
        f"{len(made.summary.blocking_failures)} blocking cases failed: {', '.join(made.summary.blocking_failures)}",
        "fewer than 200 cases: a pass rate of 0.95 cannot be told from 0.90",
    )
    return made.model_copy(update={"gate": Gate(verdict="red", reasons=reasons, ci=True)})


@pytest.fixture(scope="session")
def worse() -> Report:
    """The same cases, of which more fail."""
    return build(support_rows(worse=True), model="smaller-bot", prompt_version="v14")


def contract_report(size: int = 500, **changed: Any) -> Report:
    """A triage set with bars: one met and not separated, one missed, one undecided, one that must be low."""
    rows = [_triage(at) for at in range(size)]
    metrics = {
        "category_agreement": _metric([at % 28 != 0 for at in range(size)], 0.95, "at_least", "met", False),
        "p1_over_prioritisation": _metric([False] * size, 0.0, "at_most", "met", None),
        "rationale_names_gap": _metric([at % 4 != 0 for at in range(40)], 0.9, "at_least", "missed", True),
        "answer_correctness": _metric([None] * size, 0.8, "at_least", "undecided", None, "no ratings of people yet"),
    }
    given: dict[str, Any] = {
        "set": "isp_triage",
        "module": "sla_classifier",
        "model": "qwen2.5-1.5b-instruct",
        "prompt_version": "v3",
        "metrics": metrics,
        "latency_bar_ms": 3000.0,
        "gate": Gate(verdict="red", reasons=("rationale_names_gap is 0.75, under its bar of 0.90",), ci=True),
        "judge": None,
    }
    return build(rows, **{**given, **changed})


def _metric(
    outcomes: list[bool | None], bar: float, direction: Any, verdict: Any, separated: bool | None, reason: str = ""
) -> MetricScore:
    return MetricScore(
        **dict(rate(outcomes)), bar=bar, direction=direction, verdict=verdict, separated=separated, reason=reason,
        signed_by="operations director",
    )  # fmt: skip


def _triage(at: int) -> TrialScore:
    language = ("english", "english", "code-mixed", "bengali")[at % 4]
    output = {
        "category": "outage" if at % 3 else "billing",
        "priority": f"P{1 + at % 3}",
        "rationale": "no line since 9",
    }
    wrong = at % 28 == 0
    why = "'billing' where 'outage' was expected" if wrong else ""
    latency = 800.0 + 90 * (at % 23) + (1500 if at % 97 == 0 else 0)
    return trial(
        f"triage-{at:03d}",
        [check("category", "fail" if wrong else "pass", why, metric="category_agreement"), check("schema", "pass")],
        set="isp_triage",
        tags=(language, "vague") if at % 20 == 0 else (language,),
        facts={"module": "sla_classifier"},
        inputs=({"ticket": f"Line {at} down. সকাল থেকে ইন্টারনেট নেই", "tier": "gold"},),
        results=(TargetResult(text="", output=output, input_tokens=200, output_tokens=40, latency_ms=latency),),
        latency_ms=latency,
        validator_rejected=at % 41 == 0,
    )


@pytest.fixture(scope="session")
def contract() -> Report:
    return contract_report()


@pytest.fixture(scope="session")
def make() -> Callable[..., Report]:
    """`build(rows)`, for reports of a test's own."""
    return build


@pytest.fixture(scope="session")
def one() -> Callable[..., TrialScore]:
    """`trial(case_id, checks)`."""
    return trial


@pytest.fixture(scope="session")
def many() -> Callable[[int], Report]:
    """A contract report of so many cases."""
    return contract_report
