"""Plain scalars are read by the core schema of YAML 1.2."""

import math

import pytest

from evalspec.compiler.scalars import resolve_plain, taken_elsewhere


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NO", "NO"),
        ("on", "on"),
        ("yes", "yes"),
        ("true", True),
        ("FALSE", False),
        ("tRue", "tRue"),
        ("", None),
        ("~", None),
        ("null", None),
        ("012", 12),
        ("0o14", 12),
        ("0xC", 12),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("12:30:45", "12:30:45"),
        ("2024-01-01", "2024-01-01"),
        ("1.10", 1.1),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("+7", 7),
        ("1.", 1.0),
        (".", "."),
        ("-", "-"),
        ("-.inf", -math.inf),
        ("1" * 5000, "1" * 5000),
    ],
)
def test_a_plain_scalar_is_what_the_core_schema_says(text: str, value: object) -> None:
    found = resolve_plain(text)
    assert (type(value), value) == (type(found), found)


def test_not_a_number_is_a_number() -> None:
    assert math.isnan(float(resolve_plain(".nan") or 0))


@pytest.mark.parametrize("text", ["NO", "y", "Off", "012", "1_000", "0b11", "12:30:45", "2024-01-01", "1e3", "0o14"])
def test_what_other_readers_take_for_something_else_is_known(text: str) -> None:
    assert taken_elsewhere(text)


@pytest.mark.parametrize(
    "text", ["0", "0.5", "12", "1.5e+3", "true", "None", "north", "2024-01", "1.2.3", "-", "no one"]
)
def test_what_all_readers_agree_on_is_not_ambiguous(text: str) -> None:
    assert taken_elsewhere(text) == ""
