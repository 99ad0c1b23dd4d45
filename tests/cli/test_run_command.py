"""evalspec run, assemble and check on a small spec, with the embedded provider."""

import json
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Evalspec = Callable[..., CompletedProcess[str]]


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "data/final").iterdir())}


@pytest.fixture
def filled(small: Path, evalspec: Evalspec) -> Path:
    """The small spec, filled and released."""
    done = evalspec("run", small, "--provider", "embedded")
    assert done.returncode == 0, done.stdout + done.stderr
    return small


def test_cases_that_lie_beside_a_spec_are_no_release(filled: Path, evalspec: Evalspec) -> None:
    (filled / "cases.jsonl").write_text('{"id": "a", "question": "b"}\n', encoding="utf-8")
    for named in (filled, filled / "plan.json"):
        assert evalspec("check", named).returncode == 0
    (filled / "other").mkdir()
    (filled / "cases.jsonl").rename(filled / "other/cases.jsonl")
    assert evalspec("check", filled / "other", "--plan", filled / "plan.json").returncode == 1


def test_a_spec_is_compiled_filled_and_checked(filled: Path, evalspec: Evalspec) -> None:
    assert set(_files(filled)) == {"README.md", "train.jsonl", "train.parquet", "splits.svg", "difficulty.svg"}
    done = evalspec("check", filled)
    assert done.returncode == 0, done.stdout
    assert "0 failed" in done.stdout


def test_a_finished_run_does_nothing(filled: Path, evalspec: Evalspec) -> None:
    before, journal = _files(filled), (filled / "data/generated/journal.jsonl").read_bytes()
    done = evalspec("run", filled / "plan.json", "--provider", "embedded", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["calls"]) == (0, 0)
    assert _files(filled) == before
    attempts = [line for line in journal.splitlines() if b'"kind":"attempt"' in line]
    after = (filled / "data/generated/journal.jsonl").read_bytes().splitlines()
    assert [line for line in after if b'"kind":"attempt"' in line] == attempts


def test_a_killed_run_goes_on_to_the_same_bytes(filled: Path, evalspec: Evalspec) -> None:
    want = _files(filled)
    journal = filled / "data/generated/journal.jsonl"
    whole = journal.read_bytes()
    for cut in (0, 1, len(whole) // 3, len(whole) // 2, len(whole) - 1):
        journal.write_bytes(whole[:cut])
        for path in (filled / "data/final").iterdir():
            path.unlink()
        done = evalspec("run", filled / "plan.json", "--provider", "embedded")
        assert done.returncode == 0, done.stdout
        assert _files(filled) == want


def test_a_dry_run_writes_no_release(small: Path, evalspec: Evalspec) -> None:
    done = evalspec("run", small, "--provider", "embedded", "--dry-run")
    assert (done.returncode, (small / "data/final").exists()) == (0, False)
    assert "no release written" in done.stdout
    assert not (small / "plan.json").exists()


def test_a_limited_run_is_short_and_says_so(small: Path, evalspec: Evalspec) -> None:
    done = evalspec("run", small, "--provider", "embedded", "--limit", "2")
    assert done.returncode == 1
    assert "error[ES501]" in done.stdout
    assert evalspec("run", small / "plan.json", "--provider", "embedded").returncode == 0


def test_a_changed_spec_stops_run_and_check(filled: Path, evalspec: Evalspec) -> None:
    template = next((filled / "templates").glob("*.yaml"))
    template.write_text(template.read_text(encoding="utf-8") + "\n# a remark\n", encoding="utf-8")
    for command in ("run", "check"):
        target = filled / "plan.json" if command == "run" else filled
        done = evalspec(command, target, *(["--provider", "embedded"] if command == "run" else []))
        assert (done.returncode, "error[ES508]" in done.stdout) == (2, True)
    assert evalspec("check", filled, "--stale").returncode == 0


def test_full_refresh_sets_aside_what_there_was(filled: Path, evalspec: Evalspec) -> None:
    before = _files(filled)
    done = evalspec("run", filled / "plan.json", "--provider", "embedded", "--mode", "full_refresh")
    assert done.returncode == 0, done.stdout
    kept = {path.name: path.read_bytes() for path in sorted((filled / "data/previous/final").iterdir())}
    assert (kept, _files(filled)) == (before, before)


def test_a_missing_key_cannot_run(small: Path, evalspec: Evalspec) -> None:
    done = evalspec("run", small, "--provider", "openai")
    assert (done.returncode, "error[ES505]" in done.stdout) == (2, True)


def test_assemble_makes_the_release_again_without_a_call(filled: Path, evalspec: Evalspec) -> None:
    want = _files(filled)
    for path in (filled / "data/final").iterdir():
        path.unlink()
    done = evalspec("assemble", filled)
    assert (done.returncode, _files(filled)) == (0, want)


def test_check_judges_a_release_without_its_plan(filled: Path, evalspec: Evalspec) -> None:
    done = evalspec("check", filled / "data/final", "--format", "json")
    body = json.loads(done.stdout)
    verdicts = {row["name"]: row["verdict"] for row in body["criteria"]}
    assert (done.returncode, verdicts["schema"], verdicts["slots-filled"]) == (0, "passed", "not_judged")


def test_check_as_junit_is_xml(filled: Path, evalspec: Evalspec) -> None:
    done = evalspec("check", filled, "--format", "junit")
    suite = ET.fromstring(done.stdout)[0]
    assert (suite.get("failures"), int(suite.get("tests") or 0) > 20) == ("0", True)


def test_a_damaged_release_fails_with_its_figure(filled: Path, evalspec: Evalspec) -> None:
    path = filled / "data/final/train.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    done = evalspec("check", filled)
    assert (done.returncode, "error[ES623]" in done.stdout) == (1, True)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on POSIX")
def test_an_interrupted_run_drains_and_goes_on(small: Path, evalspec: Evalspec) -> None:
    evalspec("compile", small)
    code = "import sys; sys.argv[0] = 'evalspec'; from evalspec.cli.main import main; main()"
    command = [sys.executable, "-c", code, "run", str(small / "plan.json"), "--provider", "embedded"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    journal = small / "data/generated/journal.jsonl"
    deadline = time.monotonic() + 60
    while not journal.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode in (0, 130), (out, err)
    assert b"Traceback" not in err
    assert evalspec("run", small / "plan.json", "--provider", "embedded").returncode == 0


def test_the_card_is_made_again_without_touching_the_data(filled: Path, evalspec: Evalspec) -> None:
    want = _files(filled)
    (filled / "data/final/README.md").write_text("edited", encoding="utf-8")
    (filled / "data/final/difficulty.svg").unlink()
    done = evalspec("card", filled)
    assert (done.returncode, _files(filled)) == (0, want)


@pytest.mark.parametrize("command", ["card", "assemble"])
def test_a_provider_that_filled_nothing_is_refused(filled: Path, evalspec: Evalspec, command: str) -> None:
    card = (filled / "data/final/README.md").read_text(encoding="utf-8")
    done = evalspec(command, filled, "--provider", "openai")
    assert (done.returncode, "the journal holds no reply of openai" in done.stdout) == (2, True)
    assert (filled / "data/final/README.md").read_text(encoding="utf-8") == card
    assert evalspec(command, filled, "--provider", "embedded").returncode == 0


@pytest.mark.parametrize("command", ["run", "check", "diff", "doctor", "scrape"])
def test_a_plan_that_nests_too_deep_is_no_plan(tmp_path: Path, evalspec: Evalspec, command: str) -> None:
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000, encoding="utf-8")
    given = {"check": ("--plan", deep), "diff": (deep, deep)}.get(command, (deep,))
    done = evalspec(command, *given, "--format", "json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["diagnostics"][0]["code"] in ("ES506", "ES515")


def test_a_card_without_a_release_cannot_be_made(small: Path, evalspec: Evalspec) -> None:
    evalspec("compile", small)
    done = evalspec("card", small)
    assert (done.returncode, "error[ES515]" in done.stdout + done.stderr) == (2, True)


def test_a_criterion_is_explained_by_name(filled: Path, evalspec: Evalspec) -> None:
    done = evalspec("check", filled, "--explain", "group-shape")
    assert (done.returncode, done.stdout.startswith("# ES633 group-shape\n")) == (0, True)
    wrong = evalspec("check", filled, "--explain", "group-shap")
    assert (wrong.returncode, "did you mean group-shape?" in wrong.stdout + wrong.stderr) == (2, True)


def test_a_criterion_of_the_specs_own_is_judged(filled: Path, evalspec: Evalspec) -> None:
    (filled / "checks").mkdir()
    (filled / "checks/mine.sql").write_text("-- name: mine\n", encoding="utf-8")
    done = evalspec("check", filled)
    assert (done.returncode, "error[ES641]" in done.stdout + done.stderr) == (1, True)


def test_an_incremental_run_keeps_what_there_is_and_raises_the_patch_once(filled: Path, evalspec: Evalspec) -> None:
    before = {row["id"]: row for row in map(json.loads, _files(filled)["train.jsonl"].splitlines())}
    config = filled / "generation_config.yaml"
    text = config.read_text(encoding="utf-8")
    for old, new in (
        ("target_total: 60", "target_total: 64"),
        ("conseil: 24", "conseil: 28"),
        ("R4], linkage: 4}", "R4], linkage: 4}\n"),
        ("registres: {target_count: 12", "registres: {target_count: 16"),
    ):
        assert old in text
        text = text.replace(old, new)
    config.write_text(text, encoding="utf-8")
    done = evalspec("run", filled, "--provider", "embedded", "--mode", "incremental")
    assert done.returncode == 0, done.stdout + done.stderr
    after = {row["id"]: row for row in map(json.loads, _files(filled)["train.jsonl"].splitlines())}
    assert (len(after), len(set(before) - set(after))) == (64, 3)  # three cells have a place less by the new counts
    assert {"0.1.1"} == {row["version"] for row in after.values()}
    kept = set(before) & set(after)
    assert {name: after[name] | {"version": "0.1.0"} for name in kept} == {name: before[name] for name in kept}
    again = _files(filled)
    assert evalspec("run", filled / "plan.json", "--provider", "embedded").returncode == 0
    assert evalspec("run", filled / "plan.json", "--provider", "embedded", "--mode", "incremental").returncode == 0
    assert _files(filled) == again
    assert evalspec("check", filled).returncode == 0


def test_an_export_that_failed_is_made_again_without_a_call(small: Path, evalspec: Evalspec) -> None:
    evalspec("compile", small)
    (small / "data").mkdir()
    (small / "data/final").write_text("a file where the folder must be", encoding="utf-8")
    done = evalspec("run", small / "plan.json", "--provider", "embedded", "--format", "json")
    assert done.returncode == 2, done.stdout
    (small / "data/final").unlink()
    done = evalspec("run", small / "plan.json", "--provider", "embedded", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["calls"]) == (0, 0)
    assert set(_files(small)) >= {"train.parquet", "train.jsonl", "README.md"}


def test_text_that_was_replaced_is_told_and_fails_nothing(filled: Path, evalspec: Evalspec) -> None:
    path = filled / "corpus/bulbes.md"
    path.write_text(path.read_text("utf-8").replace("bulbes", "oignons"), encoding="utf-8")
    done = evalspec("run", filled, "--provider", "embedded")
    assert (done.returncode, "warning[ES522]" in done.stdout) == (0, True), done.stdout
    assert "on text that is no longer among the sources" in done.stdout
    told = json.loads(evalspec("run", filled, "--provider", "embedded", "--format", "json").stdout)
    assert [row["code"] for row in told["diagnostics"] if row["severity"] == "warning"] == ["ES522"]


def test_a_run_that_made_duplicates_anew_does_not_say_that_there_was_nothing_to_do(
    filled: Path, evalspec: Evalspec
) -> None:
    config = filled / "generation_config.yaml"
    config.write_text(config.read_text("utf-8") + "\ndedup: {threshold: 0.7, max_rounds: 3}\n", encoding="utf-8")
    done = evalspec("run", filled, "--provider", "embedded", "--format", "json")
    told = json.loads(done.stdout)
    assert told["calls"] > 0
    assert "ES514" not in {row["code"] for row in told["diagnostics"]}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_small_spec_is_accepted_whatever_its_seed(small: Path, evalspec: Evalspec, seed: int) -> None:
    config = small / "generation_config.yaml"
    config.write_text(config.read_text("utf-8").replace("seed: 7", f"seed: {seed}"), encoding="utf-8")
    done = evalspec("run", small, "--provider", "embedded")
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_shipped_spec_is_accepted_by_general_forms_alone(tmp_path: Path, evalspec: Evalspec, seed: int) -> None:
    spec = tmp_path / "spec"
    assert evalspec("init", spec).returncode == 0
    config = spec / "generation_config.yaml"
    config.write_text(config.read_text("utf-8").replace("seed: 42", f"seed: {seed}"), encoding="utf-8")
    for path in spec.glob("templates/*.yaml"):
        own = re.sub(r"^compose:\n(?:[ #].*\n|\n)*", "", path.read_text("utf-8"), flags=re.MULTILINE)
        assert "forms:" not in own
        path.write_text(own, encoding="utf-8")
    done = evalspec("run", spec, "--provider", "embedded")
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3, 4, 12])
def test_the_shipped_spec_is_accepted_whatever_its_seed(tmp_path: Path, evalspec: Evalspec, seed: int) -> None:
    spec = tmp_path / "spec"
    assert evalspec("init", spec).returncode == 0
    config = spec / "generation_config.yaml"
    config.write_text(config.read_text("utf-8").replace("seed: 42", f"seed: {seed}"), encoding="utf-8")
    done = evalspec("run", spec, "--provider", "embedded")
    assert done.returncode == 0, done.stdout
