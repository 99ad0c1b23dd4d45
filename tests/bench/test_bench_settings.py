"""evalspec.toml: which file holds, what it says of a module, and what is wrong with it."""

from pathlib import Path

import pytest

from evalspec.bench.report import Settings
from evalspec.bench.settings import ModuleSettings, read_settings

TEXT = """
[bench]
seed = 42
temperature = 0
judge = "judge.yaml"
model = "large"
runs = 3

[bench.modules.triage]
target = "triage.yaml"
model = "small"
"""


def written(folder: Path, text: str = TEXT) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "evalspec.toml").write_text(text, encoding="utf-8")
    return folder


def test_the_nearest_file_above_holds(tmp_path: Path) -> None:
    written(tmp_path, "[bench]\nseed = 1")
    inner = written(tmp_path / "a" / "b", "[bench]\nseed = 2")
    (inner / "c").mkdir()
    assert read_settings(inner / "c")[0].settings.seed == 2
    assert read_settings(tmp_path / "a")[0].settings.seed == 1


def test_no_file_is_no_fault(tmp_path: Path) -> None:
    file, faults = read_settings(tmp_path)
    assert (faults, file.unset()) == ((), ("seed", "temperature", "top_p", "max_tokens"))


def test_a_module_takes_its_own_settings_over_those_of_all(tmp_path: Path) -> None:
    file, _ = read_settings(written(tmp_path))
    assert file.settings.of("triage") == ModuleSettings(target="triage.yaml", judge="judge.yaml", model="small")
    assert file.settings.of("other") == ModuleSettings(judge="judge.yaml", model="large")


def test_the_command_line_goes_before_the_file(tmp_path: Path) -> None:
    file, _ = read_settings(written(tmp_path))
    assert file.chosen(None, 8) == Settings(seed=42, temperature=0.0, runs=3, concurrency=8)
    assert file.chosen(1, None).runs == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sed = 1", "did you mean seed?"),
        ("temperature = 3", "bench.temperature"),
        ('top_p = "high"', "bench.top_p"),
        ("runs = 1.5", "bench.runs"),
        ("concurrency = 0", "bench.concurrency"),
        ("modules = 3", "bench.modules"),
        ("x = [", "not TOML"),
        (f"seed = {'9' * 5000}", "not TOML"),
        ('root = "a\\u0000b"', "bench.root"),
    ],
)
def test_what_cannot_be_used_is_found_at_its_line(tmp_path: Path, line: str, said: str) -> None:
    _, faults = read_settings(written(tmp_path, f"# settings\n[bench]\n{line}\n"))
    (fault,) = faults
    assert (fault.code, said in f"{fault.message} {fault.hint}") == ("ES744", True), fault
    assert fault.place.line in (3, 4)


def test_a_wrong_key_of_a_module_is_found_in_its_table(tmp_path: Path) -> None:
    _, faults = read_settings(written(tmp_path, "[bench]\ntarget = 'x'\n\n[bench.modules.triage]\ntargt = 'y'\n"))
    assert [(fault.place.line, fault.place.text, fault.hint) for fault in faults] == [
        (5, "targt = 'y'", "did you mean target?")
    ]


def test_bytes_that_are_no_text_are_a_finding(tmp_path: Path) -> None:
    (tmp_path / "evalspec.toml").write_bytes(b"\xff\xfe[bench]")
    assert [fault.code for fault in read_settings(tmp_path)[1]] == ["ES744"]
