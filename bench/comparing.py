"""Compares two reports case by case, or says why they cannot be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, get_args

from evalspec.bench import paired, stats
from evalspec.bench.changes import Parts, change, values_of
from evalspec.bench.comparison import Allowed, Comparison, Difference, LeftOut, PairedTest, Side
from evalspec.bench.release_figures import temperature_flips
from evalspec.bench.report import Report
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import Diagnostic, found
from evalspec.spec.source import Place

Diagnostics = tuple[Diagnostic, ...]
SETTINGS = ("seed", "temperature", "top_p", "max_tokens")
NOT_SCORED = 0.05
"""The most of the cases, as a share, that may be left out for want of a score before the verdict is open."""


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How two reports are compared."""

    allow: tuple[str, ...] = ()
    """Of suite, judge, judge_prompt and settings, those that may differ."""
    margin: float = 0.02
    seed: int = paired.SEED
    resamples: int = paired.RESAMPLES
    base_place: Place = field(default_factory=lambda: Place("base"))
    candidate_place: Place = field(default_factory=lambda: Place("candidate"))


def compare(base: Report, candidate: Report, options: CompareOptions) -> Comparison | Diagnostics:
    """The comparison of two reports, or why there is none: options that make no sense, reports that differ in what
    was asked and not only in what was answered, or no case that both of them scored.
    """
    if faults := _options(options):
        return faults
    differing = _differing(base, candidate)
    refused = tuple(
        _refusal(name, difference, options) for name, difference in differing.items() if name not in options.allow
    )
    if refused:
        return refused
    ids = [case for case in base.case_digests if candidate.case_digests.get(case) == base.case_digests[case]]
    ours, theirs = (values_of(report) for report in (base, candidate))
    parts = Parts(base, candidate, ours, theirs, frozenset(ids), options.seed, options.resamples)
    if not parts.scored:
        message = "the two reports have no case in common that both of them scored"
        return (found("ES764", message, options.candidate_place, hint="compare two runs of the same suite"),)
    left_out = _left_out(base, candidate, ids, parts)
    return _comparison(parts, options, left_out, tuple(differing.values()))


def _comparison(
    parts: Parts, options: CompareOptions, left_out: LeftOut, allowed: tuple[Difference, ...]
) -> Comparison:
    worse, better = parts.turned()
    overall = change(parts, parts.base_values.cases, parts.candidate_values.cases, options.resamples)
    limits = parts.limits(overall.interval, len(worse), len(better))
    verdict, reason = _verdict(limits, options.margin, len(parts.scored), left_out)
    grave = {row.case_id for row in parts.candidate.rows if row.blocking or row.severity == "critical"}
    return Comparison(
        base=_side(parts.base),
        candidate=_side(parts.candidate),
        allowed=allowed,
        notes=_notes(parts, bool(allowed)),
        cases=len(parts.scored),
        left_out=left_out,
        overall=overall,
        mcnemar=_test(len(worse), len(better)) if parts.single else None,
        margin=options.margin,
        verdict=verdict,
        reason=reason,
        smallest_detectable=parts.detectable(len(worse) + len(better)),
        by_check=parts.by_check(),
        by_metric=parts.by_metric(),
        by_slice=parts.by_slice(),
        newly_failing=worse,
        newly_passing=better,
        newly_failing_blocking=tuple(case for case in worse if case in grave),
        seed=options.seed,
        resamples=options.resamples,
        extra=_temperatures(parts.base, parts.candidate),
    )


def _options(options: CompareOptions) -> Diagnostics:
    known = get_args(Allowed)
    out = [
        found("ES765", f"{name!r} is nothing that may be allowed to differ", Place("--allow"), hint=", ".join(known))
        for name in options.allow
        if name not in known
    ]
    if not 0 < options.margin < 1:
        out.append(found("ES765", f"a margin of {options.margin:g} is no share between 0 and 1", Place("--margin")))
    if options.resamples < 1:
        out.append(found("ES765", "a bootstrap takes at least one resample", Place("--resamples")))
    return tuple(out)


def _differing(base: Report, candidate: Report) -> dict[str, Difference]:
    """What was asked, judged and set differently, by the name under which it can be allowed."""
    pairs = {
        "suite": (_suite(base), _suite(candidate)),
        "judge": (_judge(base.judge, prompt=False), _judge(candidate.judge, prompt=False)),
        "judge_prompt": (_judge(base.judge, prompt=True), _judge(candidate.judge, prompt=True)),
        "settings": (_settings(base), _settings(candidate)),
    }
    return {
        name: Difference(what=name, base=ours, candidate=theirs)
        for name, (ours, theirs) in pairs.items()
        if ours != theirs
    }


def _suite(report: Report) -> dict[str, Any]:
    return {"set": report.set, "module": report.module, "digest": report.suite_digest}


def _settings(report: Report) -> dict[str, Any]:
    return {name: getattr(report.settings, name) for name in SETTINGS}


def _judge(judge: Mapping[str, Any] | None, *, prompt: bool) -> dict[str, Any] | None:
    """What a report says of its judge's prompt, or of all else; a digest over both says nothing of either."""
    if judge is None:
        return {} if prompt else None
    return {key: value for key, value in judge.items() if ("prompt" in key) is prompt and key != "digest"}


_REFUSED = {
    "suite": ("ES760", "the two reports are of different suites"),
    "judge": ("ES761", "the two reports were judged by different judges"),
    "judge_prompt": ("ES762", "the prompts of the two judges differ"),
    "settings": ("ES763", "the two reports were made with different settings"),
}


def _refusal(name: str, difference: Difference, options: CompareOptions) -> Diagnostic:
    code, message = _REFUSED[name]
    detail = _detail(difference.base, difference.candidate)
    hint = f"run both alike, or allow it with --allow {name}: it is listed in the comparison then"
    return found(code, f"{message}: {detail}", options.candidate_place, hint=hint)


def _detail(base: Any, candidate: Any) -> str:
    if not isinstance(base, dict) or not isinstance(candidate, dict):
        return f"{'one' if base else 'none'} in the base, {'one' if candidate else 'none'} in the candidate"
    names = [name for name in {**base, **candidate} if base.get(name) != candidate.get(name)]
    return "; ".join(f"{name} {_short(base.get(name))} and {_short(candidate.get(name))}" for name in names)


def _short(value: Any) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _left_out(base: Report, candidate: Report, ids: Sequence[str], parts: Parts) -> LeftOut:
    ours, theirs = base.case_digests, candidate.case_digests
    return LeftOut(
        only_base=tuple(case for case in ours if case not in theirs),
        only_candidate=tuple(case for case in theirs if case not in ours),
        changed=tuple(case for case in ours if case in theirs and ours[case] != theirs[case]),
        unscored_base=tuple(case for case in ids if case not in parts.base_values.cases),
        unscored_candidate=tuple(case for case in ids if case not in parts.candidate_values.cases),
    )


def _verdict(
    limits: paired.Limits | None, margin: float, scored: int, left_out: LeftOut
) -> tuple[paired.Standing, str]:
    lost = len({*left_out.unscored_base, *left_out.unscored_candidate})
    if lost > NOT_SCORED * (scored + lost):
        return "undecided", f"{lost} of {scored + lost} cases were not scored in both"
    verdict = paired.standing(limits, margin)
    if limits is None:
        return verdict, "there is no interval: too few clusters of cases"
    return verdict, f"the difference lies from {limits.low:+.4f} to {limits.high:+.4f}, the margin is {margin:g}"


def _temperatures(base: Report, candidate: Report) -> dict[str, Any]:
    if base.settings.temperature == candidate.settings.temperature:
        return {}
    figure = temperature_flips((base, candidate))
    return {"temperature_sensitivity": figure.model_dump(mode="json")} if figure.n or figure.left_out else {}


def _test(worse: int, better: int) -> PairedTest:
    return PairedTest(worse=worse, better=better, p=stats.mcnemar(worse, better))


def _side(report: Report) -> Side:
    return Side(
        set=report.set,
        module=report.module,
        model=report.model,
        prompt_version=report.prompt_version,
        at=report.at,
        runs=report.settings.runs,
        gate=report.gate.verdict,
        passed=report.summary.passed,
        p95_latency_ms=report.latency_p95_ms,
        mean_tokens=report.summary.mean_tokens,
        validator_rejections=report.validator_rejections,
    )


def _notes(parts: Parts, differing: bool) -> tuple[str, ...]:
    base, candidate = parts.base, parts.candidate
    out = [f"the {name} is a draft" for name, side in (("base", base), ("candidate", candidate)) if side.draft]
    if base.settings.runs != candidate.settings.runs:
        out.append(f"{base.settings.runs} runs are compared with {candidate.settings.runs}, by the mean of each case")
    if parts.single and not parts.apart:
        out.append("some cases are linked: the exact test takes them for single ones, the interval does not")
    if (
        not differing
        and base.model == candidate.model
        and base.target == candidate.target
        and base.prompt_version == candidate.prompt_version
    ):
        out.append("both reports name the same target, model and prompt version: unless its code changed, it is chance")
    return tuple(out)
