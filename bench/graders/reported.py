"""Checks on what the target reports beside its text: confidence, latency, abstention. Silence is unscored."""

import math

from evalspec.bench.checks import Abstains, ConfidenceIn, LatencyUnder
from evalspec.bench.graders.finding import Finding, failed, passed, quote, unscored
from evalspec.bench.graders.folding import fold
from evalspec.bench.results import TargetResult


def confidence_in(spec: ConfidenceIn, result: TargetResult) -> Finding:
    """The reported level is one of these, whatever its case."""
    if result.confidence is None or not result.confidence.strip():
        return unscored("confidence not reported")
    if fold(result.confidence) in {fold(level) for level in spec.levels}:
        return passed()
    return failed(f"confidence is {quote(result.confidence)}, not {' or '.join(spec.levels)}")


def latency_under(spec: LatencyUnder, result: TargetResult) -> Finding:
    """The target took at most so many seconds."""
    if result.latency_ms is None:
        return unscored("latency not reported")
    if not math.isfinite(result.latency_ms) or result.latency_ms < 0:
        return unscored(f"a latency of {result.latency_ms} ms is none")
    took = result.latency_ms / 1000
    return passed() if took <= spec.seconds else failed(f"took {took:.3g} s; the limit is {spec.seconds:g} s")


def abstains(spec: Abstains, result: TargetResult) -> Finding:
    """The target says by its own flag that it could not answer, or that it did."""
    if result.abstained is None:
        return unscored("abstention not reported")
    if result.abstained == spec.expected:
        return passed()
    return failed("answered, and should have abstained" if spec.expected else "abstained, and should have answered")
