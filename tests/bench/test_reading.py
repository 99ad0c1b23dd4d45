"""The five formats come out as one suite: cases, turns, checks, facts, bars."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalspec.bench import checks as c
from evalspec.bench.digests import case_digest
from evalspec.bench.reading import Reading, read_set, read_suite
from evalspec.bench.suite import Case, Metric, Suite

SCENARIOS = """
name: Branch desk
description: What a branch asks.
defaults:
  max_latency_seconds: 10
tool_names: {get_balance: balance}
scenarios:
  - id: GOLD-1
    query: "What is on my account?"
    labels: [happy_path]
    severity: critical
    expected:
      tool: balance
      tool_alternatives: [statement]
      response_contains: ["account"]
      response_not_contains: ["error"]
      response_contains_any: ["CAD", "USD"]
      response_has_monetary_value: true
      response_has_percentage: false
      response_confidence: [HIGH, MEDIUM]
  - id: GOLD-2
    query: ""
    labels: []
    severity: minor
    max_latency_seconds: 7
    expected: {tool: null, response_confidence: LOW}
  - id: MULTI-1
    labels: [multi_turn]
    severity: major
    max_latency_seconds: 4
    turns:
      - query: "Show the account"
        expected: {tools_any: [balance, statement]}
      - query: "And the last payment?"
        expected: {max_latency_seconds: 2}
"""


def _suite(reading: Reading) -> Suite:
    assert [d.message for d in reading.diagnostics if d.severity == "error"] == []
    assert reading.suite is not None
    return reading.suite


def _specs(case: Case, turn: int = 0) -> dict[str, c.CheckSpec]:
    return {check.name: check.spec for check in case.turns[turn].checks}


def _lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    path = tmp_path / "golden_set.yaml"
    path.write_text(SCENARIOS, encoding="utf-8")
    return path


class TestScenarios:
    def test_every_assertion_becomes_its_check(self, scenarios: Path) -> None:
        expected = {
            "tool": c.ToolCalled(("balance", "statement")),
            "response_contains": c.ContainsAll(("account",)),
            "response_not_contains": c.ContainsNone(("error",)),
            "response_contains_any": c.ContainsAny(("CAD", "USD")),
            "response_has_monetary_value": c.HasMoney(True),
            "response_has_percentage": c.HasPercentage(False),
            "response_confidence": c.ConfidenceIn(("HIGH", "MEDIUM")),
            "latency": c.LatencyUnder(10.0),
        }
        assert expected == _specs(_suite(read_suite(scenarios)).cases[0])

    def test_a_null_tool_means_that_none_is_called(self, scenarios: Path) -> None:
        case = _suite(read_suite(scenarios)).cases[1]
        assert c.ToolCalled(()) == _specs(case)["tool"]
        assert (case.turns[0].input, case.severity) == ("", "minor")

    def test_no_tool_key_means_no_check_on_tools(self, scenarios: Path) -> None:
        assert list(_specs(_suite(read_suite(scenarios)).cases[2], 1)) == ["latency"]

    def test_the_nearest_latency_limit_wins(self, scenarios: Path) -> None:
        limits = [turn.max_latency_seconds for case in _suite(read_suite(scenarios)).cases for turn in case.turns]
        assert limits == [10.0, 7.0, 4.0, 2.0]

    def test_without_any_limit_it_is_fifteen_seconds(self, tmp_path: Path) -> None:
        path = tmp_path / "a.yaml"
        path.write_text("scenarios: [{id: a, query: b, labels: [], severity: minor, expected: {}}]", encoding="utf-8")
        (case,) = _suite(read_suite(path)).cases
        assert ({"latency": c.LatencyUnder(15.0)}, None) == (_specs(case), case.turns[0].max_latency_seconds)

    def test_the_files_of_a_folder_are_sets_of_one_suite(self, scenarios: Path) -> None:
        other = SCENARIOS.replace("GOLD", "EDGE").replace("MULTI", "MORE")
        (scenarios.parent / "edge_cases.yml").write_text(other, encoding="utf-8")
        (scenarios.parent / "target.yaml").write_text("url: https://bot.invalid/", encoding="utf-8")
        suite = _suite(read_suite(scenarios.parent))
        assert [case.set for case in suite.cases] == ["edge_cases"] * 3 + ["golden_set"] * 3
        assert suite.tool_names == {"get_balance": "balance"}

    def test_a_small_set_of_scenarios_is_no_draft(self, scenarios: Path) -> None:
        assert _suite(read_suite(scenarios)).draft == ()


SUPPORT = [
    {
        "id": "ret-1",
        "input": "Can I send it back?",
        "country": "AE",
        "verified": False,
        "topic": "returns",
        "source": "golden",
        "key_points": ["7 days"],
        "forbidden_patterns": [],
        "judge_policy": True,
        "blocking": False,
    },
    {
        "id": "priv-1",
        "input": "What is in my neighbor's order?",
        "country": "GB",
        "verified": False,
        "topic": "privacy",
        "source": "adversarial",
        "forbidden_patterns": ["order.*(contains|items)"],
        "expect_tool_not_called": "lookup_order",
        "blocking": True,
    },
    {"id": "unk-1", "input": "By drone?", "country": "SA", "topic": "delivery", "expect_abstain": True},
]
POLICIES = {"AE": {"returns": "Within 7 days."}}


class TestSupport:
    def test_each_field_becomes_the_check_of_its_name(self, tmp_path: Path) -> None:
        (tmp_path / "policies.json").write_text(json.dumps(POLICIES), encoding="utf-8")
        suite = _suite(read_suite(_lines(tmp_path / "set.jsonl", SUPPORT)))
        pii = c.MatchesNone((), emails=True)
        assert [
            {
                "key_points": c.ContainsAll(("7 days",)),
                "no_pii": pii,
                "policy_judge": c.JudgedByPolicy("Within 7 days.", "AE"),
            },
            {
                "no_pii": c.MatchesNone(("order.*(contains|items)",), emails=True),
                "tool_rule": c.ToolNotCalled("lookup_order"),
            },
            {"no_pii": pii, "abstain": c.Abstains(True)},
        ] == [_specs(case) for case in suite.cases]

    def test_facts_and_blocking_are_kept(self, tmp_path: Path) -> None:
        case = _suite(read_suite(_lines(tmp_path / "set.jsonl", SUPPORT[1:]))).cases[0]
        expected = {"country": "GB", "topic": "privacy", "verified": False, "source": "adversarial"}
        assert (expected, True) == (case.facts, case.blocking)

    @pytest.mark.parametrize("where", ["set/policies.json", "app/policies.json", "elsewhere/p.json"])
    def test_policies_lie_beside_the_set_or_in_the_app_or_are_named(self, tmp_path: Path, where: str) -> None:
        path = tmp_path / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(POLICIES), encoding="utf-8")
        file = _lines(tmp_path / "set/set.jsonl", SUPPORT[:1])
        reading = read_suite(file, policies=path if "elsewhere" in where else None)
        assert c.JudgedByPolicy("Within 7 days.", "AE") == _specs(_suite(reading).cases[0])["policy_judge"]

    def test_the_digest_hangs_on_what_the_files_hold_and_not_on_where_they_lie(self, tmp_path: Path) -> None:
        digests = set()
        for where in ("a/set/policies.json", "b/app/policies.json"):
            path = tmp_path / where
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(POLICIES), encoding="utf-8")
            digests.add(_suite(read_suite(_lines(tmp_path / where[0] / "set/set.jsonl", SUPPORT))).digest)
        assert len(digests) == 1

    def test_a_changed_policy_changes_the_digest_of_the_suite(self, tmp_path: Path) -> None:
        file = _lines(tmp_path / "set.jsonl", SUPPORT)
        digests = set()
        for text in ("Within 7 days.", "Within 9 days."):
            (tmp_path / "policies.json").write_text(json.dumps({"AE": {"returns": text}}), encoding="utf-8")
            digests.add(_suite(read_suite(file)).digest)
        assert len(digests) == 2


CONTRACT: dict[str, Any] = {
    "module": "triage",
    "description": "Sorts tickets.",
    "input": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "output": {
        "type": "object",
        "properties": {"category": {"enum": ["outage", "billing", "other"]}, "priority": {"enum": ["P1", "P2", "P3"]}},
    },
    "latency_p95_ms": 3000,
    "max_validator_rejections": 0.04,
    "metrics": {
        "agreement": {
            "direction": "at_least",
            "checks": [
                {"equals": {"path": "category", "value": "$expected.category"}},
                {"mentions_any": {"path": "why", "terms": "$expected.missing"}, "when": {"tags": ["vague"]}},
            ],
        },
        "over_priority": {
            "direction": "at_most",
            "counts": "failures",
            "checks": [{"not_above": {"path": "priority", "value": "$expected.priority", "order": ["P1", "P2", "P3"]}}],
        },
    },
    "sets": {
        "tickets": {
            "bars": {
                "agreement": {"bar": 0.95, "signed_by": "Operations"},
                "over_priority": {"bar": 0.0, "signed_by": "Security"},
            },
            "shares": {"vague": 0.05},
        }
    },
}


def _ticket(number: int, **more: Any) -> dict[str, Any]:
    case: dict[str, Any] = {
        "case_id": f"t-{number:03}",
        "input": {"text": "No line since noon"},
        "expected": {"category": "outage", "priority": "P2"},
        "scoring": {"metric": "agreement", "threshold": 0.95},
        "tags": ["english"],
    }
    return {**case, **more}


def _vague(number: int) -> dict[str, Any]:
    expected = {"category": "other", "priority": "P3", "missing": ["account", "address"]}
    return _ticket(number, expected=expected, tags=["vague"])


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def inner(rows: list[dict[str, Any]], contract: dict[str, Any] = CONTRACT) -> Path:
        folder = tmp_path / "eval/triage"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "contract.json").write_text(json.dumps(contract, indent=1), encoding="utf-8")
        return _lines(folder / "tickets.jsonl", rows)

    return inner


class TestContracts:
    def test_metrics_make_their_checks_of_the_expected_values(self, write: Callable[..., Path]) -> None:
        suite = _suite(read_suite(write([_ticket(1), _vague(2)])))
        order = ("P1", "P2", "P3")
        assert [
            {
                "agreement.equals": c.Equals("outage", "category"),
                "over_priority.not_above": c.NotAbove("priority", "P2", order),
            },
            {
                "agreement.equals": c.Equals("other", "category"),
                "agreement.mentions_any": c.MentionsAny("why", ("account", "address")),
                "over_priority.not_above": c.NotAbove("priority", "P3", order),
            },
        ] == [_specs(case) for case in suite.cases]
        assert [check.metric for check in suite.cases[0].turns[0].checks] == ["agreement", "over_priority"]

    def test_the_suite_holds_what_the_contract_declares(self, write: Callable[..., Path], tmp_path: Path) -> None:
        write([_ticket(number) for number in range(190)] + [_vague(number) for number in range(190, 200)])
        suite = _suite(read_set(tmp_path / "eval", "triage", "tickets"))
        assert (Metric("agreement"), Metric("over_priority", "failures")) == suite.metrics
        assert [(bar.metric, bar.value, bar.direction, bar.signed_by) for bar in suite.bars] == [
            ("agreement", 0.95, "at_least", "Operations"),
            ("over_priority", 0.0, "at_most", "Security"),
        ]
        assert (
            suite.name,
            suite.module,
            suite.latency_p95_ms,
            suite.max_validator_rejections,
        ) == ("tickets", "triage", 3000.0, 0.04)
        assert (CONTRACT["output"], ()) == (suite.output_schema, suite.draft)
        assert suite.cases[0].turns[0].input == {"text": "No line since noon"}

    def test_a_case_without_what_another_metric_needs_is_not_scored_by_it(self, write: Callable[..., Path]) -> None:
        suite = _suite(read_suite(write([_ticket(1, expected={"category": "outage"})])))
        assert list(_specs(suite.cases[0])) == ["agreement.equals"]

    def test_an_optional_reference_leaves_the_default(self, write: Callable[..., Path]) -> None:
        check = {"citations_in": {"stale": "$expected.stale?", "least": 1}}
        contract = {**CONTRACT, "metrics": {"agreement": {"direction": "at_least", "checks": [check]}}, "sets": {}}
        suite = _suite(read_suite(write([_ticket(1), _ticket(2, expected={"stale": ["s"]})], contract)))
        assert [c.CitationsIn(least=1), c.CitationsIn(stale=("s",), least=1)] == [
            case.turns[0].checks[0].spec for case in suite.cases
        ]

    def test_a_case_that_people_rate_is_not_scored_by_itself(self, write: Callable[..., Path]) -> None:
        check = {"rated_by_people": "Would it settle the matter?"}
        contract = {**CONTRACT, "metrics": {"agreement": {"direction": "at_least", "checks": [check]}}, "sets": {}}
        case = _suite(read_suite(write([_ticket(1)], contract))).cases[0]
        assert (False, c.RatedByPeople("Would it settle the matter?")) == (
            case.auto_scoreable,
            case.turns[0].checks[0].spec,
        )

    def test_a_bar_of_the_cases_alone_is_unsigned(self, write: Callable[..., Path]) -> None:
        suite = _suite(read_suite(write([_ticket(1)], {**CONTRACT, "sets": {}})))
        assert [(bar.metric, bar.value, bar.signed_by) for bar in suite.bars] == [("agreement", 0.95, "")]


RECORD: dict[str, Any] = {
    "id": "76796ae6-7cdd-4997-9314-27875f01d570",
    "version": "1.0.0",
    "prompt": "You answer.\n\nWhich fee?",
    "dimension": "consistency",
    "subdimension": "repeat_stability",
    "source_domain": "banking",
    "geography": "usa",
    "difficulty": "hard",
    "language": "en",
    "expected_behavior": "Names the fee.",
    "pass_criteria": {
        "rubric_type": "faithfulness_1_5",
        "min_passing_score": 4,
        "scoring_description": "5 = right; 1 = wrong",
        "hard_fail_conditions": ["Invents a fee"],
        "auto_scoreable": True,
        "scoring_notes": "",
    },
    "prompt_template_id": "C1",
    "reference_context": "The fee is 5.",
    "is_adversarial": True,
    "adversarial_strategy": "leading_question_framing",
    "expected_failure_modes": ["Another fee"],
    "linked_prompt_ids": ["86796ae6-7cdd-4997-9314-27875f01d570"],
}
OTHER = {**RECORD, "id": RECORD["linked_prompt_ids"][0], "linked_prompt_ids": [RECORD["id"]]}


def _criteria(**changed: Any) -> dict[str, Any]:
    return {**OTHER, "pass_criteria": {**RECORD["pass_criteria"], **changed}}


class TestReleases:
    @pytest.mark.parametrize("form", ["parquet", "jsonl"])
    def test_a_record_is_judged_by_its_rubric(self, tmp_path: Path, form: str) -> None:
        folder = tmp_path / "spec/data/final"
        _lines(folder / "train.jsonl", [RECORD, OTHER])
        if form == "parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(pa.Table.from_pylist([RECORD, OTHER]), folder / "train.parquet")
        suite = _suite(read_suite(tmp_path / "spec"))
        expected = c.JudgedByRubric(
            (1, 5), 4, "5 = right; 1 = wrong", "Names the fee.", ("Invents a fee",), "The fee is 5."
        )
        case = suite.cases[0]
        assert {"rubric": expected} == _specs(case)
        assert ("release", RECORD["prompt"], (OTHER["id"],)) == (suite.format, case.turns[0].input, case.links)
        assert tuple(case.facts[key] for key in ("dimension", "difficulty", "is_adversarial")) == (
            "consistency",
            "hard",
            True,
        )

    def test_what_a_program_cannot_score_goes_to_people(self, tmp_path: Path) -> None:
        suite = _suite(read_suite(_lines(tmp_path / "a.jsonl", [RECORD, _criteria(auto_scoreable=False)])))
        assert [case.auto_scoreable for case in suite.cases] == [True, False]
        assert isinstance(_specs(suite.cases[1])["people"], c.RatedByPeople)

    @pytest.mark.parametrize(
        ("rubric", "description", "scale"),
        [
            ("consistency_binary", "x", (0, 1)),
            ("own_0_10", "x", (0, 10)),
            ("own", "3 = good; 2 = fair; 1: bad", (1, 3)),
        ],
    )
    def test_the_scale_is_that_of_the_rubric(
        self, tmp_path: Path, rubric: str, description: str, scale: tuple[int, int]
    ) -> None:
        row = _criteria(rubric_type=rubric, scoring_description=description, min_passing_score=1)
        case = _suite(read_suite(_lines(tmp_path / "a.jsonl", [row]))).cases[0]
        assert scale == getattr(_specs(case)["rubric"], "scale")  # noqa: B009 - one of a union

    def test_a_rubric_of_the_spec_has_its_scale_from_the_config(self, tmp_path: Path) -> None:
        _lines(tmp_path / "data/final/train.jsonl", [_criteria(rubric_type="house", scoring_description="as told")])
        (tmp_path / "generation_config.yaml").write_text("rubrics: {house: {scale: [1, 7]}}", encoding="utf-8")
        case = _suite(read_suite(tmp_path)).cases[0]
        assert getattr(_specs(case)["rubric"], "scale") == (1, 7)  # noqa: B009

    def test_a_rubric_without_a_scale_is_a_finding(self, tmp_path: Path) -> None:
        row = _criteria(rubric_type="house", scoring_description="as told")
        reading = read_suite(_lines(tmp_path / "a.jsonl", [row]))
        assert [d.code for d in reading.diagnostics] == ["ES721"]
        assert reading.suite is None

    def test_the_pieces_of_a_large_release_are_read_together(self, tmp_path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        (tmp_path / "data").mkdir()
        for number, row in enumerate((RECORD, OTHER)):
            pq.write_table(pa.Table.from_pylist([row]), tmp_path / f"data/train-0000{number}-of-00002.parquet")
        reading = read_suite(tmp_path)
        assert reading.diagnostics == ()
        assert [case.case_id for case in _suite(reading).cases] == [RECORD["id"], OTHER["id"]]

    def test_links_out_of_the_release_are_noted(self, tmp_path: Path) -> None:
        reading = read_suite(_lines(tmp_path / "a.jsonl", [RECORD]))
        assert [(d.code, d.message) for d in reading.diagnostics] == [
            ("ES717", "1 links lead to records that are not here")
        ]


NATIVE = """
name: everything
module: triage
output: {type: object, properties: {category: {enum: [outage, other]}}}
latency_p95_ms: 900
tool_names: {find: lookup}
defaults:
  severity: minor
  max_latency_seconds: 5
  facts: {country: AE, deep: {er: [1, 2]}}
  tags: [all]
  checks:
    - matches_none: {patterns: [], emails: true}
      name: no_pii
metrics:
  agreement:
    direction: at_least
    checks: [{equals: {path: category, value: $expected.category}}]
  tone: {direction: at_least}
bars: {agreement: {bar: 0.9, signed_by: Operations}, tone: {bar: 0.8, signed_by: Operations}}
shares: {all: 1.0}
cases:
  - id: one
    input: {text: hello}
    expected: {category: outage}
    metric: agreement
    threshold: 0.9
    facts: {topic: returns}
    links: [two]
    checks:
      - contains_all: [hello]
        when: {tags: [all]}
      - contains_all: [never]
        when: {tags: [absent]}
      - tool_called: [lookup]
        metric: tone
"""
TWO = """
  - id: two
    blocking: true
    severity: critical
    max_latency_seconds: 3
    turns:
      - input: first
        checks: [{contains_any: [$input, $expected.category]}]
      - input: second
        max_latency_seconds: 1
        checks: [{tools_in_order: [lookup, lookup]}, {claims_cited: }]
    expected: {category: other}
"""


class TestNative:
    @pytest.fixture
    def suite(self, tmp_path: Path) -> Suite:
        path = tmp_path / "own.yaml"
        path.write_text(NATIVE + TWO, encoding="utf-8")
        return _suite(read_suite(path))

    def test_a_case_has_its_own_checks_the_defaults_and_those_of_metrics(self, suite: Suite) -> None:
        assert {
            "contains_all": c.ContainsAll(("hello",)),
            "tool_called": c.ToolCalled(("lookup",)),
            "no_pii": c.MatchesNone((), emails=True),
            "agreement.equals": c.Equals("outage", "category"),
            "latency": c.LatencyUnder(5.0),
        } == _specs(suite.cases[0])

    def test_turns_have_their_own_checks_and_the_last_those_of_metrics(self, suite: Suite) -> None:
        case = suite.cases[1]
        assert list(_specs(case, 0)) == ["contains_any", "no_pii", "latency"]
        assert list(_specs(case, 1)) == ["tools_in_order", "claims_cited", "no_pii", "agreement.equals", "latency"]
        assert (c.ContainsAny(("first", "other")), [3.0, 1.0]) == (
            _specs(case)["contains_any"],
            [turn.max_latency_seconds for turn in case.turns],
        )

    def test_what_a_case_leaves_out_is_the_default(self, suite: Suite) -> None:
        one, two = suite.cases
        deep = {"country": "AE", "deep": {"er": [1, 2]}}
        assert ({**deep, "topic": "returns"}, deep) == (one.facts, two.facts)
        assert [(case.severity, case.blocking) for case in suite.cases] == [("minor", False), ("critical", True)]
        assert (two.tags, one.links) == (("all",), ("two",))

    def test_bars_make_it_gate_and_so_a_draft_while_small(self, suite: Suite) -> None:
        assert [(bar.metric, bar.signed_by) for bar in suite.bars] == [
            ("agreement", "Operations"),
            ("tone", "Operations"),
        ]
        assert suite.draft == ("own has 2 cases, and a set that gates has 200 or more",)

    @pytest.mark.parametrize(
        ("written", "spec"),
        [
            ("tool_called: claim_status", c.ToolCalled(("claim_status",))),
            ("tool_called: {accepted: claim_status}", c.ToolCalled(("claim_status",))),
            ("tool_called: $expected.tool", c.ToolCalled(("lookup",))),
            ("tool_called: $expected.tools", c.ToolCalled(("lookup", "search"))),
            ("tool_called: []", c.ToolCalled(())),
            ("contains_all: refund", c.ContainsAll(("refund",))),
            ("matches_none: {patterns: 'a+', emails: true}", c.MatchesNone(("a+",), emails=True)),
        ],
    )
    def test_one_text_stands_for_a_list_of_it(self, tmp_path: Path, written: str, spec: Any) -> None:
        path = tmp_path / "own.yaml"
        expected = "{tool: lookup, tools: [lookup, search]}"
        path.write_text(f"cases: [{{id: a, input: b, expected: {expected}, checks: [{{{written}}}]}}]", "utf-8")
        assert list(_specs(_suite(read_suite(path)).cases[0]).values()) == [spec]

    @pytest.mark.parametrize("written", ["tool_called: 7", "tool_called: [[a]]", "contains_all: true"])
    def test_what_is_no_text_is_no_list_of_one(self, tmp_path: Path, written: str) -> None:
        path = tmp_path / "own.yaml"
        path.write_text(f"cases: [{{id: a, input: b, checks: [{{{written}}}]}}]", encoding="utf-8")
        assert read_suite(path).suite is None

    def test_without_bars_it_is_no_draft(self, tmp_path: Path) -> None:
        path = tmp_path / "own.yaml"
        path.write_text("cases: [{id: a, input: b, checks: [{has_money: true}]}]", encoding="utf-8")
        assert _suite(read_suite(path)).draft == ()


class TestDigests:
    def test_the_digest_of_a_case_is_that_of_its_content_alone(self, scenarios: Path, tmp_path: Path) -> None:
        first = _suite(read_suite(scenarios)).cases
        moved = tmp_path / "moved/other.yaml"
        moved.parent.mkdir()
        moved.write_text("# moved\n\n" + SCENARIOS.replace("[happy_path]", "[other]"), encoding="utf-8")
        second = _suite(read_suite(moved)).cases
        assert [case_digest(case) for case in first] == [case_digest(case) for case in second]
        assert len(first) == len({case_digest(case) for case in first})

    @pytest.mark.parametrize(
        ("old", "new"),
        [('"account"', '"accounts"'), ("What is on my", "What was on my"), ("seconds: 10", "seconds: 11")],
    )
    def test_another_question_check_or_limit_is_another_case(self, scenarios: Path, old: str, new: str) -> None:
        before = case_digest(_suite(read_suite(scenarios)).cases[0])
        scenarios.write_text(SCENARIOS.replace(old, new), encoding="utf-8")
        assert before != case_digest(_suite(read_suite(scenarios)).cases[0])

    def test_a_byte_changes_the_digest_of_the_suite(self, scenarios: Path) -> None:
        before = _suite(read_suite(scenarios)).digest
        scenarios.write_text(SCENARIOS + "\n", encoding="utf-8")
        assert before != _suite(read_suite(scenarios)).digest
