"""Every case of every code: a small sound spec, changed in one way, and all that is found in it."""

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from ruamel.yaml import YAML

from evalspec.compiler.front import read_spec

HERE = Path(__file__).parent


def cases() -> Iterator[Any]:
    for file in sorted(HERE.glob("ES*.yaml")):
        for case in YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8")):
            yield pytest.param(case, id=f"{file.stem}: {case['name']}")


def laid_out(case: dict[str, Any], folder: Path) -> Path:
    """The base spec with the case's files, edits, bytes, sizes and folders laid over it."""
    copytree(HERE / "base", folder)
    for name, text in case.get("files", {}).items():
        if text is None:
            (folder / name).unlink()
        else:
            (folder / name).write_text(text, encoding="utf-8", newline="")
    for edit in case.get("edits", []):
        path = folder / edit["file"]
        text = path.read_text(encoding="utf-8")
        assert edit["old"] in text
        path.write_text(text.replace(edit["old"], edit["new"], 1), encoding="utf-8", newline="")
    for name, data in case.get("bytes", {}).items():
        (folder / name).write_bytes(bytes.fromhex(data))
    for name, size in case.get("sizes", {}).items():
        (folder / name).write_bytes(b"#" * size)
    for name in case.get("folders", []):
        (folder / name).mkdir()
    return folder


@pytest.mark.parametrize("case", list(cases()))
def test_a_case_gives_exactly_what_it_expects(case: dict[str, Any], tmp_path: Path) -> None:
    front = read_spec(laid_out(case, tmp_path / "spec"))
    found = [
        {"code": d.code, "file": d.place.file, "line": d.place.line, "column": d.place.column}
        for d in front.diagnostics
    ]
    assert [{k: v for k, v in due.items() if k != "severity"} for due in case["expect"]] == found
    for due, got in zip(case["expect"], front.diagnostics, strict=True):
        assert due.get("severity", got.severity) == got.severity
