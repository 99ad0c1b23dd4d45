"""evalspec compile, diff and explain, as a user meets them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from syrupy.assertion import SnapshotAssertion

Evalspec = Callable[..., CompletedProcess[str]]


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_sound_spec_becomes_a_plan(small: Path, evalspec: Evalspec) -> None:
    done = evalspec("compile", small)
    assert done.returncode == 0
    assert f"wrote {small / 'plan.json'}" in done.stdout.replace("\n", "")
    assert json.loads((small / "plan.json").read_text(encoding="utf-8"))["format_version"] == 1


def test_the_config_file_names_the_spec_too(small: Path, evalspec: Evalspec, tmp_path: Path) -> None:
    done = evalspec("compile", small / "generation_config.yaml", "-o", tmp_path / "other.json")
    assert (done.returncode, (tmp_path / "other.json").exists(), (small / "plan.json").exists()) == (0, True, False)


def test_findings_are_shown_with_their_lines(small: Path, evalspec: Evalspec, snapshot: SnapshotAssertion) -> None:
    config = small / "generation_config.yaml"
    _edit(config, "seed:", "sed:")
    template = small / "templates/L1.yaml"
    _edit(template, "user_message_template:", "user_mesage_template:")
    done = evalspec("compile", small)
    assert done.returncode == 1
    assert done.stdout == snapshot


def test_findings_as_json_carry_the_same_facts(small: Path, evalspec: Evalspec) -> None:
    _edit(small / "generation_config.yaml", "seed:", "sed:")
    done = evalspec("compile", small, "--format", "json")
    body = json.loads(done.stdout)
    first = body["diagnostics"][0]
    assert (done.returncode, body["exit_code"], first["code"], first["name"]) == (1, 1, "ES101", "unknown-key")
    assert (first["place"]["file"], first["place"]["line"] > 0) == ("generation_config.yaml", True)


def test_annotations_name_files_from_the_working_folder(small: Path, evalspec: Evalspec) -> None:
    _edit(small / "generation_config.yaml", "seed:", "sed:")
    done = evalspec("compile", small, "--format", "github")
    assert done.stdout.startswith("::error file=../un été/generation_config.yaml,line=")
    assert "title=ES101 unknown-key::" in done.stdout


@pytest.mark.parametrize("target", ["nowhere", "home"])
def test_a_folder_that_is_no_spec_cannot_be_compiled(target: str, evalspec: Evalspec, tmp_path: Path) -> None:
    done = evalspec("compile", tmp_path / target)
    assert (done.returncode, "Traceback" in done.stdout + done.stderr) == (2, False)
    assert "error[ES0" in done.stdout


def test_bad_options_are_bad_usage(small: Path, evalspec: Evalspec) -> None:
    assert evalspec("compile", small, "--limit", "0").returncode == 2
    assert evalspec("compile", small, "--format", "yaml").returncode == 2
    assert evalspec("compile", small, "--domain", "nulle-part").returncode in (1, 2)
    assert evalspec("compil", small).returncode == 2


def test_a_filter_keeps_ids(small: Path, evalspec: Evalspec, tmp_path: Path) -> None:
    evalspec("compile", small)
    done = evalspec("compile", small, "--limit", "3", "-o", tmp_path / "part.json")
    whole = json.loads((small / "plan.json").read_text(encoding="utf-8"))
    part = json.loads((tmp_path / "part.json").read_text(encoding="utf-8"))
    assert done.returncode == 0
    assert len(part["groups"]) == 3
    assert [group for group in part["groups"] if group not in whole["groups"]] == []


def test_the_same_bytes_in_another_folder_locale_and_hash_seed(small: Path, evalspec: Evalspec, tmp_path: Path) -> None:
    other = Path(shutil.copytree(small, tmp_path / "b"))
    evalspec("compile", small, PYTHONHASHSEED="1", LC_ALL="C.UTF-8")
    evalspec("compile", other, PYTHONHASHSEED="2", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert (small / "plan.json").read_bytes() == (other / "plan.json").read_bytes()


def test_diff_says_what_would_be_made_again(small: Path, evalspec: Evalspec, tmp_path: Path) -> None:
    evalspec("compile", small, "-o", tmp_path / "old.json")
    same = evalspec("diff", tmp_path / "old.json", tmp_path / "old.json")
    assert (same.returncode, same.stdout.startswith("no difference")) == (0, True)
    template = small / "templates/L1.yaml"
    _edit(template, "generation_instruction: |\n", "generation_instruction: |\n  Encore une consigne.\n")
    evalspec("compile", small, "-o", tmp_path / "new.json")
    done = evalspec("diff", tmp_path / "old.json", tmp_path / "new.json", "--format", "json")
    rebuy = json.loads(done.stdout)["difference"]["rebuy"]
    assert {row["group_id"].partition("-")[0] for row in rebuy} == {"L1"}


def test_explain_shows_a_page_by_code_and_by_name(evalspec: Evalspec) -> None:
    by_code, by_name = evalspec("explain", "es301"), evalspec("explain", "too-few-negative-examples")
    assert (by_code.returncode, by_code.stdout) == (0, by_name.stdout)
    assert all(part in by_code.stdout for part in ("What it does", "Why", "Example", "Use instead"))


def test_explain_helps_with_a_misspelt_code(evalspec: Evalspec) -> None:
    done = evalspec("explain", "ES3O1")
    assert (done.returncode, "did you mean" in done.stdout) == (2, True)


def test_a_plan_that_is_no_plan_is_named(evalspec: Evalspec, tmp_path: Path) -> None:
    for text in ("", "[]", "{}", '{"format_version": 9}', '{"format_version": 1}', "\x00", '{"a": '):
        path = tmp_path / "plan.json"
        path.write_text(text, encoding="utf-8")
        done = evalspec("run", path)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False)
        assert "error[ES50" in done.stdout
