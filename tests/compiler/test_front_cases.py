"""What writers of specs run into, and what the front end says to it."""

import time
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from evalspec.compiler.front import Front, read_spec
from evalspec.spec.diagnostic import Diagnostic

BASE = Path(__file__).parent.parent / "rules" / "base"
CONFIG, H1 = "generation_config.yaml", "templates/H1.yaml"
Edit = Callable[..., Front]


@pytest.fixture
def edited(tmp_path: Path) -> Edit:
    """Read the base spec after one replacement in one of its files."""

    def read(name: str, old: str, new: str) -> Front:
        copytree(BASE, tmp_path / "spec")
        path = tmp_path / "spec" / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="")
        return read_spec(tmp_path / "spec")

    return read


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, bytes], Front]:
    """Read the base spec after one file was written over."""

    def read(name: str, data: bytes) -> Front:
        copytree(BASE, tmp_path / "spec")
        (tmp_path / "spec" / name).write_bytes(data)
        return read_spec(tmp_path / "spec")

    return read


def at(diagnostic: Diagnostic) -> tuple[str, str, int, int]:
    return diagnostic.code, diagnostic.place.file, diagnostic.place.line, diagnostic.place.column


def codes(front: Front) -> list[str]:
    return [d.code for d in front.diagnostics]


@pytest.mark.parametrize(
    ("share", "code", "column"),
    [
        ("0.51", "ES201", 1),
        ("0.49", "ES201", 1),
        ("-0.5", "ES202", 12),
        (".nan", "ES202", 12),
        ('"0.5"', "ES103", 12),
        ("50%", "ES103", 12),
    ],
)
def test_a_faulty_share_is_one_finding_at_the_value_and_a_faulty_sum_one_at_the_section(
    edited: Edit, share: str, code: str, column: int
) -> None:
    front = edited(CONFIG, "banking: 0.5", f"banking: {share}")
    line = 7 if code == "ES201" else 8
    assert [(code, CONFIG, line, column)] == [at(d) for d in front.diagnostics]


def test_a_faulty_sum_is_quoted(edited: Edit) -> None:
    front = edited(CONFIG, "banking: 0.5", "banking: 0.51")
    assert "sum to 1.01, not to 1" in front.diagnostics[0].message


@pytest.mark.parametrize("share", ["0.500000001", "0.499999999", "0.5000000000001"])
def test_a_sum_within_a_billionth_of_one_is_fine(edited: Edit, share: str) -> None:
    assert codes(edited(CONFIG, "banking: 0.5", f"banking: {share}")) == []


def test_a_key_that_stands_twice_is_reported_at_the_second_and_names_the_first(edited: Edit) -> None:
    front = edited(CONFIG, "  insurance: 0.5\n", "  insurance: 0.5\n  banking: 0.3\n")
    (only,) = front.diagnostics
    assert at(only) == ("ES007", CONFIG, 10, 3)
    assert [related.place.line for related in only.related] == [8]


def test_norway_is_a_country(edited: Edit) -> None:
    front = edited(CONFIG, "  north: 0.6\n  south: 0.4", "  SE: 0.4\n  NO: 0.3\n  DK: 0.3")
    assert front.spec is not None
    assert front.spec.config.geography_split == {"SE": 0.4, "NO": 0.3, "DK": 0.3}
    assert codes(front) == ["ES107"]


@pytest.mark.parametrize(
    ("line", "code", "hint"),
    [
        ("version: 1.10", "ES103", "write three numbers with dots, such as 1.0.0"),
        ("language: 012", "ES103", "write a language tag such as en or fr-CA"),
        ("output_dir: 1e3", "ES103", 'put it in quotes to make it text: "1e3"'),
        ("output_dir: true", "ES103", 'put it in quotes to make it text: "true"'),
        ("on: true", "ES101", ""),
    ],
)
def test_a_value_of_another_type_is_said_and_quotes_are_hinted_at(
    edited: Edit, line: str, code: str, hint: str
) -> None:
    (only,) = edited(CONFIG, "  seed: 7", f"  {line}").diagnostics
    assert (code, 6) == (only.code, only.place.line)
    assert hint in only.hint


def test_a_key_of_another_section_is_sent_there(edited: Edit) -> None:
    (only,) = edited(CONFIG, "  seed: 7", "  temperature: 0.2").diagnostics
    assert (only.code, only.hint) == ("ES104", "it belongs in generation_model")


def test_a_misspelt_key_is_corrected(edited: Edit) -> None:
    (only,) = edited(CONFIG, "model_name: composer", "model_name: composer\n  temprature: 0.2").diagnostics
    assert (only.code, only.hint) == ("ES101", "did you mean temperature?")


@pytest.mark.parametrize("name", ["../../x", "a b", "1st", "é", "x" * 65])
def test_an_id_that_cannot_be_one_is_refused_without_follow_up(edited: Edit, name: str) -> None:
    front = edited(H1, "id: H1", f"id: {name}")
    assert [at(d) for d in front.diagnostics] == [("ES106", H1, 1, 5)]


@pytest.mark.parametrize(
    ("block", "line", "column"),
    [
        ("|\n  {topic}", 6, 3),
        (">\n  a\n  b\n\n  c {topic}", 9, 5),
        ("|4\n      so {topic}", 6, 10),
        (">-\n      deep\n      {topic}", 7, 7),
        ("|\r\n  a\r\n  b {topic}\r\n", 7, 5),
        ('"a\n   b {topic}"', 6, 6),
        ('"caf\\u00e9 {topic}"', 5, 35),
        ("'it''s {topic}'", 5, 31),
        ("a plain\n  {topic}", 6, 3),
        ("&text |\n  {topic}", 6, 3),
    ],
)
def test_a_placeholder_has_its_line_and_column_in_every_style_of_text(
    edited: Edit, block: str, line: int, column: int
) -> None:
    front = edited("templates/S1.yaml", '"{message}"', f"{block}\nfields: {{message: {{type: string}}}}")
    places = [
        (d.place.line, d.place.column, d.place.end_column)
        for d in front.diagnostics
        if d.code == "ES307" and "topic" in d.message
    ]
    assert [(line, column, column + len("{topic}"))] == places


@pytest.mark.parametrize("text", ["{{ ''.__class__.__mro__ }}", "{% include '/etc/passwd' %}"])
def test_a_text_that_reaches_out_of_the_sandbox_is_refused(edited: Edit, text: str) -> None:
    front = edited(H1, "You answer questions on finance.", text)
    assert codes(front) == ["ES310"]


def test_literal_json_in_a_message_needs_no_escaping(edited: Edit) -> None:
    message = '{question}\n  {"answer": "...", "source_ids": [1], "unknown": true|false}'
    assert codes(edited(H1, "Question: {question}", message)) == []


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"a: &a [x,x]\nb: &b [*a,*a]\n" + b"".join(b"c: [*b,*b]\n" for _ in range(3)), "ES007"),
        (b"!!python/object/apply:os.system ['true']", "ES006"),
        ("id: é".encode("utf-16"), "ES003"),
        (b"id: \xe9", "ES003"),
        (b"id: a\0b", "ES003"),
        (b"", "ES008"),
        (b"# nothing\n", "ES008"),
        (b"\xef\xbb\xbf# nothing\n", "ES008"),
        (b"[" * 50_000, "ES005"),
        (b"id: [", "ES004"),
    ],
)
def test_hostile_files_are_findings(written: Callable[[str, bytes], Front], data: bytes, code: str) -> None:
    assert code in codes(written("templates/H2.yaml", data))


def test_an_alias_bomb_is_refused_quickly(written: Callable[[str, bytes], Front]) -> None:
    lines = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    lines += [f"{n}: &{n} [{','.join([f'*{o}'] * 9)}]" for o, n in zip("abcdefgh", "bcdefghi", strict=True)]
    started = time.process_time()
    front = written("templates/H2.yaml", "\n".join(lines).encode())
    assert codes(front) == ["ES005"]
    assert time.process_time() - started < 3


def test_a_file_of_fifty_megabytes_is_not_read(tmp_path: Path) -> None:
    copytree(BASE, tmp_path / "spec")
    with (tmp_path / "spec" / "templates" / "H2.yaml").open("wb") as file:
        file.truncate(50 << 20)
    assert codes(read_spec(tmp_path / "spec")) == ["ES002"]


def test_a_folder_with_the_name_of_a_template_is_a_finding(tmp_path: Path) -> None:
    copytree(BASE, tmp_path / "spec")
    (tmp_path / "spec" / "templates" / "H2.yaml").mkdir()
    assert codes(read_spec(tmp_path / "spec")) == ["ES001"]


def test_a_byte_order_mark_is_no_part_of_the_text(written: Callable[[str, bytes], Front]) -> None:
    front = written(H1, b"\xef\xbb\xbf" + (BASE / H1).read_bytes())
    assert codes(front) == []


def test_a_hundred_errors_are_all_reported_in_the_order_of_files_and_lines(tmp_path: Path) -> None:
    copytree(BASE, tmp_path / "spec")
    text = (BASE / "templates" / "S1.yaml").read_text(encoding="utf-8")
    for number in range(50):
        name = f"Z{number:02}"
        faulty = text.replace("id: S1", f"id: {name}").replace("why_bad: It answers rudeness with rudeness.", "")
        faulty = faulty.replace("description:", "descripton:")
        (tmp_path / "spec" / "templates" / f"{name}.yaml").write_text(faulty, encoding="utf-8")
    found = [at(d) for d in read_spec(tmp_path / "spec").diagnostics if d.code != "ES304"]
    files = [f"templates/Z{number:02}.yaml" for number in range(50)]
    expected = [row for file in files for row in (("ES101", file, 4, 1), ("ES302", file, 10, 5))]
    assert expected == found


def test_a_faulty_config_does_not_make_the_templates_faulty(written: Callable[[str, bytes], Front]) -> None:
    assert codes(written(CONFIG, b"dataset: [")) == ["ES004"]


def test_the_config_file_stands_for_its_folder() -> None:
    assert read_spec(BASE / CONFIG).spec is not None


@pytest.mark.parametrize("name", ["nowhere", "\0", "generation_config.yaml"])
def test_a_path_that_is_no_folder_is_a_finding(tmp_path: Path, name: str) -> None:
    assert codes(read_spec(tmp_path / name)) == ["ES009"]


def test_the_digest_changes_with_a_byte_of_the_corpus_and_not_with_the_folder_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        copytree(BASE, tmp_path / name)
    first, second = (read_spec(tmp_path / name).spec for name in ("one", "two"))
    with (tmp_path / "two" / "corpus" / "deposits.md").open("a", encoding="utf-8") as file:
        file.write("More.\n")
    third = read_spec(tmp_path / "two").spec
    assert first is not None
    assert second is not None
    assert third is not None
    assert first.digest == second.digest
    assert first.digest != third.digest


def test_a_secret_is_shown_nowhere(edited: Edit) -> None:
    secret = "sk-abcdefghijklmnopqrstuvwxyz123456"
    front = edited(CONFIG, "model_name: composer", f"model_name: composer\n  provider: {secret}\n  x: {secret}")
    assert "ES108" in codes(front)
    assert secret not in repr(front.diagnostics)
