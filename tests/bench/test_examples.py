"""The shipped examples: whole, clean, mixed as they say, and coming to what their READMEs say."""

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ruamel.yaml import YAML

from evalspec.bench import shipped
from evalspec.bench.benching import bench
from evalspec.bench.comparing import CompareOptions, compare
from evalspec.bench.comparison import Comparison
from evalspec.bench.preparing import Wanted, prepare
from evalspec.bench.reading import Reading, read_set, read_suite
from evalspec.bench.report import Report
from evalspec.bench.reports import read_report

SHIPPED = Path(__file__).resolve().parents[2] / "bench" / "examples"
FILES = {
    "golden_set": ("GOLD", 48),
    "edge_cases": ("EDGE", 15),
    "adversarial": ("ADV", 10),
    "multi_step": ("MULTI", 10),
}
TOOLS = {
    "portfolio_overview",
    "holding_and_market_data",
    "transaction_search",
    "benchmark_compare",
    "risk_analysis",
    "live_market_data",
    "fee_analysis",
}
ASSERTIONS = {
    "tool",
    "tool_alternatives",
    "tools_any",
    "response_contains",
    "response_not_contains",
    "response_contains_any",
    "response_has_monetary_value",
    "response_has_percentage",
    "response_confidence",
    "max_latency_seconds",
}
SETS = {
    "sla_classifier": ("isp_triage", 40),
    "qwen_rag": ("bank_rag", 40),
    "factory_summary": ("shift_handover", 40),
    "injection": ("prompt_injection", 30),
    "bilingual": ("code_mixed", 24),
}
LOST = {"ret-gb-02", "mix-pk-05", "mix-pk-06", "mix-ae-03", "mix-sa-02", "mix-sa-03"}
GAINED = {"esc-pk-01", "esc-ae-01", "esc-sa-01", "esc-gb-01", "esc-gb-03"}
BENGALI, ARABIC = r"[\u0980-\u09ff]", r"[\u0600-\u06ff]"


def scenarios(name: str) -> list[dict[str, Any]]:
    """The scenarios of one file, as they stand."""
    data = YAML(typ="safe").load((SHIPPED / "scenarios" / f"{name}.yaml").read_text(encoding="utf-8"))
    return list(data["scenarios"])


def expectations() -> list[dict[str, Any]]:
    """What every scenario, or turn of one, expects."""
    every = [scenario for name in FILES for scenario in scenarios(name)]
    return [turn["expected"] for scenario in every for turn in scenario.get("turns", [scenario])]


def lines(path: str) -> list[dict[str, Any]]:
    """The cases of a JSONL file."""
    return [json.loads(line) for line in (SHIPPED / path).read_text(encoding="utf-8").splitlines()]


def contract(module: str) -> dict[str, Any]:
    """A shipped contract."""
    return dict(json.loads((SHIPPED / "modules/eval" / module / "contract.json").read_text(encoding="utf-8")))


def module_of(name: str) -> ModuleType:
    """A shipped module, imported from its file."""
    path = SHIPPED / "modules/modules" / name / "module.py"
    spec = importlib.util.spec_from_file_location(f"shipped_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of each example."""
    folder = tmp_path_factory.mktemp("examples")
    for name, _ in shipped.names():
        shipped.copy(name, folder / name)
    return folder


def ran(folder: Path, wanted: Wanted) -> Report:
    """The report of a run from `folder`."""
    prepared, faults = prepare(wanted, folder)
    assert prepared is not None, [fault.message for fault in faults]
    benched = bench(prepared, lambda _: None)
    assert benched.report is not None, benched.diagnostics
    return benched.report


def failing(report: Report) -> set[str]:
    """Ids of the cases that did not pass in some run."""
    return {row.case_id for row in report.rows if row.outcome != "passed"}


# copying


def test_a_copy_holds_every_file_of_its_example(tmp_path: Path) -> None:
    written = shipped.copy("modules", tmp_path / "mine")
    whole = {
        path.relative_to(SHIPPED / "modules"): path.read_bytes()
        for path in (SHIPPED / "modules").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert whole == {path.relative_to(tmp_path / "mine"): path.read_bytes() for path in written}


def test_a_copy_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "target.yaml").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match=r"target\.yaml"):
        shipped.copy("support", tmp_path)
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {"target.yaml": "mine"}


def test_a_name_that_is_no_example_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="suport"):
        shipped.copy("suport", tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError, match=r"^\S+file$"):
        shipped.copy("support", tmp_path / "file")


def test_every_folder_of_examples_is_named_and_has_a_licensed_readme() -> None:
    folders = {path.name for path in SHIPPED.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == {name for name, _ in shipped.names()}
    for name in folders:
        assert "CC BY 4.0" in (SHIPPED / name / "README.md").read_text(encoding="utf-8")


# what they hold


@pytest.mark.parametrize("name", FILES)
def test_scenarios_are_numbered_through(name: str) -> None:
    prefix, count = FILES[name]
    assert [f"{prefix}-{number:03}" for number in range(1, count + 1)] == [one["id"] for one in scenarios(name)]


def test_scenarios_use_every_tool_and_every_assertion() -> None:
    expected = expectations()
    assert {key for one in expected for key in one} == ASSERTIONS
    named = [one.get(key) for one in expected for key in ("tool", "tool_alternatives", "tools_any")]
    assert {tool for one in named if one for tool in ([one] if isinstance(one, str) else one)} == TOOLS
    assert {True, False} == {one["response_has_percentage"] for one in expected if "response_has_percentage" in one}
    assert {True, False} == {
        one["response_has_monetary_value"] for one in expected if "response_has_monetary_value" in one
    }
    assert any("tool" in one and one["tool"] is None for one in expected)


def test_attacks_are_critical_or_nearly_so() -> None:
    assert {"critical", "major"} == {one["severity"] for one in scenarios("adversarial")}


def test_half_of_the_multi_step_scenarios_are_conversations() -> None:
    assert sum("turns" in one for one in scenarios("multi_step")) == 6


def test_support_cases_cover_every_slice() -> None:
    cases = lines("support/evals/dataset_v1.jsonl")
    slices = Counter((case["country"], case["topic"]) for case in cases)
    topics = ("returns", "delivery", "refunds", "privacy", "escalation")
    assert {slot for slot in slices if slot[1] != "other"} == {(c, t) for c in ("PK", "AE", "SA", "GB") for t in topics}
    assert {"golden", "production-style", "adversarial", "synthetic"} == {case["source"] for case in cases}
    assert len(cases) == len({case["id"] for case in cases}) == 77


def test_support_cases_that_must_never_fail_are_blocking() -> None:
    cases = lines("support/evals/dataset_v1.jsonl")
    attacks = {case["id"] for case in cases if case["source"] == "adversarial"}
    threats = {case["id"] for case in cases if case["topic"] == "escalation" and case["judge_policy"]}
    assert attacks | threats == {case["id"] for case in cases if case["blocking"]}
    assert len(attacks) == 13
    assert len(threats) == 4


def test_code_switched_questions_mix_two_languages() -> None:
    mixed = [case for case in lines("support/evals/dataset_v1.jsonl") if case["id"].startswith("mix-")]
    in_script = [case for case in mixed if re.search(ARABIC, case["input"])]
    assert (len(mixed), len(in_script)) == (12, 6)
    assert all(re.search("[a-z]{3}", case["input"]) for case in in_script)


def test_abstention_is_asked_for_in_every_country() -> None:
    cases = [case for case in lines("support/evals/dataset_v1.jsonl") if case.get("expect_abstain")]
    assert Counter(case["country"] for case in cases) == {"PK": 2, "AE": 2, "SA": 2, "GB": 2}


def test_every_judged_support_case_has_a_recorded_verdict() -> None:
    judged = [case["id"] for case in lines("support/evals/dataset_v1.jsonl") if case["judge_policy"]]
    assert judged == [line["case_id"] for line in lines("support/evals/judge.jsonl")]


@pytest.mark.parametrize("module", SETS)
def test_sets_are_mixed_as_they_declare(module: str) -> None:
    name, count = SETS[module]
    cases = lines(f"modules/eval/{module}/{name}.jsonl")
    tags = Counter(tag for case in cases for tag in case["tags"])
    shares = contract(module)["sets"][name]["shares"]
    assert count == len(cases) == len({case["case_id"] for case in cases})
    assert shares == {tag: pytest.approx(tags[tag] / count) for tag in shares}


@pytest.mark.parametrize("module", ["injection", "bilingual"])
def test_sets_across_modules_have_as_many_cases_of_each(module: str) -> None:
    name, count = SETS[module]
    found = Counter(case["input"]["module"] for case in lines(f"modules/eval/{module}/{name}.jsonl"))
    assert dict.fromkeys(("sla_classifier", "qwen_rag", "factory_summary"), count // 3) == found


def test_indirect_injections_stand_in_a_passage_and_not_in_the_message() -> None:
    for case in lines("modules/eval/injection/prompt_injection.jsonl"):
        assert ("indirect" in case["tags"]) == ("passages" in case["input"])


@pytest.mark.parametrize("module", SETS)
def test_language_tags_fit_the_script(module: str) -> None:
    for case in lines(f"modules/eval/{module}/{SETS[module][0]}.jsonl"):
        text = next(case["input"][key] for key in ("ticket", "question", "note") if key in case["input"])
        latin, bengali = re.search("[A-Za-z]{3}", text), re.search(BENGALI, text)
        if "bengali" in case["tags"]:
            assert bengali
            assert not latin, case["case_id"]
        if "english" in case["tags"]:
            assert not bengali, case["case_id"]
        if "code-mixed" in case["tags"]:
            assert latin, case["case_id"]


def test_priorities_of_tickets_are_those_of_the_matrix() -> None:
    matrix = module_of("sla_classifier").RULES["matrix"]
    for case in lines("modules/eval/sla_classifier/isp_triage.jsonl"):
        expected, tier = case["expected"], case["input"]["tier"]
        assert matrix[tier][expected["category"]] == expected["priority"]
    assert {"residential", "business", "enterprise"} == set(matrix)


def test_labels_of_notes_stand_in_the_notes() -> None:
    for case in lines("modules/eval/factory_summary/shift_handover.jsonl"):
        texts = [text for field in case["expected"].values() for text in field]
        assert [text for text in texts if text not in case["input"]["note"]] == []
        assert ("everything-fine" in case["tags"]) == (not texts)


def test_questions_on_a_replaced_sop_name_it_as_stale() -> None:
    chunks = module_of("qwen_rag").CHUNKS
    for case in lines("modules/eval/qwen_rag/bank_rag.jsonl"):
        stale = [name for name, chunk in chunks.items() if chunk["replaced_by"] in case["expected"]["chunk_ids"]]
        assert stale == case["expected"]["stale"]
        assert not stale or "stale-sop" in case["tags"] or "injection" in case["tags"]


def test_no_two_cases_of_an_example_are_nearly_the_same() -> None:
    suites = [
        [
            json.dumps(one.get("turns", one.get("query")), ensure_ascii=False)
            for name in FILES
            for one in scenarios(name)
        ],
        [case["input"] for case in lines("support/evals/dataset_v1.jsonl")],
        [
            next(case["input"][key] for key in ("ticket", "question", "note") if key in case["input"])
            for module, (name, _) in SETS.items()
            for case in lines(f"modules/eval/{module}/{name}.jsonl")
        ],
    ]
    near = [pair for texts in suites for pair in combinations(texts, 2) if alike(*pair) > 0.6]
    assert near == []


def alike(one: str, other: str) -> float:
    """The share of words that two texts have in common."""
    first, second = (set(re.findall(r"[^\s.,?!।;:\"]+", text.lower())) for text in (one, other))
    return len(first & second) / max(1, len(first | second))


# read and linted


def readings() -> dict[str, tuple[Reading, set[str]]]:
    """Every suite as bench reads it, and the codes of what it may say."""
    return {
        "scenarios": (read_suite(SHIPPED / "scenarios"), set()),
        "support": (read_suite(SHIPPED / "support/evals/dataset_v1.jsonl"), set()),
        **{module: (read_set(SHIPPED / "modules/eval", module, name), {"ES711"}) for module, (name, _) in SETS.items()},
    }


def test_every_suite_lints_clean_but_for_being_a_draft() -> None:
    found = {name: {one.code for one in reading.diagnostics} for name, (reading, _) in readings().items()}
    assert {name: codes for name, (_, codes) in readings().items()} == found


def test_every_suite_has_the_cases_that_its_page_says() -> None:
    sizes = {name: len(reading.suite.cases) for name, (reading, _) in readings().items() if reading.suite}
    assert {"scenarios": 83, "support": 77, **{module: count for module, (_, count) in SETS.items()}} == sizes


def test_every_bar_says_that_its_signature_is_an_example() -> None:
    bars = [bar for module, (name, _) in SETS.items() for bar in contract(module)["sets"][name]["bars"].values()]
    assert len(bars) == 17
    assert all(bar["signed_by"].endswith("(example)") for bar in bars)


# run


def test_the_demo_agent_fails_two_minor_scenarios(copies: Path) -> None:
    report = ran(copies / "scenarios", Wanted(suite=Path(), target="target.yaml"))
    assert {"EDGE-008", "EDGE-009"} == failing(report)
    assert (report.gate.verdict, report.gate.reasons) == ("green", ())


def test_the_baseline_is_what_a_run_gives(copies: Path) -> None:
    baseline = read_report(copies / "support/evals/baseline.json")
    report = ran(copies / "support", Wanted(suite=Path("evals/dataset_v1.jsonl"), runs=3))
    assert (baseline.case_digests, baseline.judge) == (report.case_digests, report.judge)
    assert [(row.case_id, row.epoch, row.outcome) for row in baseline.rows] == [
        (row.case_id, row.epoch, row.outcome) for row in report.rows
    ]
    assert report.gate.verdict == "green"
    assert report.spread is not None
    assert (report.spread.pass_rates, report.spread.flips) == ((71 / 77,) * 3, ())


def test_the_candidate_gains_escalations_and_loses_code_switched_questions(copies: Path) -> None:
    baseline = read_report(copies / "support/evals/baseline.json")
    wanted = Wanted(suite=Path("evals/dataset_v1.jsonl"), runs=3, model="small", prompt_version="v2")
    candidate = ran(copies / "support", wanted)
    comparison = compare(baseline, candidate, CompareOptions())
    assert isinstance(comparison, Comparison)
    assert failing(candidate) - failing(baseline) == LOST
    assert failing(baseline) - failing(candidate) == GAINED
    assert comparison.verdict == "undecided"
    assert candidate.gate.verdict == "green"


@pytest.mark.parametrize("module", SETS)
def test_modules_meet_their_bars_as_drafts(module: str, copies: Path) -> None:
    report = ran(copies / "modules", Wanted(module=module, eval_set=SETS[module][0]))
    bars = contract(module)["sets"][SETS[module][0]]["bars"]
    assert report.gate.verdict == "draft"
    assert {name: entry["bar"] for name, entry in bars.items()} == {
        name: score.bar for name, score in report.metrics.items()
    }
    assert [name for name, score in report.metrics.items() if score.verdict == "missed"] == []
    assert ({"rag-022"} if module == "qwen_rag" else set()) == failing(report)
    assert report.validator_rejections == 0


# what they catch

Spoil = Callable[[dict[str, Any]], dict[str, Any]]


def all_urgent(answer: dict[str, Any]) -> dict[str, Any]:
    """Triage that does as it is told by whoever shouts loudest."""
    return {**answer, "category": "outage", "priority": "P1"}


def first_match(answer: dict[str, Any]) -> dict[str, Any]:
    """A RAG that cites whatever it has seen somewhere, and adds what nobody wrote."""
    cited = [{"chunk_id": answer["retrieval_trace"][0]}] if answer["retrieval_trace"] else [{"chunk_id": "WEB/1"}]
    return {**answer, "answer": f"{answer['answer']} Ask your manager if in doubt.", "citations": cited}


def reassuring(answer: dict[str, Any]) -> dict[str, Any]:
    """A summary without bad news, and with a kind word."""
    return {**answer, "safety_incidents": [], "pending_actions": ["Keep up the good work"]}


@pytest.mark.parametrize(
    ("module", "spoil", "missed"),
    [
        ("sla_classifier", all_urgent, {"category_agreement", "p1_over_prioritisation"}),
        ("qwen_rag", first_match, {"answer_correctness", "hallucinated_content", "citation_in_set"}),
        ("factory_summary", reassuring, {"summarization_agreement", "hallucinated_fields", "safety_incident_recall"}),
    ],
)
def test_a_module_that_goes_wrong_misses_its_bars(
    module: str, spoil: Spoil, missed: set[str], copies: Path, tmp_path: Path
) -> None:
    answer, name = module_of(module).answer, SETS[module][0]
    cases = lines(f"modules/eval/{module}/{name}.jsonl")
    recorded = [{"case_id": case["case_id"], "output": spoil(answer(case["input"]))} for case in cases]
    for line in recorded:
        line["retrieval_trace"] = line["output"].get("retrieval_trace", [])
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in recorded), encoding="utf-8")
    wanted = Wanted(module=module, eval_set=name, target=f"recorded:{path}", work=tmp_path / "work")
    report = ran(copies / "modules", wanted)
    assert missed == {name for name, score in report.metrics.items() if score.verdict == "missed"}


def test_modules_that_obey_fail_on_every_injection(copies: Path, tmp_path: Path) -> None:
    spoils = {"sla_classifier": all_urgent, "qwen_rag": first_match, "factory_summary": reassuring}
    cases = lines("modules/eval/injection/prompt_injection.jsonl")
    recorded = [
        {"case_id": case["case_id"], "output": spoils[name](module_of(name).answer(case["input"]))}
        for case in cases
        for name in [case["input"]["module"]]
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in recorded), encoding="utf-8")
    wanted = Wanted(module="injection", eval_set="prompt_injection", target=f"recorded:{path}", work=tmp_path / "work")
    report = ran(copies / "modules", wanted)
    assert {case["case_id"] for case in cases} == failing(report)


def test_an_agent_that_only_declines_passes_no_everyday_scenario_but_the_forecast(copies: Path, tmp_path: Path) -> None:
    ids = [one["id"] for one in scenarios("golden_set")]
    refusal = {"response": "I cannot help with that.", "tools_called": [], "confidence": "LOW", "latency_ms": 5}
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({"case_id": name, **refusal}) + "\n" for name in ids), encoding="utf-8")
    wanted = Wanted(suite=Path("golden_set.yaml"), target=f"recorded:{path}", work=tmp_path / "work")
    report = ran(copies / "scenarios", wanted)
    assert {"GOLD-048"} == set(ids) - failing(report)


# as their pages say


@pytest.mark.parametrize("name", ["scenarios", "support", "modules"])
def test_the_commands_of_a_readme_run(name: str, copies: Path) -> None:
    page = (copies / name / "README.md").read_text(encoding="utf-8")
    commands = [shlex.split(line) for line in "\n".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL)).splitlines()]
    code = "import sys; sys.argv[0] = 'evalspec'; from evalspec.cli.main import main; main()"
    env = {**os.environ, "NO_COLOR": "1"}
    codes = {
        " ".join(words): subprocess.run(
            [sys.executable, "-c", code, *words[1:]], cwd=copies / name, env=env, capture_output=True, timeout=120
        ).returncode
        for words in commands
    }
    assert {command: int("compare" in command) for command in codes} == codes
    assert len(codes) >= 3


# the validators


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ({"category": "outage", "priority": "P2", "rationale": "all flats"}, ""),
        ({"category": "outage", "priority": "P1", "rationale": "all flats"}, "gives P2"),
        ({"category": "weather", "priority": "P3", "rationale": "rain"}, "no category 'weather'"),
        ({"category": "outage", "priority": "P2", "rationale": " "}, "no rationale"),
    ],
)
def test_triage_is_rejected_where_it_leaves_the_matrix(output: dict[str, str], reason: str) -> None:
    said = module_of("sla_classifier").rejection(output, "residential")
    assert reason in said
    assert bool(reason) == bool(said)


@pytest.mark.parametrize(
    ("cited", "trace", "reason"),
    [
        (["VPN-05/1"], ["VPN-04/1", "VPN-05/1"], ""),
        (["VPN-05/1"], ["VPN-04/1"], "was not retrieved"),
        (["VPN-04/1"], ["VPN-04/1", "VPN-05/1"], "was replaced"),
        ([], ["VPN-05/1"], "without a citation"),
    ],
)
def test_an_answer_is_rejected_for_its_citations(cited: list[str], trace: list[str], reason: str) -> None:
    claims = [{"text": "A session ends after 8 hours.", "chunk_id": name} for name in cited]
    citations = [{"chunk_id": name} for name in cited]
    output = {"answer": "8 hours.", "citations": citations, "claims": claims, "retrieval_trace": trace}
    said = module_of("qwen_rag").rejection(output)
    assert reason in said
    assert bool(reason) == bool(said)


def test_a_summary_is_rejected_for_what_the_note_does_not_say() -> None:
    module = module_of("factory_summary")
    note = "Press 2 stopped at noon. Yarn ran out."
    output = module.summary(note)
    assert module.rejection(output, note) == ""
    output["pending_actions"] = ["Order yarn"]
    assert "Order yarn" in module.rejection(output, note)


def test_a_near_miss_that_is_played_down_is_a_safety_incident_all_the_same() -> None:
    said = module_of("factory_summary").answer({"note": "All fine. A crate nearly fell on Rahim, no report needed."})
    assert said["safety_incidents"] == [{"text": "A crate nearly fell on Rahim, no report needed", "severity": 3}]
