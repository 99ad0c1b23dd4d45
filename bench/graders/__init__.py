"""Code graders: a check and an answer in, a verdict with its reason out. No model is asked, and nothing is raised.

A grader that reads words by patterns is imported when a check asks for it: compiling them takes longer than grading.
"""

from evalspec.bench.checks import (
    Abstains,
    Check,
    CheckSpec,
    CitationsIn,
    ClaimsCited,
    ConfidenceIn,
    Contained,
    ContainsAll,
    ContainsAny,
    ContainsNone,
    Equals,
    FitsSchema,
    HasMoney,
    HasPercentage,
    JudgedByPolicy,
    JudgedByRubric,
    LatencyUnder,
    MatchesNone,
    MentionsAny,
    NotAbove,
    NotEmpty,
    NumberIs,
    RatedByPeople,
    ToolCalled,
    ToolNotCalled,
    ToolsInOrder,
)
from evalspec.bench.graders import reported, structure, tools
from evalspec.bench.graders.answers import UnfitError, UngradableError, text_of, texts_at, value_at
from evalspec.bench.graders.finding import Finding, failed, quote, unscored
from evalspec.bench.graders.folding import fold
from evalspec.bench.paths import PathError, at
from evalspec.bench.results import CheckResult, TargetResult
from evalspec.bench.suite import Case, Suite

__all__ = ["at", "fold", "grade"]


def grade(check: Check, case: Case, turn: int, result: TargetResult, suite: Suite) -> CheckResult:
    """The verdict of a check on the answer to a turn (counted from 0).

    A check that a judge or people decide is unscored here, and so is one whose grader fails: its reason says why.
    """
    finding = _found(check.spec, case, turn, result, suite)
    return CheckResult(check=check.name, turn=turn, verdict=finding.verdict, reason=finding.reason, metric=check.metric)


def _found(spec: CheckSpec, case: Case, turn: int, result: TargetResult, suite: Suite) -> Finding:
    if result.error is not None:
        return unscored(f"the target gave no answer: {quote(result.error)}")
    try:
        match spec:
            case ToolCalled() | ToolNotCalled() | ToolsInOrder():
                return _of_tools(spec, tools.called(result, suite.tool_names))
            case Contained():
                from evalspec.bench.graders import containment

                return containment.contained(spec, case.turns[turn].input, result)
            case _:
                return _of_answer(spec, result)
    except (UnfitError, PathError) as error:
        return failed(str(error))
    except UngradableError as error:
        return unscored(str(error))
    except Exception as error:  # a grader that fails says nothing of the answer
        return unscored(f"the grader failed: {type(error).__name__}: {quote(error)}")


def _of_tools(spec: ToolCalled | ToolNotCalled | ToolsInOrder, called: tuple[str, ...] | None) -> Finding:
    match spec:
        case ToolCalled():
            return tools.tool_called(spec, called)
        case ToolNotCalled():
            return tools.tool_not_called(spec, called)
        case ToolsInOrder():
            return tools.tools_in_order(spec, called)


def _of_answer(spec: CheckSpec, result: TargetResult) -> Finding:
    match spec:
        case ContainsAll() | ContainsAny() | ContainsNone() | MatchesNone() | MentionsAny():
            finding = _of_words(spec, result)
        case HasMoney() | HasPercentage():
            finding = _of_amounts(spec, text_of(result))
        case NumberIs():
            from evalspec.bench.graders import numbers

            finding = numbers.number_is(spec, value_at(result, spec.path) if spec.path else text_of(result))
        case _:
            finding = _of_structure(spec, result)
    return finding


def _of_words(
    spec: ContainsAll | ContainsAny | ContainsNone | MatchesNone | MentionsAny, result: TargetResult
) -> Finding:
    from evalspec.bench.graders import texts

    match spec:
        case ContainsAll(terms):
            return texts.contains_all(terms, text_of(result))
        case ContainsAny(terms):
            return texts.contains_any(terms, text_of(result))
        case ContainsNone(terms):
            return texts.contains_none(terms, text_of(result))
        case MatchesNone():
            return texts.matches_none(spec, text_of(result))
        case MentionsAny(path, terms):
            return texts.contains_any(terms, texts_at(result, path))


def _of_amounts(spec: HasMoney | HasPercentage, text: str) -> Finding:
    from evalspec.bench.graders import amounts

    money = isinstance(spec, HasMoney)
    return amounts.has_money(spec.expected, text) if money else amounts.has_percentage(spec.expected, text)


def _of_structure(spec: CheckSpec, result: TargetResult) -> Finding:
    match spec:
        case Equals():
            finding = structure.equals(spec, result)
        case FitsSchema():
            finding = structure.fits_schema(spec, result)
        case NotAbove():
            finding = structure.not_above(spec, result)
        case NotEmpty():
            finding = structure.not_empty(spec, result)
        case CitationsIn() | ClaimsCited():
            finding = _of_citations(spec, result)
        case _:
            finding = _of_report(spec, result)
    return finding


def _of_citations(spec: CitationsIn | ClaimsCited, result: TargetResult) -> Finding:
    from evalspec.bench.graders import citations

    if isinstance(spec, CitationsIn):
        return citations.citations_in(spec, result)
    return citations.claims_cited(spec, result)


def _of_report(spec: CheckSpec, result: TargetResult) -> Finding:
    match spec:
        case ConfidenceIn():
            return reported.confidence_in(spec, result)
        case LatencyUnder():
            return reported.latency_under(spec, result)
        case Abstains():
            return reported.abstains(spec, result)
        case JudgedByPolicy() | JudgedByRubric():
            return unscored("not judged")
        case RatedByPeople():
            return unscored("waits for the ratings of people")
        case _:
            return unscored(f"there is no grader for {type(spec).__name__}")
