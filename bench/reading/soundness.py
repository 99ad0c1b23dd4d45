"""What makes a check unusable though its arguments are of the right types: regexes, scales, shares, orders, schemas."""

from collections.abc import Iterator

from evalspec.bench import checks as c
from evalspec.bench.checks import CheckSpec
from evalspec.bench.patterns import PatternError, compiled
from evalspec.bench.reading.schemas import schema_fault
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.spec.dataclass import dataclass
from evalspec.spec.source import YamlPath


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a check, before it has a place."""

    code: str
    message: str
    hint: str = ""


def spec_faults(spec: CheckSpec) -> Iterator[tuple[YamlPath, Fault]]:  # noqa: PLR0912 - one case a check
    """The faults of a check by the path of the argument."""
    match spec:
        case c.MatchesNone(patterns):
            for index, pattern in enumerate(patterns):
                if fault := pattern_fault(pattern):
                    yield ("patterns", index), fault
        case c.ContainsAll(terms) | c.ContainsNone(terms) | c.ContainsAny(terms) | c.MentionsAny(_, terms):
            yield from _terms(spec, terms)
        case c.LatencyUnder(seconds) if not 0 < seconds < float("inf"):
            yield ("seconds",), Fault("ES105", f"a latency of {seconds:g} seconds can never be kept")
        case c.NotAbove(_, value, order):
            yield from _order(value, order)
        case c.FitsSchema(schema):
            if wrong := schema_fault(schema):
                yield ("schema",), Fault("ES715", f"the schema is no JSON Schema: {wrong}")
        case c.Contained(_, _, share) if not 0 < share <= 1:
            yield ("share",), Fault("ES105", f"share is {share:g}; it must be over 0 and at most 1")
        case c.NumberIs(_, tolerance) if not tolerance >= 0:
            yield ("tolerance",), Fault("ES105", f"tolerance is {tolerance:g}; it must be at least 0")
        case c.JudgedByRubric(scale, least):
            yield from _scale(scale, least)
        case c.ConfidenceIn(levels) if not levels:
            yield ("levels",), Fault("ES105", "levels is empty, so no confidence will do")
        case c.CitationsIn(_, _, _, least) if least < 0:
            yield ("least",), Fault("ES105", f"least is {least}; it must be at least 0")


def pattern_fault(pattern: str) -> Fault | None:
    """What keeps a regex from being used."""
    try:
        compiled(pattern)
    except PatternError as error:
        at = f" (at character {error.at + 1})" if error.at is not None else ""
        shown = pattern if len(pattern) <= 60 else pattern[:57] + "..."
        return Fault("ES707", f"the pattern {shown!r} {error.message}{at}", error.hint)
    return None


def _terms(spec: CheckSpec, terms: tuple[str, ...]) -> Iterator[tuple[YamlPath, Fault]]:
    if not terms and not isinstance(spec, c.ContainsAll | c.ContainsNone):
        yield ("terms",), Fault("ES105", "terms is empty, so no answer can mention one of them")
    for index, term in enumerate(terms):
        if not term.strip():
            yield ("terms", index), Fault("ES105", f"terms[{index}] is blank: it says nothing of an answer")


def _order(value: str, order: tuple[str, ...]) -> Iterator[tuple[YamlPath, Fault]]:
    if len(set(order)) != len(order) or len(order) < 2:
        yield ("order",), Fault("ES105", "order must name two or more values, each once")
    elif value not in order:
        near = nearest(value, order)
        hint = f"did you mean {near}?" if near else f"the order is {', '.join(order)}"
        yield ("value",), Fault("ES708", f"{value} does not stand in the order", hint)


def _scale(scale: tuple[int, int], least: int) -> Iterator[tuple[YamlPath, Fault]]:
    if scale[0] >= scale[1]:
        yield ("scale",), Fault("ES105", f"the scale runs from {scale[0]} to {scale[1]}; write the lower end first")
    elif not scale[0] <= least <= scale[1]:
        message = f"a passing score of {least} is outside the scale of {scale[0]} to {scale[1]}"
        yield ("min_passing_score",), Fault("ES105", message)
