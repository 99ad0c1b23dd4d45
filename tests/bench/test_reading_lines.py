"""JSONL with places: what is JSON is read as json reads it, and what is not is named where it stands."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalspec.bench.reading import read_suite
from evalspec.bench.reading.gathered import Gathered
from evalspec.bench.reading.jsonscan import JsonError, scan
from evalspec.bench.reading.lines import MAX_FAULTS, Line, read_lines
from evalspec.compiler.document import build
from evalspec.spec.source import Place

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
SCALARS = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=5)


def _read(data: bytes, folder: Path) -> tuple[list[Line], Gathered]:
    path = folder / "cases.jsonl"
    path.write_bytes(data)
    gathered = Gathered("support", "cases", Place("cases.jsonl"))
    return list(read_lines(path, "cases.jsonl", gathered)), gathered


def _fault(text: str, folder: Path) -> tuple[str, str, int, int]:
    _, gathered = _read(text.encode(), folder)
    (diagnostic,) = gathered.diagnostics
    return diagnostic.code, diagnostic.message, diagnostic.place.line, diagnostic.place.column


@given(rows=st.lists(OBJECTS, max_size=6), gaps=st.data(), end=st.sampled_from(["", "\n", "\r\n"]), bom=st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_objects_come_back_with_the_lines_they_stand_on(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], gaps: st.DataObject, end: str, bom: bool
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    written: list[str] = []
    expected = []
    for row in rows:
        written += [""] * gaps.draw(st.integers(0, 2))
        written.append(json.dumps(row, ensure_ascii=gaps.draw(st.booleans())))
        expected.append((len(written), row))
    data = (b"\xef\xbb\xbf" if bom else b"") + "\r\n".join(written).encode() + (end.encode() if written else b"")
    lines, gathered = _read(data, folder)
    assert expected == [(line.number, line.part.data) for line in lines]
    assert gathered.diagnostics == []


@given(rows=st.lists(OBJECTS, max_size=5), indents=st.data(), end=st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=100, deadline=None)
def test_objects_that_go_on_over_lines_come_back_with_their_first_line(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], indents: st.DataObject, end: str
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    written: list[str] = []
    expected = []
    for row in rows:
        expected.append((len(written) + 1, row))
        text = json.dumps(row, ensure_ascii=False, indent=indents.draw(st.sampled_from([None, 0, 2])))
        written += text.split("\n")
    lines, gathered = _read(end.join(written).encode(), folder)
    assert expected == [(line.number, line.part.data) for line in lines]
    assert gathered.diagnostics == []


def test_a_place_in_an_object_over_lines_is_where_it_stands(tmp_path: Path) -> None:
    text = '{"id": "a", "input": "Hi?",\n "key_points": ["b"],\n "country": 5}\n{"id": "c", "input": "Hi?"}\n'
    (tmp_path / "cases.jsonl").write_text(text, encoding="utf-8")
    (fault,) = [d for d in read_suite(tmp_path / "cases.jsonl").diagnostics if d.severity.value == "error"]
    assert (fault.place.line, fault.place.path, fault.place.text) == (3, "country", ' "country": 5}')


def test_a_line_that_was_cut_off_does_not_swallow_the_next(tmp_path: Path) -> None:
    lines, gathered = _read(b'{"id": "a",\n{"id": "b"}\n{"id": "c",\n', tmp_path)
    assert [line.part.data for line in lines] == [{"id": "b"}]
    assert [(d.code, d.place.line) for d in gathered.diagnostics] == [("ES702", 1), ("ES702", 3)]


def test_a_mistake_in_an_object_over_lines_is_named_at_its_line(tmp_path: Path) -> None:
    lines, gathered = _read(b'{"id": "a",\n "x": 1,\n "x": 2}\n', tmp_path)
    assert ([line.part.data["id"] for line in lines], [d.place.line for d in gathered.diagnostics]) == (["a"], [3])


@given(data=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
@settings(max_examples=200, deadline=None)
def test_no_bytes_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    for name in ("a.jsonl", "b.yaml", "c.parquet"):
        (folder / name).write_bytes(data)
        reading = read_suite(folder / name)
        assert reading.suite is not None or reading.diagnostics


@given(value=VALUES, text=st.data())
@settings(max_examples=200, deadline=None)
def test_the_exact_reader_takes_what_json_takes(value: Any, text: st.DataObject) -> None:
    written = json.dumps(value, ensure_ascii=text.draw(st.booleans()), indent=text.draw(st.none() | st.integers(0, 3)))
    assert value == build("x", written, scan(written)).data


@given(value=VALUES, at=st.floats(0, 1), put=st.sampled_from(list('{}[]",:\\ e-1.tn\x00')), cut=st.booleans())
@settings(max_examples=400, deadline=None)
def test_the_exact_reader_refuses_what_json_refuses(value: Any, at: float, put: str, cut: bool) -> None:
    written = json.dumps(value)
    where = int(at * len(written))
    written = written[:where] + ("" if cut else put) + written[where + cut :]
    try:
        json.loads(written, parse_constant=lambda word: (_ for _ in ()).throw(ValueError(word)))
        refused = False
    except ValueError:
        refused = True
    try:
        scan(written)
        assert not refused
    except JsonError as error:
        half = "half a character" in error.message or "too large" in error.message
        assert refused or half
        assert 0 <= error.offset <= len(written)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ('{"id": "a",}', "a comma stands before }", 11),
        ('{"id": NaN}', "NaN is no JSON number", 8),
        ('{"id": -Infinity}', "-Infinity is no JSON number", 8),
        ('{"id": "\\d"}', "\\d is no escape of JSON", 9),
        ('{"id": "\\ud800"}', "an escape gives half a character (a lone surrogate)", 8),
        ('{"id": "\\u12"}', "\\u wants four hexadecimal digits", 9),
        ('{"id": "a"} {"id": "b"}', "a second value stands on the line", 13),
        ('{"id": "a"} x', "x stands after the end of the value", 13),
        ('{"id": "a"', "the object is not closed", 11),
        ('{"id": "a', "a text is not closed", 8),
        ("{'id': 1}", "a key in double quotes is due, found 'id'", 2),
        ('{"id": True}', "True is no JSON", 8),
        ('{"id": 01}', "01 is no JSON number", 8),
        ('{"id": 1e999}', "1e999 is too large for a number", 8),
        ('{"id" "a"}', "a colon is missing after the key", 7),
        ('{"id": "a\tb"}', "the character U+0009 stands bare in a text", 10),
        ('{"a": 1 "b": 2}', 'a comma or } is due, found "', 9),
    ],
)
def test_a_line_that_is_no_json_is_named_with_its_column(text: str, message: str, column: int, tmp_path: Path) -> None:
    assert ("ES702", message, 2, column) == _fault("\n" + text + "\n", tmp_path)


def test_a_line_that_holds_no_object_says_what_it_holds(tmp_path: Path) -> None:
    _, gathered = _read(b'[1]\n"a"\n5\n', tmp_path)
    assert [diagnostic.message for diagnostic in gathered.diagnostics] == [
        "a line holds one object, and this one a list",
        'a line holds one object, and this one the value "a"',
        "a line holds one object, and this one the value 5",
    ]


def test_a_key_that_stands_twice_names_both_places_on_its_own_line(tmp_path: Path) -> None:
    _, gathered = _read(b'\n{"id": 1, "deep": {"x": 1, "x": 2}}\n', tmp_path)
    (diagnostic,) = gathered.diagnostics
    related = diagnostic.related[0].place
    assert (
        diagnostic.code,
        diagnostic.place.line,
        diagnostic.place.column,
        related.line,
        related.column,
    ) == ("ES007", 2, 28, 2, 20)


def test_a_bad_byte_costs_its_line_alone(tmp_path: Path) -> None:
    lines, gathered = _read(b'{"a": 1}\n{"b": "\xff"}\n{"c": 3}', tmp_path)
    assert [line.number for line in lines] == [1, 3]
    assert [(d.code, d.place.line, d.place.column) for d in gathered.diagnostics] == [("ES003", 2, 8)]


def test_nesting_is_bounded_however_the_brackets_stand(tmp_path: Path) -> None:
    deep = '{"a": ' + "[" * 5000 + "]" * 5000 + "}"
    flat = json.dumps({"a": "[" * 5000, "b": [[]] * 60})
    assert _fault(deep, tmp_path)[1] == "it nests deeper than 40 levels"
    lines, gathered = _read(flat.encode(), tmp_path)
    assert (len(lines), gathered.diagnostics) == (1, [])


def test_a_file_of_faults_is_given_up_with_a_word(tmp_path: Path) -> None:
    _, gathered = _read(b"x\n" * 5000, tmp_path)
    assert len(gathered.diagnostics) == MAX_FAULTS + 1
    assert gathered.diagnostics[-1].message.startswith(f"reading stopped after line {MAX_FAULTS}")


def test_a_long_set_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "long.jsonl").write_text(
        "".join(json.dumps({"id": f"c-{n}", "input": "x", "key_points": ["y"]}) + "\n" for n in range(20_000)),
        encoding="utf-8",
    )
    reading = read_suite(tmp_path / "long.jsonl")
    assert reading.suite is not None
    assert (len(reading.suite.cases), reading.suite.cases[-1].place.line) == (20_000, 20_000)
