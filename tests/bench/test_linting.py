"""What is wrong with a suite, whatever its format: all of it is said in one go, where it stands, with what to write."""

import json
import os
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from evalspec.bench.patterns import MAX_PATTERN, PatternError, compiled, found_in
from evalspec.bench.reading import Reading, read_set, read_suite
from evalspec.bench.reading.schemas import schema_fault
from evalspec.cli.render.text import print_diagnostics

SCENARIO = {"id": "a", "query": "q", "labels": ["x"], "severity": "major", "expected": {"tool": "find"}}


def _rendered(reading: Reading) -> str:
    out = StringIO()
    print_diagnostics(Console(file=out, width=160, color_system=None), reading.diagnostics)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _scenario(folder: Path, **changed: Any) -> Reading:
    """A file of one scenario; YAML is a superset of this JSON."""
    (folder / "s.yaml").write_text(json.dumps({"scenarios": [{**SCENARIO, **changed}]}), encoding="utf-8")
    return read_suite(folder / "s.yaml")


def _support(folder: Path, *rows: dict[str, Any]) -> Reading:
    lines = (json.dumps({"id": f"s-{number}", "input": "x", **row}) for number, row in enumerate(rows))
    (folder / "s.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return read_suite(folder / "s.jsonl")


def _said(reading: Reading) -> list[tuple[str, str]]:
    return [(d.code, d.message) for d in reading.diagnostics]


FAULTY = {
    "golden.yaml": """name: Golden
defalts: {max_latency_seconds: 10}
tool_names: {get: serch}
scenarios:
  - id: 1
    query: Where is it?
    labels: [first, 2]
    severity: blocker
    expected: {tool: null, tool_alternatives: [find], response_contain: [there]}
  - id: twice
    query: 5
    labels: []
    severity: minor
    response_contains: [here]
    expected:
      tool: search
      response_contains: [the Portfolio]
      response_not_contains: [portfolio]
      response_has_percentage: yes
      max_latency_seconds: 0
  - labels: []
    severity: major
    query: beside
    turns:
      - expected: {tools_any: [], response_confidence: [HIGH]}
""",
    "edge.yaml": """scenarios:
  - id: "1"
    query: x
    query: y
    labels: []
    severity: minor
    expected: {}
  - {id: twice, query: x, labels: [], severity: minor, expected: {}}
""",
    "notes.yaml": "todo: write more\n",
    "torn.yaml": "scenarios: [\n",
    "empty.yaml": "scenarios: []\n",
}
FAULTY_LINES = r"""{"id": "a", "input": 5, "country": "AE", "topic": "returns", "judge_policy": true, "key_points": "7"}
{"id": "a", "input": "x", "forbidden_patterns": ["(open", "x*", "ok"], "countri": "AE"}

{"id": 7, "input": "x", "verified": "no", "judge_policy": true}
{"id": "7", "input": "x", "country": "UE", "topic": "returns", "judge_policy": true}
{"id": "e", "input": "x", "country": "AE", "topic": "retuns", "judge_policy": true}
{"id": "f", "input": "x", "key_points": ["order A-1"], "forbidden_patterns": ["a-\\d"]}
{"id": "g", "input": "\d"}
{"id": "h", "input": "x",}
{"id": "i", "input": NaN}
{"id": "j", "input": "x"} {"id": "k", "input": "x"}
["l"]
{"input": "x", "input": "y"}
{"id": "m", "input": "x"""
FAULTY_CONTRACT = {
    "module": "triage",
    "input": {"type": "object", "properties": {"text": {"type": "string"}}},
    "output": {"type": "object", "properties": {"category": {"enum": ["outage", "other"]}}},
    "metrics": {
        "agreement": {
            "direction": "at_least",
            "checks": [
                {"equals": {"path": "category", "value": "$expected.category"}},
                {"equal": {"path": "category", "value": "x"}},
                {"equals": {"path": "category", "valu": "x"}},
                {"equals": {"path": "category", "value": "outtage"}},
            ],
        },
        "bare": {"direction": "at_least", "checks": []},
        "lost": {"direction": "at_most", "checks": [{"mentions_any": ["x"]}]},
        "poison": {
            "direction": "atmost",
            "checks": [{"matches_none": {"patterns": ["("]}, "when": {"tags": ["poison"]}}],
        },
    },
    "sets": {
        "tickets": {
            "bars": {"agreement": {"bar": 0.95}, "agrement": {"bar": 0.9, "signed_by": "A"}, "poison": {"bar": 95}},
            "shares": {"english": 0.6, "bengali": 0.5},
            "metrics": ["agreement", "poison", "missing"],
        }
    },
}
FAULTY_TICKETS = [
    {"case_id": "a", "input": {"text": 3}, "expected": {"category": "outtage"}, "tags": ["english"]},
    {"case_id": "b", "input": {"text": "x"}, "expected": {"categry": "other"}, "scoring": {"metric": "agreement"}},
    {"case_id": "c", "input": {"text": "x"}, "scoring": {"metric": "agrement", "threshold": 0.95}, "tag": ["x"]},
    {
        "case_id": "d",
        "input": {"text": "x"},
        "expected": {"category": "other"},
        "scoring": {"metric": "agreement", "threshold": 0.9},
        "tags": "english",
    },
]


def test_a_folder_of_faulty_scenarios_is_reported_whole(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    for name, text in FAULTY.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    reading = read_suite(tmp_path)
    assert reading.suite is None
    assert _rendered(reading) == snapshot


def test_a_faulty_support_set_is_reported_whole(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    (tmp_path / "set.jsonl").write_text(FAULTY_LINES, encoding="utf-8")
    (tmp_path / "policies.json").write_text('{"AE": {"returns": "7 days"}, "GB": 5}', encoding="utf-8")
    reading = read_suite(tmp_path / "set.jsonl")
    assert reading.suite is None
    assert _rendered(reading) == snapshot


def test_a_faulty_contract_is_reported_whole(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    (tmp_path / "contract.json").write_text(json.dumps(FAULTY_CONTRACT, indent=1), encoding="utf-8")
    rows = "\n".join(json.dumps(row) for row in FAULTY_TICKETS)
    (tmp_path / "tickets.jsonl").write_text(rows, encoding="utf-8")
    reading = read_suite(tmp_path)
    assert reading.suite is None
    assert _rendered(reading) == snapshot


class TestNothingThere:
    def test_a_path_that_is_not_there(self, tmp_path: Path) -> None:
        assert _said(read_suite(tmp_path / "gone")) == [("ES701", f"there is no {tmp_path / 'gone'}")]

    def test_a_file_of_no_known_format_says_what_was_looked_for(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("id,input\n", encoding="utf-8")
        (diagnostic,) = read_suite(tmp_path / "a.csv").diagnostics
        assert diagnostic.message == "a.csv is of no format that bench knows"
        assert "YAML with `scenarios` or `cases`" in diagnostic.hint

    def test_a_folder_without_a_suite_says_what_was_looked_for(self, tmp_path: Path) -> None:
        (diagnostic,) = read_suite(tmp_path).diagnostics
        assert (diagnostic.code, diagnostic.message) == ("ES701", f"{tmp_path} holds no suite")
        assert "JSONL whose lines have `case_id`" in diagnostic.hint

    def test_a_spec_without_a_release_says_how_to_make_one(self, tmp_path: Path) -> None:
        (tmp_path / "generation_config.yaml").write_text("a: 1", encoding="utf-8")
        (diagnostic,) = read_suite(tmp_path).diagnostics
        assert diagnostic.hint == "run `evalspec run` first: the release is made in data/final"

    @pytest.mark.parametrize(
        ("name", "text"), [("s.yaml", "scenarios: []"), ("s.jsonl", "\n\n"), ("n.yaml", "cases: []")]
    )
    def test_an_empty_set(self, tmp_path: Path, name: str, text: str) -> None:
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert _said(read_suite(tmp_path / name)) == [("ES704", f"{name} holds no case")]

    def test_an_empty_file_beside_a_full_one(self, tmp_path: Path) -> None:
        (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
        (tmp_path / "full.jsonl").write_text('{"id": "a", "input": "x"}', encoding="utf-8")
        assert _said(read_suite(tmp_path)) == [("ES704", "empty.jsonl holds no case")]

    def test_yaml_and_jsonl_in_one_folder(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text("{}", encoding="utf-8")
        (tmp_path / "b.yaml").write_text("cases: []", encoding="utf-8")
        assert _said(read_suite(tmp_path)) == [("ES701", f"{tmp_path} holds both YAML and JSONL: b.yaml and a.jsonl")]

    def test_a_set_that_is_not_there_names_the_nearest(self, tmp_path: Path) -> None:
        (tmp_path / "triage").mkdir()
        (tmp_path / "triage/tickets.jsonl").write_text("", encoding="utf-8")
        (tmp_path / "triage/contract.json").write_text("{}", encoding="utf-8")
        near = [read_set(tmp_path, "triag", "tickets"), read_set(tmp_path, "triage", "ticket")]
        assert [reading.diagnostics[0].hint for reading in near] == ["did you mean triage?", "did you mean tickets?"]

    @pytest.mark.parametrize("module", ["..", ".", "", "a/b", "/etc"])
    def test_a_module_is_a_name_and_no_path(self, tmp_path: Path, module: str) -> None:
        assert [d.code for d in read_set(tmp_path, module, "x").diagnostics] == ["ES701"]

    @pytest.mark.parametrize("path", ["x" * 5000, "a\0b"])
    def test_a_name_that_no_file_can_have(self, path: str) -> None:
        assert [d.code for d in read_suite(Path(path)).diagnostics] == ["ES701"]

    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "a.jsonl")
        os.mkfifo(tmp_path / "b.yaml")
        said = [_said(read_suite(tmp_path / name)) for name in ("a.jsonl", "b.yaml")]
        assert said == [[("ES001", "a.jsonl is not a regular file")], [("ES001", "b.yaml is not a regular file")]]

    def test_lines_that_are_no_cases_are_not_reported_one_by_one(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text('{"text": "x"}\n' * 50, encoding="utf-8")
        assert _said(read_suite(tmp_path / "a.jsonl")) == [("ES701", "the lines of a.jsonl are no cases")]

    def test_a_file_that_grew_beyond_the_bounds(self, tmp_path: Path) -> None:
        (tmp_path / "a.yaml").write_text("#" * (4 << 20) + "\ncases: []", encoding="utf-8")
        (tmp_path / "a.jsonl").write_text('{"id": "' + "x" * (8 << 20) + '"}', encoding="utf-8")
        said = [[code for code, _ in _said(read_suite(tmp_path / name))] for name in ("a.yaml", "a.jsonl")]
        assert said == [["ES002"], ["ES702"]]


class TestYaml:
    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("cases: [{id: a, input: !!python/object x}]", "ES006"),
            ("cases: [{id: a, input: x, input: y}]", "ES007"),
            ("cases: [{id: a, input: .inf}]", "ES105"),
            ("a: &a [*a]", "ES005"),
            ("cases: [", "ES004"),
            ("# nothing", "ES008"),
            ("cases: [{id: a, input: no}]", "ES107"),
        ],
    )
    def test_what_yaml_can_hold_and_a_suite_cannot(self, tmp_path: Path, text: str, code: str) -> None:
        (tmp_path / "n.yaml").write_text(text, encoding="utf-8")
        assert code in [d.code for d in read_suite(tmp_path / "n.yaml").diagnostics]

    def test_a_byte_order_mark_and_crlf_are_fine_and_utf_16_is_not(self, tmp_path: Path) -> None:
        text = "cases:\r\n  - id: a\r\n    input: x\r\n    checks: [{has_money: true}]\r\n"
        (tmp_path / "a.yaml").write_bytes(text.encode("utf-8-sig"))
        (tmp_path / "b.yaml").write_bytes(text.encode("utf-16"))
        said = [_said(read_suite(tmp_path / name)) for name in ("a.yaml", "b.yaml")]
        assert said == [[], [("ES003", "b.yaml is UTF-16, not UTF-8")]]

    def test_turns_that_are_nothing_are_no_turns(self, tmp_path: Path) -> None:
        case = {key: value for key, value in SCENARIO.items() if key not in ("query", "expected")}
        (tmp_path / "s.yaml").write_text(json.dumps({"scenarios": [{**case, "turns": None}]}), encoding="utf-8")
        assert [d.code for d in read_suite(tmp_path / "s.yaml").diagnostics] == ["ES102", "ES102"]

    def test_a_metric_that_nothing_declares_is_named_wherever_it_stands(self, tmp_path: Path) -> None:
        check = {"has_money": True, "metric": "gone"}
        case = {"id": "a", "input": "x", "metric": "gone", "checks": [check]}
        (tmp_path / "n.yaml").write_text(json.dumps({"defaults": {"checks": [check]}, "cases": [case]}))
        assert [d.code for d in read_suite(tmp_path / "n.yaml").diagnostics] == ["ES716"] * 3


class TestIds:
    def test_ids_are_unique_across_the_files_of_a_suite(self, tmp_path: Path) -> None:
        for name in ("a.jsonl", "b.jsonl"):
            (tmp_path / name).write_text('{"id": "x", "input": "y"}', encoding="utf-8")
        (diagnostic,) = read_suite(tmp_path).diagnostics
        assert (diagnostic.code, diagnostic.message) == ("ES703", "the id x stands twice")
        assert (diagnostic.place.file, diagnostic.related[0].place.file) == ("b.jsonl", "a.jsonl")

    def test_a_number_and_the_text_of_it_are_one_id(self, tmp_path: Path) -> None:
        messages = [message for code, message in _said(_support(tmp_path, {"id": 1}, {"id": "1"})) if code == "ES703"]
        assert messages == [
            "the id 1 stands twice, once as number and once as text: reports could not tell them apart",
        ]

    def test_an_id_of_a_case_that_is_faulty_otherwise_counts(self, tmp_path: Path) -> None:
        rows = ({"id": "x", "tags": 5}, {"id": "x"})
        assert [code for code, _ in _said(_support(tmp_path, *rows))] == ["ES103", "ES703"]

    @pytest.mark.parametrize("name", ["", " ", " a", "a\nb"])
    def test_an_id_that_a_report_cannot_show_is_refused(self, tmp_path: Path, name: str) -> None:
        assert [code for code, _ in _said(_support(tmp_path, {"id": name}))] == ["ES105"]


class TestPatterns:
    @pytest.mark.parametrize(
        ("pattern", "message"),
        [
            ("(x", "is no regex: missing )"),
            ("*x", "is no regex: nothing to repeat"),
            ("x*", "matches an empty text, so it is found in every answer"),
            ("x" * (MAX_PATTERN + 1), "has 1,001 characters, and at most 1,000 are compiled"),
            ("(a{1,1000}){1,1000}", "repeats something 1,000,000 times, and its time cannot be bounded over 10,000"),
            ("((a{50}){50}){50}", "repeats something 125,000 times, and its time cannot be bounded over 10,000"),
            ("a{1,99999}", "repeats something 99,999 times, and its time cannot be bounded over 10,000"),
        ],
    )
    def test_a_pattern_that_cannot_be_used(self, pattern: str, message: str) -> None:
        with pytest.raises(PatternError) as caught:
            compiled(pattern)
        assert caught.value.message == message

    def test_case_and_line_ends_do_not_matter(self) -> None:
        assert found_in("order.*contains", "The ORDER\nContains") is True
        assert found_in(r"\{99999\}", "x") is False

    def test_a_search_that_would_not_end_is_cut_off(self) -> None:
        assert found_in("(a|a|aa)+$", "a" * 40 + "b") is None


class TestContradictions:
    @pytest.mark.parametrize(
        "expected",
        [
            {"response_contains": ["STRASSE"], "response_not_contains": ["straße"]},
            {"response_contains": ["my portfolio"], "response_not_contains": ["port"]},
            {"response_contains_any": ["a1", "b1"], "response_not_contains": ["a", "b"]},
            {"tool": None, "tools_any": ["find"]},
            {"tool": None, "tool_alternatives": ["find"]},
        ],
    )
    def test_what_no_answer_can_pass(self, tmp_path: Path, expected: dict[str, Any]) -> None:
        assert [d.code for d in _scenario(tmp_path, expected=expected).diagnostics] == ["ES713"]

    @pytest.mark.parametrize(
        "expected",
        [
            {"response_contains": ["port"], "response_not_contains": ["portfolio"]},
            {"response_contains_any": ["a", "b"], "response_not_contains": ["a"]},
            {"tool": "find", "tools_any": ["other"]},
            {"tool": None},
        ],
    )
    def test_what_some_answer_can_pass(self, tmp_path: Path, expected: dict[str, Any]) -> None:
        assert _said(_scenario(tmp_path, expected=expected)) == []

    @pytest.mark.parametrize(
        "checks",
        [
            [{"tool_called": ["f"]}, {"tool_not_called": "f"}],
            [{"tools_in_order": ["f", "g"]}, {"tool_not_called": "g"}],
            [{"has_money": True}, {"has_money": False}],
            [{"abstains": True}, {"abstains": False}],
            [{"equals": {"path": "a", "value": "X"}}, {"equals": {"path": "a", "value": "y"}}],
            [{"number_is": 5}, {"number_is": {"value": 6, "tolerance": 0.5}}],
            [{"confidence_in": ["HIGH"]}, {"confidence_in": ["LOW"]}],
            [{"not_empty": {"path": "a"}}, {"not_empty": {"path": "a", "expected": False}}],
        ],
    )
    def test_the_same_holds_of_lists_of_checks(self, tmp_path: Path, checks: list[Any]) -> None:
        (tmp_path / "n.yaml").write_text(json.dumps({"cases": [{"id": "a", "input": "x", "checks": checks}]}))
        assert [d.code for d in read_suite(tmp_path / "n.yaml").diagnostics] == ["ES713"]


def _contract(folder: Path, rows: list[dict[str, Any]], **entry: Any) -> Reading:
    contract = {
        "module": "m",
        "metrics": {"right": {"direction": "at_least", "checks": [{"equals": {"value": "$expected.a"}}]}},
        "sets": {"set": {"bars": {"right": {"bar": 0.9, "signed_by": "A"}}, **entry}},
    }
    (folder / "contract.json").write_text(json.dumps(contract), encoding="utf-8")
    (folder / "set.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return read_suite(folder)


def _cases(count: int, tagged: int = 0, **more: Any) -> list[dict[str, Any]]:
    return [
        {"case_id": f"c{n}", "input": "x", "expected": {"a": "b"}, "tags": ["x"] if n < tagged else [], **more}
        for n in range(count)
    ]


class TestSets:
    @pytest.mark.parametrize(
        ("count", "tagged", "share", "holds"),
        [
            (200, 100, 0.5, True),
            (200, 104, 0.5, True),
            (200, 105, 0.5, False),
            (200, 95, 0.5, False),
            (20, 9, 0.5, True),
            (20, 8, 0.5, False),
            (3, 0, 0.05, True),
            (3, 0, 0.6, False),
        ],
    )
    def test_a_share_may_be_off_by_two_points_or_one_case(
        self, tmp_path: Path, count: int, tagged: int, share: float, holds: bool
    ) -> None:
        reading = _contract(tmp_path, _cases(count, tagged), shares={"x": share})
        assert holds == all(d.code != "ES710" for d in reading.diagnostics)
        assert holds == all("declares" not in reason for reason in (reading.suite or pytest.fail("none")).draft)

    @pytest.mark.parametrize(
        ("count", "draft"), [(199, ("set has 199 cases, and a set that gates has 200 or more",)), (200, ())]
    )
    def test_fewer_than_200_cases_are_a_draft(self, tmp_path: Path, count: int, draft: tuple[str, ...]) -> None:
        reading = _contract(tmp_path, _cases(count))
        assert reading.suite is not None
        assert reading.suite.draft == draft

    def test_a_bar_that_nobody_signed_is_a_draft(self, tmp_path: Path) -> None:
        reading = _contract(tmp_path, _cases(200), bars={"right": {"bar": 0.9, "signed_by": " "}})
        assert reading.suite is not None
        assert reading.suite.draft == ("nobody signed the bar of right in set",)

    def test_a_metric_without_a_bar_is_a_draft(self, tmp_path: Path) -> None:
        reading = _contract(tmp_path, _cases(200), bars={})
        assert reading.suite is not None
        assert reading.suite.draft == ("the metric right has no bar in set",)

    def test_a_threshold_that_is_not_the_bar(self, tmp_path: Path) -> None:
        reading = _contract(tmp_path, _cases(3, scoring={"metric": "right", "threshold": 0.8}))
        assert ("ES712", "a threshold of 0.8 for right, where the bar is 0.9 (3 cases say so)") in _said(reading)

    def test_thresholds_that_differ_between_cases(self, tmp_path: Path) -> None:
        rows = _cases(3, scoring={"metric": "right", "threshold": 0.8})
        rows[2]["scoring"] = {"metric": "right", "threshold": 0.7}
        said = _said(_contract(tmp_path, rows, bars={}))
        assert ("ES712", "a threshold of 0.7 for right, where the bar is 0.8") in said

    @pytest.mark.parametrize(
        ("metric", "bar", "said"),
        [
            (
                {"direction": "at_least"},
                0.8,
                "the bar of right is at least 0.8 in two, and at least 0.9 in another set",
            ),
            ({"direction": "at_most"}, 0.9, "the bar of right is at most 0.9 in two, and at least 0.9 in another set"),
            (
                {"direction": "at_least", "counts": "failures"},
                0.9,
                "the metric right counts failures here, and passes in another file",
            ),
        ],
    )
    def test_two_files_that_say_different_things_of_one_metric(
        self, tmp_path: Path, metric: dict[str, Any], bar: float, said: str
    ) -> None:
        for name, entry, value in (("one", {"direction": "at_least"}, 0.9), ("two", metric, bar)):
            check = {"contains_all": ["x"], "metric": "right"}
            file = {
                "metrics": {"right": entry},
                "bars": {"right": {"bar": value, "signed_by": "A"}},
                "cases": [{"id": name, "input": "q", "checks": [check]}],
            }
            (tmp_path / f"{name}.yaml").write_text(json.dumps(file), encoding="utf-8")
        assert ("ES712", said) in _said(read_suite(tmp_path))

    @pytest.mark.parametrize(
        ("key", "first", "second"), [("latency_p95_ms", 500, 900.5), ("max_validator_rejections", 0, 0.1)]
    )
    def test_two_files_that_limit_the_suite_differently(
        self, tmp_path: Path, key: str, first: float, second: float
    ) -> None:
        for name, limit in (("one", first), ("two", second), ("three", None)):
            case = {"id": name, "input": "q", "checks": [{"contains_all": ["x"]}]}
            file = {"cases": [case]} | ({} if limit is None else {key: limit})
            (tmp_path / f"{name}.yaml").write_text(json.dumps(file), encoding="utf-8")
        said = f"{key} is {second:g} here, and {first:g} in another file of the suite"
        assert [item for item in _said(read_suite(tmp_path)) if item[0] == "ES712"] == [("ES712", said)]
        (tmp_path / "two.yaml").unlink()
        suite = read_suite(tmp_path).suite
        assert suite is not None
        assert getattr(suite, key) == first

    @pytest.mark.parametrize(
        ("entry", "hint"),
        [
            ("{id: a, query: q, severity: minor}", "write `scenarios:` above the list"),
            ("{id: a, turns: [{query: q}], severity: minor}", "write `scenarios:` above the list"),
            ("{id: a, turns: [{input: q}]}", "write `cases:` above the list"),
        ],
    )
    def test_a_list_of_cases_alone_says_what_to_write_above_it(self, tmp_path: Path, entry: str, hint: str) -> None:
        (tmp_path / "set.yaml").write_text(f"- {entry}\n", encoding="utf-8")
        (diagnostic,) = read_suite(tmp_path / "set.yaml").diagnostics
        assert (diagnostic.code, diagnostic.hint) == ("ES701", hint)

    def test_a_case_that_nothing_checks(self, tmp_path: Path) -> None:
        rows = [*_cases(1), {"case_id": "z", "input": "x"}]
        assert ("ES718", "the case z checks nothing") in _said(_contract(tmp_path, rows))

    def test_a_bar_over_a_metric_that_no_case_feeds(self, tmp_path: Path) -> None:
        said = _said(_contract(tmp_path, [{"case_id": "z", "input": "x"}]))
        assert ("ES719", "no case of set is scored by right, so its bar cannot be judged") in said

    def test_a_set_that_the_contract_declares_and_that_is_not_there(self, tmp_path: Path) -> None:
        (tmp_path / "other.jsonl").write_text('{"case_id": "o", "input": "x", "expected": {"a": 1}}')
        _contract(tmp_path, _cases(1))
        (tmp_path / "set.jsonl").rename(tmp_path / "sets.jsonl")
        said = _said(read_suite(tmp_path))
        assert ("ES720", "the contract declares the set set, and there is no set.jsonl") in said

    def test_a_set_without_a_contract(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text('{"case_id": "o", "input": "x"}')
        assert _said(read_suite(tmp_path / "a.jsonl")) == [("ES715", "there is no contract.json beside the set")]

    @pytest.mark.parametrize(
        ("schema", "message"),
        [
            ({"type": "strng"}, "input is no JSON Schema: type: 'strng' is not valid under any of the given schemas"),
            ({"pattern": "("}, "input is no JSON Schema: pattern: '(' is not a 'regex'"),
            ({"pattern": "(x|x|xx)+$"}, "the input schema cannot be used: a pattern takes over 0.5 s"),
        ],
    )
    def test_a_schema_that_cannot_be_used(self, tmp_path: Path, schema: dict[str, Any], message: str) -> None:
        _contract(tmp_path, _cases(2))
        contract = json.loads((tmp_path / "contract.json").read_text())
        (tmp_path / "contract.json").write_text(json.dumps({**contract, "input": schema}))
        rows = [json.dumps({**row, "input": "x" * 40 + "y"}) for row in _cases(2)]
        (tmp_path / "set.jsonl").write_text("\n".join(rows))
        assert [text for code, text in _said(read_suite(tmp_path)) if code == "ES715"] == [message]

    @pytest.mark.parametrize(
        ("schema", "why"),
        [
            ({"$ref": "http://127.0.0.1:9/s.json"}, "$ref leads to http://127.0.0.1:9/s.json, which is not in it"),
            ({"properties": {"a": {"$ref": "#/$defs/b"}}}, "$ref leads to #/$defs/b, which is not in it"),
            ({"$ref": "#"}, "it refers to itself without end, or the value nests too deep"),
        ],
    )
    def test_an_output_schema_whose_references_lead_astray(
        self, tmp_path: Path, schema: dict[str, Any], why: str
    ) -> None:
        _contract(tmp_path, _cases(2))
        contract = json.loads((tmp_path / "contract.json").read_text())
        (tmp_path / "contract.json").write_text(json.dumps({**contract, "output": schema}))
        said = [text for code, text in _said(read_suite(tmp_path)) if code == "ES715"]
        assert said == [f"output is no JSON Schema: {why}"]

    def test_references_within_a_schema_are_followed(self) -> None:
        inner = {"left": {"$ref": "#"}, "x": {"$ref": "#/$defs/x"}}
        tree = {"properties": inner, "$defs": {"x": {"const": {"$ref": "y"}}}}
        assert schema_fault(tree) == ""

    def test_a_schema_that_reaches_for_another_document_is_refused_and_not_fetched(self, tmp_path: Path) -> None:
        _contract(tmp_path, _cases(2))
        contract = json.loads((tmp_path / "contract.json").read_text())
        contract["input"] = {"$ref": "http://127.0.0.1:9/schema.json"}
        (tmp_path / "contract.json").write_text(json.dumps(contract))
        assert [code for code, _ in _said(read_suite(tmp_path))] == ["ES715", "ES711"]


def test_a_key_of_a_spec_is_a_key_that_a_suite_does_not_have(tmp_path: Path) -> None:
    text = json.dumps({"dataset": {}, "scenarios": [SCENARIO]})
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    assert _said(read_suite(tmp_path / "s.yaml")) == [("ES101", "there is no key dataset here")]


def test_tool_names_that_lead_to_no_tool_of_the_suite(tmp_path: Path) -> None:
    text = json.dumps({"tool_names": {"get": "fnd"}, "scenarios": [SCENARIO]})
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    (diagnostic,) = read_suite(tmp_path / "s.yaml").diagnostics
    assert (diagnostic.code, diagnostic.hint) == ("ES722", "did you mean find?")


def test_policies_that_are_needed_and_not_there_say_where_they_may_lie(tmp_path: Path) -> None:
    (diagnostic,) = _support(tmp_path, {"judge_policy": True, "country": "AE", "topic": "returns"}).diagnostics
    assert diagnostic.code == "ES714"
    assert diagnostic.hint.startswith("write policies.json or ../app/policies.json beside the set")


def test_explain_has_the_page_and_does_without_where_bench_was_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from evalspec.cli.explain import page_of
    from evalspec.spec.codes import CODES

    assert page_of("ES703").startswith("**What it is.** Two cases of a suite have one id")
    monkeypatch.setitem(sys.modules, "evalspec.bench.pages", None)
    assert page_of("ES703") == CODES["ES703"].summary


def test_every_code_of_a_suite_has_a_page_with_its_four_parts() -> None:
    from evalspec.bench.pages import page
    from evalspec.spec.codes import CODES

    codes = [code for code in CODES if "ES701" <= code <= "ES729"]
    assert [
        code
        for code in codes
        if [part.split("**")[0] for part in (page(code) or "").split("\n\n**")]
        != ["", "Why it matters.", "Example.", "Instead."]
    ] == []


def test_a_regex_without_an_end_is_told_from_one_that_works() -> None:
    with pytest.raises(PatternError) as caught:
        compiled("(?R)")
    assert caught.value.message == "takes over 0.5 s on an empty text"
