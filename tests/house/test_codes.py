"""Every code of the compiler has one rule file, a page, and cases that pass and that fail."""

import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from evalspec.compiler import rules, ruleset
from evalspec.compiler.pages import page
from evalspec.spec.codes import CODES

COMPILER_CODES = sorted(code for code in CODES if code[:3] in ("ES0", "ES1", "ES2", "ES3", "ES4"))
SECTIONS = ["What it does", "Why", "Example", "Use instead"]
CASES = Path(__file__).parent.parent / "rules"
FAILS_ELSEWHERE = {"ES209": "found by the allocation, and tested there"}


def test_each_code_has_one_file_named_after_it() -> None:
    expected = [f"{code.lower()}_{CODES[code].name.replace('-', '_')}.py" for code in COMPILER_CODES]
    folder = Path(rules.__file__).parent
    assert expected == sorted(path.name for path in folder.glob("*.py") if path.name != "__init__.py")


def test_each_file_is_listed_once_in_order() -> None:
    listed = [module.__name__.rpartition(".")[2][:5].upper() for module in ruleset.PAGES]
    assert listed == COMPILER_CODES


def test_each_file_with_a_check_is_walked_by_lint() -> None:
    expected = [module.check for module in ruleset.PAGES if hasattr(module, "check")]
    assert expected == list(ruleset.RULES)


@pytest.mark.parametrize("code", COMPILER_CODES)
def test_each_page_has_its_four_sections_with_text(code: str) -> None:
    text = page(code) or ""
    assert text.startswith(f"# {code} {CODES[code].name}\n\n*{CODES[code].severity}* {CODES[code].summary}.\n")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    assert parts[1::2] == SECTIONS
    assert all(len(part.strip()) > 15 for part in parts[2::2])


@pytest.mark.parametrize("code", COMPILER_CODES)
def test_each_code_has_a_case_that_passes_and_one_that_fails(code: str) -> None:
    cases = YAML(typ="safe", pure=True).load((CASES / f"{code}.yaml").read_text(encoding="utf-8"))
    outcomes = {any(row["code"] == code for row in case["expect"]) for case in cases}
    assert ({False} if code in FAILS_ELSEWHERE else {False, True}) == outcomes


def test_a_code_of_another_part_has_no_page_here() -> None:
    assert page("ES601") is None
