"""The generated pages and published schemas are those of the program as it is."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from evalspec.spec.codes import CODES
from evalspec.spec.planfile import plan_schema, published_schema
from evalspec.spec.record import record_schema

ROOT = Path(__file__).resolve().parents[2]


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generated_docs", ROOT / "tests/house/generated_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["docs/commands.md", "docs/codes.md"])
def test_a_generated_page_is_up_to_date(name: str) -> None:
    written = (ROOT / name).read_text(encoding="utf-8")
    assert written == _generator().PAGES[name](), "run python tests/house/generated_docs.py"


def test_every_command_has_examples_and_a_format() -> None:
    generator = _generator()
    for command in generator.COMMANDS:
        text = generator.help_of(command)
        assert "Example" in text, command
        assert "--format" in text, command


def test_every_code_has_a_page_of_its_own() -> None:
    from evalspec.cli.explain import page_of

    bare = [code for code, info in CODES.items() if page_of(code) == info.summary]
    assert bare == []


def test_the_published_plan_schema_is_that_of_the_models() -> None:
    assert published_schema() == json.loads(json.dumps(plan_schema()))


def test_the_published_record_schema_is_that_of_the_model() -> None:
    written = json.loads((ROOT / "spec/schemas/record.schema.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(record_schema()))
