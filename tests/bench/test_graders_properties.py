"""What holds for every check and every answer: a verdict comes back, in time, and the same one again."""

import time
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalspec.bench import checks as c
from evalspec.bench.graders import grade
from evalspec.bench.results import TargetResult, ToolCall
from evalspec.bench.suite import Case, Suite, Turn
from evalspec.spec.source import Place

PLACE = Place("suite.yaml")
WORDS = st.sampled_from(
    ["answer", "a", "25", "-25", "$5", "12.5%", "[c1]", "(c1)", ".", "। ", "```json\n", '{"a":', "[", "]", "}", "e.g."]
)
TEXTS = st.text(max_size=40) | st.lists(WORDS, max_size=12).map(" ".join)
KEYS = st.sampled_from(["a", "answer", "citations", "chunk_id", "claims", "text", "retrieval_trace"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=12,
)
ROUTES = st.sampled_from(["", "a", "answer", "a.text", "a[*]", "citations[0]", "citations[*].chunk_id", "..", "["])
PATHS = ROUTES | TEXTS
TERMS = st.lists(TEXTS, max_size=3).map(tuple)
REGEXES = st.sampled_from(["a+", "(", "(?:a|b)*c", r"\d{2}", "\\"])
PATTERNS = st.lists(REGEXES | st.text(max_size=8), max_size=2).map(tuple)
SCHEMAS = st.sampled_from([{}, {"type": "object"}, {"type": 5}, {"minimum": "x"}, {"properties": 3}, {"pattern": "("}])
NUMBERS = st.floats() | st.integers()
STRATEGIES: dict[type, st.SearchStrategy[Any]] = {
    c.ToolCalled: st.builds(c.ToolCalled, TERMS),
    c.ToolNotCalled: st.builds(c.ToolNotCalled, TEXTS),
    c.ToolsInOrder: st.builds(c.ToolsInOrder, TERMS),
    c.ContainsAll: st.builds(c.ContainsAll, TERMS),
    c.ContainsAny: st.builds(c.ContainsAny, TERMS),
    c.ContainsNone: st.builds(c.ContainsNone, TERMS),
    c.MatchesNone: st.builds(c.MatchesNone, PATTERNS, st.booleans()),
    c.HasMoney: st.builds(c.HasMoney, st.booleans()),
    c.HasPercentage: st.builds(c.HasPercentage, st.booleans()),
    c.ConfidenceIn: st.builds(c.ConfidenceIn, TERMS),
    c.LatencyUnder: st.builds(c.LatencyUnder, NUMBERS),
    c.Abstains: st.builds(c.Abstains, st.booleans()),
    c.Equals: st.builds(c.Equals, JSON, PATHS, st.booleans()),
    c.NumberIs: st.builds(c.NumberIs, NUMBERS, NUMBERS, PATHS, st.booleans()),
    c.FitsSchema: st.builds(c.FitsSchema, SCHEMAS),
    c.MentionsAny: st.builds(c.MentionsAny, PATHS, TERMS),
    c.NotAbove: st.builds(c.NotAbove, PATHS, TEXTS, TERMS),
    c.CitationsIn: st.builds(c.CitationsIn, PATHS, TERMS, TERMS, st.integers(0, 3)),
    c.ClaimsCited: st.builds(c.ClaimsCited, PATHS, PATHS, TEXTS),
    c.Contained: st.builds(c.Contained, st.lists(PATHS, max_size=2).map(tuple), PATHS, st.floats(0, 1)),
    c.NotEmpty: st.builds(c.NotEmpty, PATHS, st.booleans()),
    c.JudgedByPolicy: st.builds(c.JudgedByPolicy, TEXTS),
    c.JudgedByRubric: st.builds(c.JudgedByRubric, st.just((1, 5)), st.just(4), TEXTS, TEXTS),
    c.RatedByPeople: st.builds(c.RatedByPeople, TEXTS),
}
SPECS = st.one_of(*STRATEGIES.values())
RESULTS = st.builds(
    TargetResult,
    text=TEXTS,
    output=JSON,
    tool_calls=st.none() | st.lists(st.builds(ToolCall, name=TEXTS), max_size=3).map(tuple),
    retrieved_ids=st.none() | st.lists(TEXTS, max_size=3).map(tuple),
    confidence=st.none() | TEXTS,
    abstained=st.none() | st.booleans(),
    latency_ms=st.none() | st.floats(),
    error=st.none() | TEXTS,
)


def _suite(case: Case) -> Suite:
    return Suite("s", None, "native", (case,), "0", PLACE)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(spec=SPECS, result=RESULTS, given_input=JSON)
def test_a_grader_never_raises_and_says_the_same_twice(
    spec: c.CheckSpec, result: TargetResult, given_input: Any
) -> None:
    check = c.Check("check", spec)
    case = Case("one", (Turn(given_input, (check,)),), PLACE, "set")
    found = grade(check, case, 0, result, _suite(case))
    assert found.verdict == "pass" or found.reason
    assert found == grade(check, case, 0, result, _suite(case))
    assert len(found.reason) < 1000


def test_every_check_has_a_strategy_above() -> None:
    assert set(STRATEGIES) == set(get_args(c.CheckSpec))


def test_five_hundred_cases_of_five_checks_are_graded_in_half_a_second() -> None:
    text = "Your portfolio is worth $1,234.50, up 12.5 percent since March. Der Betrag ist über 5 € höher. " * 6
    specs = (
        c.ContainsAll(("portfolio", "march")),
        c.HasMoney(True),
        c.HasPercentage(True),
        c.MatchesNone((r"order\s+A-\d+",), emails=True),
        c.Equals("other", "category"),
    )
    checks = tuple(c.Check(f"check {number}", spec) for number, spec in enumerate(specs))
    case = Case("one", (Turn("q", checks),), PLACE, "set")
    suite, result = _suite(case), TargetResult(text=text, output={"category": "other"})
    took = []
    for _ in range(3):
        start = time.process_time()
        found = [grade(check, case, 0, result, suite).verdict for _ in range(500) for check in checks]
        took.append(time.process_time() - start)
        assert found == ["pass"] * 2500
    assert min(took) < 0.5
