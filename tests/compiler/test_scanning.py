"""The quick scanner gives the events of ruamel's own, mark for mark."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from evalspec.compiler.scanning import quick_yaml

PIECES = st.sampled_from(
    [
        *"ab:-[]{}|>&*!#'\"%@?,\n \t\r\u2028\x85\ufeff\\",
        "\n",
        "\n  ",
        "\n    ",
        ": ",
        " #",
        "- ",
        "''",
        "key: ",
        "\r\n",
        "|\n  ",
        ">-\n    ",
        ">\n  ",
        "|+\n   ",
        "\n\n",
        "  a\n",
        "    b\n",
        "text of words",
        "'q'",
        '"q"',
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "\\n",
        "\\u00e9",
        "<<: ",
        "key:\n",
        "- key: value\n  other: 1\n",
        "key:value",
        "[a, b-c, d.e]",
        "{a: b, c: d}",
        "? ",
    ]
)


def events(yaml: YAML, text: str) -> list[Any]:
    out: list[Any] = []
    try:
        for event in yaml.parse(text):
            marks = [(mark.index, mark.line, mark.column) for mark in (event.start_mark, event.end_mark)]
            named = [getattr(event, name, None) for name in ("value", "style", "anchor", "tag", "implicit")]
            out.append([type(event).__name__, *marks, *map(str, named)])
    except MarkedYAMLError as error:
        out.append([type(error).__name__, error.problem, error.problem_mark and error.problem_mark.index])
    except (YAMLError, ValueError, TypeError, IndexError, AttributeError, AssertionError) as error:
        out.append([type(error).__name__])
    return out


def own() -> YAML:
    return YAML(typ="safe", pure=True)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=25))
def test_any_text_gives_the_same_events(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert events(own(), text) == events(quick_yaml(), text)


@pytest.mark.parametrize("file", sorted((Path(__file__).parent.parent / "rules").rglob("*.yaml")), ids=lambda f: f.name)
def test_a_real_file_gives_the_same_events(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert events(own(), text) == events(quick_yaml(), text)
